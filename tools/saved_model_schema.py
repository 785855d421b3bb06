"""Writes what a SavedModel may be made of, as TensorFlow's own protocol buffers say.

``python -m tools.saved_model_schema`` after a new TensorFlow; it needs the extra ``tensorflow``.
The facts are field numbers and types: ``archive`` reads a SavedModel without TensorFlow.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

TARGET = (
    Path(__file__).parents[1] / "constructs/sagemaker_serving/archive/data/saved_model_schema.json"
)

_KINDS = {
    1: "fixed64",  # double
    2: "fixed32",  # float
    3: "varint",  # int64
    4: "varint",  # uint64
    5: "varint",  # int32
    6: "fixed64",
    7: "fixed32",
    8: "bool",
    9: "string",
    11: "message",
    12: "bytes",
    13: "varint",  # uint32
    14: "varint",  # enum
    15: "fixed32",  # sfixed32
    16: "fixed64",  # sfixed64
    17: "varint",  # sint32
    18: "varint",  # sint64
}
"""google.protobuf.descriptor.FieldDescriptor's TYPE_* by what they are on the wire."""


def main() -> None:
    """Write the data file."""
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text(), encoding="utf-8")


def text() -> str:
    """The data file: a line for each message, its fields by their numbers."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    from importlib.metadata import version

    from tensorflow.core.protobuf import saved_model_pb2

    messages: dict[str, dict[str, str]] = {}
    _gather(saved_model_pb2.SavedModel.DESCRIPTOR, messages)
    lines = [f"  {json.dumps(name)}: {json.dumps(fields)}" for name, fields in messages.items()]
    head = json.dumps({"tensorflow": version("tensorflow-cpu")})[1:-1]
    return f'{{\n {head},\n "messages": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def _gather(message: Any, messages: dict[str, dict[str, str]]) -> None:
    """``number: kind``; a list's kind begins with ``*``, a map's with ``%``.

    A message's kind is its name; numbers that once were fields are "any".
    """
    name = _short(message)
    if name in messages:
        return
    fields = messages[name] = {}
    for field in sorted(message.fields, key=lambda field: field.number):
        inner = field.message_type
        kind = _KINDS[field.type] if inner is None else _short(inner)
        is_map = inner is not None and inner.GetOptions().map_entry
        fields[str(field.number)] = ("%" if is_map else "*" if field.is_repeated else "") + kind
        if inner is not None:
            _gather(inner, messages)
    told = import_module("google.protobuf.descriptor_pb2").DescriptorProto()
    message.CopyToProto(told)
    for reserved in told.reserved_range:
        if reserved.end - reserved.start < 100:
            fields |= {str(n): "any" for n in range(reserved.start, reserved.end)}


def _short(message: Any) -> str:
    return str(message.full_name).removeprefix("tensorflow.")


if __name__ == "__main__":
    main()
