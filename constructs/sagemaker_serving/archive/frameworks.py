"""Which framework the files of an archive belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath


def frameworks_of(names: Iterable[str]) -> tuple[str, ...]:
    """The frameworks whose files are among ``names``, the likeliest first.

    "tensorflow" for SavedModels and graphs, "pytorch", "mxnet", "onnx",
    "xgboost", "keras" for their own files, "neo" for what SageMaker Neo has
    compiled, "sagemaker-tritonserver" for a model repository of Triton's,
    "ray-serve" for an application of Ray Serve's, "huggingface" for what ``save_pretrained``
    writes, "sklearn" for joblib's files. Files below ``code/`` and ``variables/`` do not count.
    """
    found: dict[str, None] = {}
    paths = [PurePosixPath(name) for name in names]
    folders = {path.parent for path in paths if path.name in _CONFIGS and _counts(path)}
    if any(path.parent in folders and _PRETRAINED.fullmatch(path.name) for path in paths):
        found["huggingface"] = None
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
_CONFIGS = ("config.json", "model_index.json")
_PRETRAINED = re.compile(
    r"(model|pytorch_model)[^/]*[.](safetensors|bin)(?:[.]index[.]json)?|tf_model[.]h5|"
    r"model_index[.]json"
)
_FILES = {
    "neo": ("compiled.params", "compiled_model.json", "compiled.so", "dlr.h"),
    "sagemaker-tritonserver": ("*/config.pbtxt", "*/[0-9]*/model.onnx"),
    "tensorflow": ("saved_model.pb", "saved_model.pbtxt", "*.pb", "*.pbtxt"),
    "pytorch": ("*.pth", "*.pt"),
    "mxnet": ("*-symbol.json", "*.params"),
    "onnx": ("*.onnx",),
    "keras": ("*.keras", "*.h5"),
    "xgboost": ("*.model", "xgboost-model", "*.ubj"),
    "sklearn": ("*.joblib",),
}
