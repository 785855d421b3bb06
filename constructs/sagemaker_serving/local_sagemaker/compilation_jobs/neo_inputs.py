"""Whether an archive is what Neo compiles: its files, framework by framework, and its inputs.

Of what is inside of the files only a SavedModel's signature is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from sagemaker_serving.archive import (
    Tensor,
    UnreadableArtifact,
    fits,
    neo_inputs,
    read_contents,
    shown_shape,
)

_WITHOUT_SHAPES = ("XGBOOST", "PYTORCH", "TFLITE", "DARKNET", "SKLEARN")

Check = Callable[[Sequence[str]], str | None]


def problem_with_input(framework: str, files: Sequence[str]) -> str | None:
    """Why Neo refuses an archive of these files, in AWS's words; None when it takes it.

    ``files`` are paths in the archive; ``framework`` is CreateCompilationJob's
    (``TENSORFLOW``). Frameworks that compile for edge devices only are not
    judged. Source of rules and texts:
    docs.aws.amazon.com/sagemaker/latest/dg/neo-troubleshooting.html and
    neo-troubleshooting-compilation.html; what has no text
    there is worded like its neighbours.
    """
    check = _CHECKS.get(framework)
    problem = None if check is None else check([path for path in files if not _is_hidden(path)])
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


def _tensorflow(files: Sequence[str]) -> str | None:
    graphs = _ending(files, ".pb", ".pbtxt")
    if len(graphs) != 1:
        return "Exactly one .pb or .pbtxt file is allowed for TensorFlow models."
    folder = PurePosixPath(graphs[0])
    is_saved_model = folder.stem == "saved_model"
    variables = folder.parent / "variables"
    if is_saved_model and not any(variables in PurePosixPath(path).parents for path in files):
        return "SavedModel is expected to have one variables folder."
    return None


def _keras(files: Sequence[str]) -> str | None:
    models = _ending(files, ".h5")
    if not models:
        return "No h5 file provided in the model archive"
    if len(models) > 1:
        return f"Multiple h5 files provided, {', '.join(models)}, when only one is allowed"
    return None


def _pytorch(files: Sequence[str]) -> str | None:
    models = _ending(files, ".pth", ".pt")
    if not models:
        return (
            "No pth file found for PyTorch model. "
            "Please make sure the framework you select is correct."
        )
    return None if len(models) == 1 else _only_one("pth file", "PyTorch")


def _mxnet(files: Sequence[str]) -> str | None:
    if len(_ending(files, ".json")) != 1:
        return _only_one("symbol file", "MXNet")
    if len(_ending(files, ".params")) != 1:
        return _only_one("parameter file", "MXNet")
    return None


def _onnx(files: Sequence[str]) -> str | None:
    return None if len(_ending(files, ".onnx")) == 1 else _only_one("onnx file", "ONNX")


def _xgboost(files: Sequence[str]) -> str | None:
    return None if len(_ending(files, ".model")) == 1 else _only_one("model file", "XGBoost")


_CHECKS: Mapping[str, Check] = {
    "TENSORFLOW": _tensorflow,
    "KERAS": _keras,
    "PYTORCH": _pytorch,
    "MXNET": _mxnet,
    "ONNX": _onnx,
    "XGBOOST": _xgboost,
}


def _only_one(what: str, framework: str) -> str:
    return (
        f"Only one {what} is allowed for {framework} model. "
        "Please make sure the framework you select is correct."
    )


def _ending(files: Sequence[str], *suffixes: str) -> list[str]:
    """Files of the model by their endings; a ``code`` folder beside it is the user's own."""
    return [
        path
        for path in files
        if path.lower().endswith(suffixes) and PurePosixPath(path).parts[0] != "code"
    ]


def _is_hidden(path: str) -> bool:
    return PurePosixPath(path).name.startswith(".")
