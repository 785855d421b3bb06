"""The loaded models: which servable answers a request, and what GET says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from sagemaker_serving.model_server.engine.examples import ExampleList
from sagemaker_serving.model_server.engine.signatures import Signature, TensorInfo
from sagemaker_serving.model_server.engine.status import Code, StatusError, invalid
from sagemaker_serving.model_server.engine.tensors import Array


class Servable(Protocol):
    """One loaded version of a model."""

    signatures: Mapping[str, Signature]

    def run(
        self, feeds: Mapping[str, Array], fetches: tuple[str, ...], *, here: bool = False
    ) -> dict[str, Array]:
        """One call of the graph, by tensor name; raises `StatusError`. Safe in any thread.

        ``here``: in this thread alone, which for a quick call is quicker.
        """

    def serialized(self, examples: ExampleList) -> Array:
        """The examples as serialized tf.Example protos."""


class Registry:
    """Loaded servables by model name and version number."""

    def __init__(self, models: Mapping[str, Mapping[int, Servable]]) -> None:
        self._models = models

    def find(self, name: str, version: int | None, label: str | None) -> Servable:
        """The servable of a request; without a version, the highest one.

        Raises `StatusError`: 404 for what is not loaded, 400 for a label,
        since the container assigns none.
        """
        if label is not None:
            raise invalid(f"Unrecognized servable version label: {label}")
        versions = self._models.get(name, {})
        wanted = max(versions, default=None) if version is None else version
        if wanted is None or wanted not in versions:
            asked = f"Latest({name})" if version is None else f"Specific({name}, {version})"
            raise StatusError(Code.NOT_FOUND, f"Servable not found for request: {asked}")
        return versions[wanted]

    def versions(self, name: str, version: int | None) -> list[int]:
        """The loaded versions, the highest first, or ``version`` alone; 404 when there is none."""
        versions = self._models.get(name, {})
        if version is not None and version not in versions:
            raise StatusError(Code.NOT_FOUND, f"Could not find version {version} of model {name}")
        if not versions:
            raise StatusError(Code.NOT_FOUND, f"Could not find any versions of model {name}")
        return sorted(versions, reverse=True) if version is None else [version]

    def status(self, name: str, version: int | None) -> str:
        """The status of a model's versions, the highest first; 404 when there is none."""
        shown = self.versions(name, version)
        return _protobuf_json({"model_version_status": [_available(number) for number in shown]})

    def metadata(self, name: str, version: int | None, label: str | None) -> str:
        """The signatures of a servable, in the pieces that TF Serving glues together."""
        servable = self.find(name, version, label)
        number = max(self._models[name]) if version is None else version
        spec = {"name": name, "signature_name": "", "version": str(number)}
        definitions = {
            key: {
                "inputs": {item: _info(info) for item, info in signature.inputs.items()},
                "outputs": {item: _info(info) for item, info in signature.outputs.items()},
                "method_name": signature.method_name,
            }
            for key, signature in servable.signatures.items()
        }
        return (
            f'{{\n"model_spec":{_protobuf_json(spec)},\n'
            f'"metadata": {{"signature_def": '
            f"{_protobuf_json({'signature_def': definitions})}}}\n}}\n"
        )


def _available(version: int) -> dict[str, Any]:
    return {
        "version": str(version),
        "state": "AVAILABLE",
        "status": {"error_code": "OK", "error_message": ""},
    }


def _info(info: TensorInfo) -> dict[str, Any]:
    dimensions = [{"size": str(size), "name": ""} for size in info.shape or ()]
    return {
        "dtype": info.dtype,
        "tensor_shape": {"dim": dimensions, "unknown_rank": info.shape is None},
        "name": info.tensor,
    }


def _protobuf_json(value: object) -> str:
    """JSON as protobuf prints it: one space per level, a newline at the end."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
