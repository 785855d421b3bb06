"""Which framework the files of an archive belong to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath


def frameworks_of(names: Iterable[str]) -> tuple[str, ...]:
    """The frameworks whose files are among ``names``, the likeliest first.

    "tensorflow" for SavedModels and graphs, "pytorch", "mxnet", "onnx",
    "xgboost", "keras" for their own files, "neo" for what SageMaker Neo has
    compiled, "sagemaker-tritonserver" for a model repository of Triton's,
    "ray-serve" for an application of Ray Serve's. Files below ``code/`` and
    ``variables/`` do not count.
    """
    found: dict[str, None] = {}
    paths = [PurePosixPath(name) for name in names]
    if set(paths) >= _RAY_SERVE:
        return ("ray-serve",)
    for framework, patterns in _FILES.items():
        if any(path.match(pattern) for path in paths if _counts(path) for pattern in patterns):
            found[framework] = None
    for alone in ("neo", "sagemaker-tritonserver"):
        if alone in found:
            return (alone,)
    return tuple(found)


def _counts(path: PurePosixPath) -> bool:
    return path.parts[0] != "code" and "variables" not in path.parts


_RAY_SERVE = {PurePosixPath("config.yaml"), PurePosixPath("deployment.py")}
_FILES = {
    "neo": ("compiled.params", "compiled_model.json", "compiled.so", "dlr.h"),
    "sagemaker-tritonserver": ("*/config.pbtxt", "*/[0-9]*/model.onnx"),
    "tensorflow": ("saved_model.pb", "saved_model.pbtxt", "*.pb", "*.pbtxt"),
    "pytorch": ("*.pth", "*.pt"),
    "mxnet": ("*-symbol.json", "*.params"),
    "onnx": ("*.onnx",),
    "keras": ("*.keras", "*.h5"),
    "xgboost": ("*.model", "xgboost-model", "*.ubj"),
}
