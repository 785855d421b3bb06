"""The AWS query protocol from the server's side, driven by botocore's service model.

A request is a flat form (``Parameters.member.1.ParameterKey=Name``); an answer
is XML. Both follow the shapes that botocore ships, so no action is written by
hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape

from sagemaker_serving.local.protocol import AwsError

Form = dict[str, Any]
"""A request's keys split at their dots: ``{"Parameters": {"member": {"1": …}}}``."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@lru_cache(maxsize=1)
def service_model() -> Any:
    """CloudFormation as botocore describes it (50 ms, once per process)."""
    import botocore.session

    return botocore.session.get_session().get_service_model("cloudformation")


def read_request(action: str, form: Mapping[str, str]) -> dict[str, Any]:
    """The typed input of ``action``.

    Raises AwsError ``InvalidAction`` when CloudFormation has no such action, and
    ``ValidationError`` when a required member is absent or a scalar has the wrong type.
    """
    if action not in service_model().operation_names:
        raise AwsError("InvalidAction", f"Could not find operation {action}")
    shape = service_model().operation_model(action).input_shape
    if shape is None:
        return {}
    values = _structure(shape, _tree(form))
    for member in shape.required_members:
        if member not in values:
            raise AwsError(
                "ValidationError",
                f"1 validation error detected: Value null at '{member[0].lower()}{member[1:]}' "
                "failed to satisfy constraint: Member must not be null",
            )
    return values


def write_answer(action: str, result: Mapping[str, Any]) -> str:
    """The XML body of a successful answer; members whose value is None are left out."""
    model = service_model()
    shape = model.operation_model(action).output_shape
    body = ""
    if shape is not None:
        wrapper = shape.serialization.get("resultWrapper", f"{action}Result")
        body = f"<{wrapper}>{_members(shape, result)}</{wrapper}>"
    namespace = model.metadata["xmlNamespace"]
    return (
        f'<{action}Response xmlns="{namespace}">{body}'
        f"<ResponseMetadata><RequestId>{uuid4()}</RequestId></ResponseMetadata>"
        f"</{action}Response>"
    )


def _tree(form: Mapping[str, str]) -> Form:
    root: Form = {}
    for key, value in form.items():
        *path, last = key.split(".")
        node = root
        for step in path:
            below = node.setdefault(step, {})
            if not isinstance(below, dict):
                raise AwsError("MalformedQueryString", f"{key} is given twice")
            node = below
        node[last] = value
    return root


def _value(shape: Any, node: Any, name: str) -> Any:
    match shape.type_name:
        case "structure":
            return _structure(shape, node)
        case "list":
            return _list(shape, node, name)
        case "map":
            entries = _list_nodes(node, "entry")
            return {
                entry["key"]: _value(shape.value, entry.get("value", ""), name) for entry in entries
            }
        case "boolean":
            return str(node).lower() == "true"
        case "integer" | "long":
            try:
                return int(node)
            except (TypeError, ValueError):
                raise AwsError("ValidationError", f"{name} is {node!r}, not a number") from None
        case _:
            return node


def _structure(shape: Any, node: Any) -> dict[str, Any]:
    if not isinstance(node, dict):
        return {}
    return {
        name: _value(member, node[name], name)
        for name, member in shape.members.items()
        if name in node
    }


def _list(shape: Any, node: Any, name: str) -> list[Any]:
    return [_value(shape.member, item, name) for item in _list_nodes(node, "member")]


def _list_nodes(node: Any, step: str) -> list[Any]:
    """The items in the order of their numbers; an empty list travels as an empty string."""
    if not isinstance(node, dict):
        return []
    items = node.get(step, {})
    return [items[number] for number in sorted(items, key=int)] if isinstance(items, dict) else []


def _members(shape: Any, values: Mapping[str, Any]) -> str:
    return "".join(
        _element(name, member, values[name])
        for name, member in shape.members.items()
        if values.get(name) is not None
    )


def _element(name: str, shape: Any, value: Any) -> str:
    return f"<{name}>{_content(shape, value)}</{name}>"


def _content(shape: Any, value: Any) -> str:
    match shape.type_name:
        case "structure":
            return _members(shape, value)
        case "list":
            return "".join(_element("member", shape.member, item) for item in value)
        case "map":
            return "".join(
                f"<entry><key>{_text(key)}</key>{_element('value', shape.value, item)}</entry>"
                for key, item in value.items()
            )
        case "boolean":
            return "true" if value else "false"
        case "timestamp" if isinstance(value, datetime):
            return value.isoformat()
        case _:
            return _text(value)


def _text(value: Any) -> str:
    """Text as XML: what XML 1.0 has no way to carry (a log's colour codes) becomes U+FFFD."""
    return escape(_NOT_XML.sub("\ufffd", str(value)), {"\r": "&#13;"})
