"""What was compiled from a TorchScript, called like the module that it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.compiled import CompiledModel, compiled_folder


def compiled_model_fn(model_dir: Path) -> Callable[[str], Any] | None:
    """A ``model_fn`` that loads what was compiled; None where nothing was."""
    compiled = compiled_folder(model_dir)
    return None if compiled is None else lambda _: CompiledModule(compiled)


class CompiledModule:
    """Tensors in, a tensor or a tuple of them out; it stays on this machine's processor."""

    def __init__(self, compiled: Path) -> None:
        self._model = CompiledModel(compiled)

    def __call__(self, *inputs: Any) -> Any:
        """Raises `WrongInputs` for other sizes than it was compiled for."""
        import torch

        names, types = self._model.input_names, self._model.input_types
        given = {
            name: tensor.cpu().numpy().astype(types[name])
            for name, tensor in zip(names, inputs, strict=True)
        }
        outputs = tuple(torch.from_numpy(array) for array in self._model.run(given))
        return outputs[0] if len(outputs) == 1 else outputs

    def to(self, _device: Any) -> CompiledModule:
        """Itself, on whatever device."""
        return self

    def eval(self) -> CompiledModule:
        """Itself: it learns nothing more."""
        return self
