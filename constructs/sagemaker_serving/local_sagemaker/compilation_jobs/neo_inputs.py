"""Whether an archive is what Neo compiles: its files, framework by framework, and its inputs.

Of what is inside of the files only a SavedModel's signature is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sagemaker_serving.archive import (
    Tensor,
    UnreadableArtifact,
    fits,
    neo_files,
    neo_inputs,
    read_contents,
    shown_shape,
    without_variables,
)

_WITHOUT_SHAPES = ("XGBOOST", "PYTORCH", "TFLITE", "DARKNET", "SKLEARN")


def problem_with_input(framework: str, files: Sequence[str]) -> str | None:
    """Why Neo refuses an archive of these files, in AWS's words; None when it takes it.

    ``files`` are paths in the archive; ``framework`` is CreateCompilationJob's
    (``TENSORFLOW``). Frameworks that compile for edge devices only are not
    judged. Source of rules and texts:
    docs.aws.amazon.com/sagemaker/latest/dg/neo-troubleshooting.html and
    neo-troubleshooting-compilation.html; what has no text there is worded like its neighbours. That
    of a missing symbol file is recorded in aws/sagemaker-python-sdk, issue 2062.
    """
    problem = next(
        (
            _wrong_number(framework, words, found)
            for words, found in neo_files(framework, files)
            if len(found) != 1
        ),
        None,
    )
    if problem is None and framework == "TENSORFLOW" and without_variables(files) is not None:
        problem = "SavedModel is expected to have one variables folder."
    return None if problem is None else f"ClientError: InputConfiguration: {problem}"


def problem_with_shapes(framework: str, data_input_config: str | None, model: Path) -> str | None:
    """Why Neo refuses these shapes for the archive ``model``; None when it takes them.

    Of a SavedModel the signature is known, and names and shapes are held against it; of other
    models only whether shapes are given. A wrong shape is refused in the words that AWS's
    troubleshooting page has for Keras; what has no text there is worded like it.
    """
    problem = _shapes(framework, data_input_config, model)
    return None if problem is None else f"ClientError: InputConfiguration: {problem}"


def _shapes(framework: str, data_input_config: str | None, model: Path) -> str | None:
    if data_input_config is None:
        missing = framework not in _WITHOUT_SHAPES
        return f"DataInputConfig is missing for {framework} model." if missing else None
    try:
        given = json.loads(data_input_config)
    except ValueError:
        return f"DataInputConfig is no valid JSON: {data_input_config[:100]}"
    inputs = _signature(model) if framework == "TENSORFLOW" else None
    if inputs is None:
        return None
    if not isinstance(given, Mapping):
        return "DataInputConfig should be a dictionary of input names and shapes for TensorFlow."
    for name, shape in given.items():
        if name not in inputs:
            return (
                f"Input {name} of the Input Shape dictionary is not an input of the model, which "
                f"has {', '.join(inputs)}."
            )
        if not fits(inputs[name].shape, shape):
            return (
                f"Input {name} has wrong shape in Input Shape dictionary. Input shapes should be "
                f"provided in NHWC format. For example, {shown_shape(inputs[name].shape)}"
            )
    missing_inputs = [name for name in inputs if name not in given]
    return (
        f"Input {missing_inputs[0]} is missing in Input Shape dictionary."
        if missing_inputs
        else None
    )


def _signature(model: Path) -> Mapping[str, Tensor] | None:
    try:
        return neo_inputs(read_contents(model))
    except UnreadableArtifact:
        return None


def _wrong_number(framework: str, words: str, found: Sequence[str]) -> str:
    """What the job says where there is not exactly one of a kind of file."""
    if framework == "TENSORFLOW":
        return f"Exactly one {words} is allowed for TensorFlow models."
    if framework == "KERAS":
        if not found:
            return "No h5 file provided in the model archive"
        return f"Multiple h5 files provided, {', '.join(found)}, when only one is allowed"
    if framework == "PYTORCH" and not found:
        return (
            "No pth file found for PyTorch model. "
            "Please make sure the framework you select is correct."
        )
    if words.startswith("-symbol") and not found:
        return "No valid Mxnet model file -symbol.json found"
    what, name = _ONLY_ONE[words]
    return (
        f"Only one {what} is allowed for {name} model. "
        "Please make sure the framework you select is correct."
    )


_ONLY_ONE = {
    ".pt or .pth file": ("pth file", "PyTorch"),
    "-symbol.json file": ("symbol file", "MXNet"),
    ".params file": ("parameter file", "MXNet"),
    ".onnx file": ("onnx file", "ONNX"),
    "model file (.model, .json, .ubj)": ("model file", "XGBoost"),
}
