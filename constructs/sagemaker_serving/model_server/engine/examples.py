"""classify and regress: JSON examples as the features of tf.Example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.model_server.engine.documents import is_base64
from sagemaker_serving.model_server.engine.rapidjson import is_whole, members_of
from sagemaker_serving.model_server.engine.shown import shown
from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import decoded, encoded, json_type

_WORDS = {"bytes_list": "bytes", "float_list": "float", "int64_list": "int64"}


@dataclass
class Feature:
    """A feature's values and which of tf.Feature's lists they go to; None while it is empty."""

    kind: str | None = None
    values: list[Any] = field(default_factory=list)


Example = Mapping[str, Feature]


@dataclass(frozen=True)
class ExampleList:
    """The examples of a request, and what they all share (``context``)."""

    examples: list[Example]
    context: Example | None


def request_examples(document: dict[str, Any]) -> ExampleList:
    """The examples in ``document``; raises `StatusError` with TF Serving's text.

    A whole number makes an int64 feature, so ``{"x": 1}`` fails on a model
    that wants a float: write ``1.0``.
    """
    context = _example(document["context"]) if "context" in document else None
    if "examples" not in document:
        raise invalid(
            f"JSON Value: {shown(document)} When method is classify, key 'examples'"
            " is expected and was not found"
        )
    examples = document["examples"]
    if not isinstance(examples, list):
        raise invalid(
            f"JSON Value: {shown(document)} Expecting 'examples' value to be an list/array"
        )
    if not examples:
        raise invalid(f"JSON Value: {shown(document)} 'examples' value is an empty array")
    return ExampleList([_example(example) for example in examples], context)


def _example(value: object) -> Example:
    if not isinstance(value, dict):
        raise invalid(f"Example must be JSON object but got JSON {json_type(value)}")
    # Of equal keys the last one counts, here alone: each is put into a map.
    return {name: _feature(name, content) for name, content in members_of(value)}


def _feature(name: str, content: object) -> Feature:
    feature = Feature()
    for value in content if isinstance(content, list) else [content]:
        kind, plain = _typed(name, value)
        if feature.kind not in (None, kind):
            raise invalid(
                f"Unexpected element type in feature: {name} "
                f"expecting type: {_WORDS[str(feature.kind)]}"
            )
        feature.kind = kind
        feature.values.append(plain)
    return feature


def _typed(name: str, value: object) -> tuple[str, object]:
    if isinstance(value, str):
        return "bytes_list", encoded(value)
    if is_base64(value):
        return "bytes_list", decoded(value)
    if isinstance(value, int) and is_whole(value):
        if value >= 2**63:
            raise invalid(f"Feature: {name} has uint64_t element. Only int64_t is supported.")
        return "int64_list", int(value)
    if isinstance(value, int | float):
        return "float_list", float(value)
    raise invalid(f"Feature: {name} has element with unexpected JSON type: {json_type(value)}")
