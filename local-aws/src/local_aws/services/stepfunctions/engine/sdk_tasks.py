"""How ``aws-sdk:*`` tasks of Step Functions ask AWS's APIs, and write what they answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from botocore.response import StreamingBody


def as_request(value: Any, shape: Any) -> Any:
    """A task's parameters as boto3 takes them.

    Members may begin with a capital whatever the API's own spelling. A JSON value stands for
    its text where the API wants text, and for its bytes where it wants a body; so does a text
    that becomes a body, quotes and all, as on AWS.
    """
    kind = getattr(shape, "type_name", "")
    if isinstance(value, dict) and kind == "structure":
        names = {name.casefold(): name for name in shape.members}
        known = {key: names.get(key.casefold(), key) for key in value}
        return {
            known[key]: as_request(member, shape.members.get(known[key]))
            for key, member in value.items()
        }
    if isinstance(value, dict) and kind == "map":
        return {key: as_request(member, shape.value) for key, member in value.items()}
    if isinstance(value, list) and kind == "list":
        return [as_request(member, shape.member) for member in value]
    if kind == "blob" and not isinstance(value, bytes):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    if kind == "string" and not isinstance(value, str):
        return json.dumps(value)
    return value


def as_json(value: Any, shape: Any) -> Any:
    """An answer of boto3 as a state's output has it.

    Members begin with a capital whatever the API's own spelling, times are ISO
    8601 in UTC, bodies are text. Keys of maps are data and stay as they are.
    """
    kind = getattr(shape, "type_name", "")
    if isinstance(value, dict) and kind == "structure":
        return {
            key[:1].upper() + key[1:]: as_json(member, shape.members.get(key))
            for key, member in value.items()
        }
    if isinstance(value, dict):
        return {
            key: as_json(member, getattr(shape, "value", None)) for key, member in value.items()
        }
    if isinstance(value, list):
        return [as_json(member, getattr(shape, "member", None)) for member in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, (StreamingBody, bytes)):
        content = value if isinstance(value, bytes) else value.read()
        return content.decode("utf-8", "replace")
    return value
