"""Which of this machine's programs serves what an image would, told by its repository."""

from __future__ import annotations

import re

from sagemaker_serving.model_server.programs import Program


class NoEngine(Exception):
    """This machine has nothing that runs such models; the message says so."""


def serving_program(image: str) -> Program:
    """The program for an image of AWS's; TensorFlow's for a name that says nothing.

    The registry and the tag do not matter, so that a copy of AWS's image in another
    registry is served as the original. Raises `NoEngine` for images of frameworks that
    nothing here runs.
    """
    repository = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    for pattern, program in _PROGRAMS:
        if pattern.fullmatch(repository):
            return program
    for pattern, framework in _WITHOUT_ENGINE:
        if pattern.fullmatch(repository):
            raise NoEngine(
                f"this machine has no engine for {framework}, which {repository} serves; "
                "here are TensorFlow, PyTorch, and of what Neo compiles also ONNX and XGBoost"
            )
    return Program.TENSORFLOW


_PROGRAMS = (
    (
        re.compile(
            r"tensorflow-inference(-.+)?|sagemaker-tensorflow-serving(-.+)?"
            r"|sagemaker-(inference|neo)-tensorflow"
        ),
        Program.TENSORFLOW,
    ),
    (
        re.compile(r"pytorch-inference(-.+)?|sagemaker-pytorch"),
        Program.PYTORCH,
    ),
    (re.compile(r"sagemaker-(inference|neo)-pytorch"), Program.NEO_PYTORCH),
    (re.compile(r"sagemaker-(inference|neo)-onnx"), Program.NEO_ONNX),
    (re.compile(r"xgboost-neo"), Program.NEO_XGBOOST),
)

_WITHOUT_ENGINE = (
    (re.compile(r"mxnet-inference(-.+)?|sagemaker-(inference|neo)-mxnet"), "MXNet"),
    (re.compile(r"sagemaker-(inference|neo)-keras"), "Neo's compiled Keras models"),
    (re.compile(r"image-classification-neo"), "Neo's compiled image classification"),
)
