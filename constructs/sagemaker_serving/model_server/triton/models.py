"""A model of a repository, loaded into onnxruntime: its config completed and held against it."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sagemaker_serving.archive import OnnxModel, Tensor
from sagemaker_serving.archive.pbtxt import BadConfig, Block, read_config
from sagemaker_serving.archive.triton import (
    CONFIG,
    DEFAULT_MODEL,
    ONNXRUNTIME,
    BadRepository,
    TensorConfig,
    backend_of,
    completed,
    config_problems,
    loaded_model,
    model_file,
)
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.neo.engines import require_engine

log = logging.getLogger("front")

TYPES = {
    "BOOL": "bool",
    "FP16": "float16",
    "FP32": "float32",
    "FP64": "float64",
    "BYTES": "object",
    **{
        f"{sign}INT{bits}": f"{sign}int{bits}".lower()
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    },
}
"""numpy's names of the protocol's types."""

_NOT_HERE = (
    *("ensemble_scheduling", "sequence_batching", "batch_input", "batch_output"),
    *("model_transaction_policy", "model_operations", "model_repository_agents"),
)
"""Fields of a config that change what a model answers, and that nothing here carries out."""


def load_default(repository: Path, environ: Mapping[str, str]) -> OnnxRuntimeModel:
    """The one model that the image loads from ``/opt/ml/model``; raises `Mistake`."""
    files = [path.relative_to(repository).as_posix() for path in repository.rglob("*")]
    folders = [f"{path.name}/" for path in repository.iterdir() if path.is_dir()]
    try:
        name = loaded_model([*files, *folders], environ.get(DEFAULT_MODEL))
    except BadRepository as problem:
        raise Mistake(f"Triton's image ends: {problem}") from None
    return load_model(repository / name, name)


def load_target(folder: Path, name: str) -> OnnxRuntimeModel:
    """One model of many: the folder itself where it has a config, else the folder in it."""
    if (folder / CONFIG).is_file():
        return load_model(folder, folder.name, shown=name)
    (inside, *_) = [path for path in sorted(folder.iterdir()) if path.is_dir()] or [folder]
    return load_model(inside, inside.name, shown=name)


def load_model(folder: Path, name: str, *, shown: str | None = None) -> OnnxRuntimeModel:
    """The model in ``folder``, which answers as ``shown``; raises `Mistake`, and why.

    Only the onnxruntime backend is here.
    """
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    config_path = folder / CONFIG
    try:
        config = read_config(config_path.read_text("utf-8", "replace") if CONFIG in files else "")
        backend = backend_of(config, files)
        if backend != ONNXRUNTIME:
            raise BadRepository(
                f"it needs Triton's backend {backend or 'of a config.pbtxt'!r}, which this machine "
                "does not have; here are served models of onnxruntime"
            )
        for field in _NOT_HERE:
            if field in config:
                raise BadRepository(f"its config has {field}, which the local AWS does not do")
        version, file = model_file(config, files)
        return OnnxRuntimeModel(folder / file, config, name, shown or name, version)
    except (BadConfig, BadRepository) as problem:
        place = f"{name}/{CONFIG} " if isinstance(problem, BadConfig) else ""
        raise Mistake(f"failed to load {name!r}: {place}{problem}") from None


class TritonError(Exception):
    """An answer ``{"error": …}``; 400 unless told otherwise."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class OnnxRuntimeModel:
    """A loaded model: ``name`` and ``version`` are what its answers say."""

    def __init__(self, path: Path, config: Block, folder: str, name: str, version: int) -> None:
        require_engine("onnxruntime", "ONNX")
        import onnxruntime

        try:
            self._session = onnxruntime.InferenceSession(
                str(path), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its exceptions have no base of their own
            raise BadRepository(f"onnxruntime does not load {path.name}: {error}") from None
        self._model = OnnxModel(
            inputs=_tensors(self._session.get_inputs()),
            outputs=_tensors(self._session.get_outputs()),
        )
        for line, problem in config_problems(config, folder, self._model):
            raise BadConfig(f"line {line}: {problem}")
        self.name, self.version = name, version
        self.config = completed(config, self._model)
        log.info(
            "loaded %s version %d, max_batch_size %d", name, version, self.config.max_batch_size
        )

    def run(self, inputs: Mapping[str, Any], outputs: Sequence[TensorConfig]) -> list[Any]:
        """The outputs as arrays, of inputs that fit the config.

        Raises `TritonError` for what the model itself refuses.
        """
        configs = {each.name: each for each in self.config.inputs}
        given = {name: self._to_model(configs[name], array) for name, array in inputs.items()}
        try:
            found = self._session.run([each.name for each in outputs], given)
        except Exception as error:  # as above
            text = re.sub(
                r"^\[ONNXRuntimeError\] : (\d+) : \w+ : ", r"onnx runtime error \1: ", str(error)
            )
            raise TritonError(text) from None
        return [self._to_answer(io, array) for io, array in zip(outputs, found, strict=True)]

    def _to_model(self, io: TensorConfig, array: Any) -> Any:
        if self._model.inputs[io.name].shape == ():
            return array.reshape(())
        return _reshaped(array, self._batch(array), io.dims, io.reshape)

    def _to_answer(self, io: TensorConfig, array: Any) -> Any:
        if io.reshape is not None:
            return _reshaped(array, self._batch(array), io.reshape, io.dims)
        return array.reshape(io.dims) if array.ndim == 0 else array

    def _batch(self, array: Any) -> tuple[int, ...]:
        return array.shape[:1] if self.config.max_batch_size else ()


def _reshaped(
    array: Any, batch: tuple[int, ...], had: Sequence[int], wanted: Sequence[int] | None
) -> Any:
    """In the ``wanted`` shape; its open sizes are, in their order, those that ``had`` has open."""
    if wanted is None:
        return array
    own = array.shape[len(batch) :]
    open_sizes = iter([size for size, known in zip(own, had, strict=True) if known == -1])
    return array.reshape(*batch, *(next(open_sizes) if size == -1 else size for size in wanted))


def _tensors(found: Sequence[Any]) -> dict[str, Tensor]:
    names = {f"tensor({numpy})": name for name, numpy in TYPES.items()}
    names |= {"tensor(float)": "FP32", "tensor(double)": "FP64", "tensor(string)": "BYTES"}
    return {
        each.name: Tensor(
            dtype=names.get(each.type, ""),
            shape=tuple(size if isinstance(size, int) else None for size in each.shape),
        )
        for each in found
    }
