"""What runs a model in the place of Neo's runtime."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.compiled import CompiledModel


class Engine(Protocol):
    """A model that is loaded."""

    input_names: tuple[str, ...]

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs, as numpy arrays."""


class OnnxEngine:
    """An .onnx file in onnxruntime, on the CPU."""

    def __init__(self, model_dir: Path) -> None:
        require_engine("onnxruntime", "ONNX")
        import numpy
        import onnxruntime

        self._session = onnxruntime.InferenceSession(
            _only(model_dir, ".onnx"), providers=["CPUExecutionProvider"]
        )
        inputs = self._session.get_inputs()
        self.input_names = tuple(entry.name for entry in inputs)
        self._types = {
            entry.name: numpy.dtype(_NUMPY_NAMES.get(entry.type, "float32")) for entry in inputs
        }

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs in the model's order; inputs are cast to the model's types."""
        given = {name: array.astype(self._types[name]) for name, array in inputs.items()}
        return list(self._session.run(None, given))


class OpenvinoEngine:
    """What was compiled from an .onnx file by the stand-in for Neo's compiler."""

    def __init__(self, compiled: Path) -> None:
        self._model = CompiledModel(compiled)
        self.input_names = self._model.input_names

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs in the model's order; inputs are cast to the model's types."""
        types = self._model.input_types
        return self._model.run({name: array.astype(types[name]) for name, array in inputs.items()})


class XgboostEngine:
    """An XGBoost model of one input, the rows; its output has two dimensions."""

    input_names: tuple[str, ...] = ("data",)

    def __init__(self, model_dir: Path) -> None:
        require_engine("xgboost", "XGBoost")
        import xgboost

        self._xgboost = xgboost
        self._booster = xgboost.Booster(model_file=_only(model_dir, ".model", ".json", ".ubj"))

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The predictions, a row for each row."""
        answers = self._booster.inplace_predict(inputs["data"])
        return [answers.reshape(len(answers), -1)]


_NUMPY_NAMES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    **{f"tensor({name})": name for name in ("int8", "int16", "int32", "int64", "bool")},
    **{f"tensor({name})": name for name in ("uint8", "uint16", "uint32", "uint64")},
    "tensor(string)": "object",
}


def require_engine(package: str, framework: str) -> None:
    """Raise `Mistake`, with what to install, where ``package`` is missing."""
    if importlib.util.find_spec(package) is None:
        raise Mistake(
            f"this machine has no engine for {framework} models; "
            f"pip install 'sagemaker-serving[{package}]'"
        )


def _only(model_dir: Path, *suffixes: str) -> str:
    files = sorted(path for path in model_dir.iterdir() if path.suffix in suffixes)
    if len(files) != 1:
        found = ", ".join(path.name for path in files) or "none"
        raise Mistake(f"exactly one {' or '.join(suffixes)} file is served; found: {found}")
    return str(files[0])
