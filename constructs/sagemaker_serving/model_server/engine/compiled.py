"""A SavedModel whose default signature runs as it was compiled; all else of it as it was."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.compiled import CompiledModel, WrongInputs
from sagemaker_serving.model_server.engine.servables import LoadFailed, SavedModel
from sagemaker_serving.model_server.engine.signatures import DEFAULT_SIGNATURE
from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import Array


class CompiledSavedModel(SavedModel):
    """Calls of what was compiled go to OpenVINO, other signatures and tensors to TensorFlow."""

    def __init__(self, path: Path, compiled: Path, *, inter_op: int, intra_op: int) -> None:
        super().__init__(path, inter_op=inter_op, intra_op=intra_op)
        try:
            self._compiled = CompiledModel(compiled, threads=intra_op)
        except ReportedError as error:
            raise LoadFailed(str(error)) from None
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise LoadFailed(f"{compiled} cannot be loaded: {reason}") from None
        self.compiled_by = self._compiled.name
        signature = self.signatures.get(DEFAULT_SIGNATURE)
        infos = {} if signature is None else {**signature.inputs, **signature.outputs}
        # OpenVINO calls inputs and outputs as the signature does, this engine by their tensors.
        self._names = {info.tensor: name for name, info in infos.items()}

    def run(
        self, feeds: Mapping[str, Array], fetches: tuple[str, ...], *, here: bool = False
    ) -> dict[str, Array]:
        """One call, by tensor name; raises `StatusError`. Safe in any thread."""
        inputs = {self._names.get(tensor, ""): array for tensor, array in feeds.items()}
        outputs = {tensor: self._names.get(tensor, "") for tensor in fetches}
        if not self._compiled.knows(set(inputs), set(outputs.values())):
            return super().run(feeds, fetches, here=here)
        try:
            found: list[Any] = self._compiled.run(inputs)
        except WrongInputs as error:
            raise invalid(str(error)) from None
        return {
            tensor: np.asarray(found[self._compiled.output(name)])
            for tensor, name in outputs.items()
        }
