"""A first request to a model: nothing but zeros, in the form that its server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sagemaker_serving.archive import TRITON, ArchiveContents, Tensor, TorchScript, neo_inputs

_MOST_NUMBERS = 16
"""Of a request that stands in a command line."""


def inputs_of(contents: ArchiveContents) -> Mapping[str, Tensor] | None:
    """What the only model takes by name; None where that is not known, or is inference.py's."""
    if contents.script is not None:
        return None
    found = _inputs(contents)
    unknown = found is None or _are_examples(contents, found) or takes_parts(contents)
    return None if unknown else found


def usual_request(contents: ArchiveContents, framework: str) -> str | None:
    """A request, as `predict` takes it, that this image's own functions read; None where a script's
    may read another, and for images whose requests follow from the model alone."""
    own = contents.script is None or not any(map(contents.script.defines, _READ_REQUESTS))
    if own and framework == "xgboost" and (features := features_of(contents)) is not None:
        row = ",".join(["0.0"] * features)
        return f"'{row}' --content-type text/csv" if features <= _MOST_NUMBERS * 2 else None
    return _USUAL.get(framework) if own else None


def features_of(contents: ArchiveContents) -> int | None:
    """How many numbers a row of the only model of XGBoost's has, where its file tells."""
    found = [model.features for model in contents.xgboost.values() if model is not None]
    return found[0] if len(found) == 1 else None


_READ_REQUESTS = ("input_fn", "transform_fn")
_USUAL = {
    "sklearn": "'[[0.0, 0.0]]'",
    "xgboost": "'0.0,0.0' --content-type text/csv",
    "huggingface": """'{"inputs": "a text"}'""",
}
"""Rows are of two features where the model does not tell how many it has: `init` says so."""


def takes_examples(contents: ArchiveContents) -> bool:
    """Whether it may take serialized ``tf.train.Example``: strings, in a graph that parses them."""
    return _are_examples(contents, _inputs(contents) or {"": Tensor(dtype="string", shape=None)})


def takes_parts(contents: ArchiveContents) -> bool:
    """Whether it may take the parts of ragged or sparse tensors."""
    return any(model.takes_parts for model in contents.saved_models.values() if model)


def _are_examples(contents: ArchiveContents, inputs: Mapping[str, Tensor]) -> bool:
    parses = any(model.parses_examples for model in contents.saved_models.values() if model)
    return parses and any(tensor.dtype == "string" for tensor in inputs.values())


def _inputs(contents: ArchiveContents) -> Mapping[str, Tensor] | None:
    known: list[Mapping[str, Tensor] | None] = [
        neo_inputs(contents),
        *(model.inputs for model in contents.onnx.values() if model is not None),
        *(model.inputs for model in contents.keras.values() if model is not None),
        *(_example(model) for model in contents.traced.values() if model is not None),
    ]
    found = [inputs for inputs in known if inputs]
    return found[0] if len(found) == 1 else None


def _example(model: TorchScript) -> Mapping[str, Tensor]:
    """What it was traced with, where each argument is a tensor."""
    if len(model.example) != len(model.arguments):
        return {}
    return dict(zip(model.arguments, model.example, strict=True))


def request_of(inputs: Mapping[str, Tensor], framework: str) -> str | None:
    """JSON that the image of ``framework`` takes; None for text, and for more than a line holds.

    Open sizes are 1. TensorFlow Serving's is its predict API, with one example; Triton's is the v2
    inference protocol, PyTorch's the tensor itself.
    """
    shapes = {name: _sizes(tensor) for name, tensor in inputs.items()}
    if framework == TRITON:
        body: Any = {
            "inputs": [
                {
                    "name": name,
                    "shape": shapes[name],
                    "datatype": tensor.dtype,
                    "data": _zeros(shapes[name], tensor.dtype),
                }
                for name, tensor in inputs.items()
            ]
        }
    elif framework == "tensorflow":
        example = {n: _zeros(shapes[n][1:], tensor.dtype) for n, tensor in inputs.items()}
        body = {"instances": [next(iter(example.values())) if len(example) == 1 else example]}
    elif framework in ("pytorch", "ray-serve") and len(inputs) == 1:
        body = next(_zeros(shapes[name], tensor.dtype) for name, tensor in inputs.items())
    else:
        return None
    text = json.dumps(body)
    return text if text.count("0") <= _MOST_NUMBERS * 2 else None


def _sizes(tensor: Tensor) -> list[int]:
    return [1 if size is None else size for size in tensor.shape or ()]


def _zeros(sizes: Sequence[int], dtype: str) -> Any:
    if sizes:
        return [_zeros(sizes[1:], dtype) for _ in range(sizes[0])]
    if dtype in ("string", "BYTES"):
        return "text"
    if dtype.lower() == "bool":
        return False
    return 0 if dtype.lower().startswith(("int", "uint")) else 0.0
