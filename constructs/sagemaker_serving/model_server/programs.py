"""The programs that an image may run, as far as this machine has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib.util import find_spec

from sagemaker_serving.archive import TRITON, ArchiveContents
from sagemaker_serving.archive.handlers import SCRIPT, script_of
from sagemaker_serving.extras import Extra


class Program(StrEnum):
    """What serves the model behind /ping and /invocations."""

    TENSORFLOW = "tensorflow"
    """TensorFlow Serving behind nginx and gunicorn."""

    PYTORCH = "pytorch"
    """TorchServe, or Multi Model Server, around AWS's inference toolkit."""

    NEO_PYTORCH = "neo-pytorch"
    """The same with Neo's own modules, for a model that Neo compiled."""

    NEO_ONNX = "neo-onnx"
    """Multi Model Server around Neo's runtime, for a model that came from ONNX."""

    NEO_XGBOOST = "neo-xgboost"
    """The same, for a model that came from XGBoost."""

    SKLEARN = "sklearn"
    """scikit-learn's image: Flask around sagemaker-containers."""

    XGBOOST = "xgboost"
    """XGBoost's image: its own algorithm, or Flask around sagemaker-containers."""

    HUGGING_FACE = "huggingface"
    """Hugging Face's image: Multi Model Server around AWS's toolkit for transformers."""

    TRITON = "triton"
    """Triton, with its onnxruntime backend alone."""

    RAY_SERVE = "ray-serve"
    """Ray Serve behind the adapter of AWS's image."""

    RAY_SERVE_STREAMING = "ray-serve-streaming"
    """The same behind an adapter of one's own, which sends an answer on as it comes."""

    COMMAND = "command"
    """A program of the user's."""

    STUB = "stub"
    """Nothing: every answer says that it is a stub's."""


VERSIONED = (Program.TENSORFLOW, Program.PYTORCH)
"""Those whose contract goes by the version of the image."""

_RUN_BY: Mapping[Program, Extra] = {
    Program.TENSORFLOW: "tensorflow",
    Program.PYTORCH: "torch",
    Program.NEO_PYTORCH: "torch",
    Program.NEO_ONNX: "onnxruntime",
    Program.XGBOOST: "xgboost",
    Program.HUGGING_FACE: "torch",
    Program.NEO_XGBOOST: "xgboost",
    Program.TRITON: "onnxruntime",
    Program.RAY_SERVE: "ray",
    Program.RAY_SERVE_STREAMING: "ray",
}

PACKAGES = {"sklearn": "scikit-learn", "joblib": "scikit-learn", "transformers": "transformers"}
"""What images have and no extra brings: the user's own, by the modules."""

_IMPORTED_BY = {Program.SKLEARN: "sklearn", Program.HUGGING_FACE: "transformers"}

_PYTORCH_FUNCTIONS = ("model_fn", "transform_fn", "input_fn", "predict_fn", "output_fn")


def program_of(contents: ArchiveContents, environment: Mapping[str, str] | None = None) -> Program:
    """The program that serves an archive with these files, by all that can be seen of them.

    ``environment`` is the container's, which may name the script. It is TensorFlow's when nothing
    tells: its messages say what a model must have.
    """
    script = contents.scripts.get(script_of("pytorch", environment or {}) or SCRIPT)
    if TRITON in contents.frameworks:
        return Program.TRITON
    if "ray-serve" in contents.frameworks:
        return Program.RAY_SERVE
    if "tensorflow" in contents.frameworks:
        return Program.TENSORFLOW
    if script is not None and script.defines("neo_preprocess") and "onnx" in contents.frameworks:
        return Program.NEO_ONNX
    has_functions = script is not None and any(map(script.defines, _PYTORCH_FUNCTIONS))
    if has_functions and contents.frameworks == ("sklearn",):
        return Program.SKLEARN
    if contents.frameworks == ("xgboost",):
        return Program.XGBOOST
    if "huggingface" in contents.frameworks:
        return Program.HUGGING_FACE
    if has_functions or "pytorch" in contents.frameworks:
        return Program.PYTORCH
    return Program.TENSORFLOW


def missing_package(program: Program) -> str | None:
    """The package of the user's own that ``program`` needs and this machine has not."""
    module = _IMPORTED_BY.get(program)
    return PACKAGES[module] if module is not None and find_spec(module) is None else None


def extras_of(program: Program, files: Iterable[str]) -> list[Extra]:
    """The extras with which ``program`` serves an archive of these ``files``."""
    extras = [_RUN_BY[program]] if program in _RUN_BY else []
    if program is Program.RAY_SERVE and any(file.endswith((".pt", ".pth")) for file in files):
        extras.append("torch")
    return extras
