"""How Step Functions writes the answers of AWS's APIs into a state's output."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from botocore.response import StreamingBody


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
