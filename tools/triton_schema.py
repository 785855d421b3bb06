"""Writes what a config.pbtxt may say, as Triton's own protocol buffers have it.

``python -m tools.triton_schema PATH`` takes ``tritonclient/grpc/model_config_pb2.py`` of an
unpacked tritonclient wheel (pypi.org/project/tritonclient). The facts are fields and their kinds.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "constructs/sagemaker_serving/archive/data/triton_schema.json"
_FLOATS = (1, 2)
_KINDS = {8: "bool", 9: "string", 12: "string"}
"""google.protobuf.descriptor.FieldDescriptor's TYPE_*; all others are whole numbers."""


def main(path: str) -> None:
    """Write the data file."""
    spec = importlib.util.spec_from_file_location("model_config_pb2", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Any] = {}
    _gather(module.ModelConfig.DESCRIPTOR, found)
    lines = (f" {json.dumps(name)}: {json.dumps(kinds)}" for name, kinds in found.items())
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"protobuf {version('protobuf')}: {len(found)} messages and enums")


def _gather(message: Any, found: dict[str, Any]) -> None:
    if _name(message) in found:
        return
    found[_name(message)] = fields = {}
    for field in message.fields:
        kind = "float" if field.type in _FLOATS else _KINDS.get(field.type, "int")
        if field.enum_type is not None:
            kind = _name(field.enum_type)
            found[kind] = [value.name for value in field.enum_type.values]
        elif field.message_type is not None:
            kind = _name(field.message_type)
            _gather(field.message_type, found)
        fields[field.name] = f"*{kind}" if field.is_repeated else kind


def _name(kind: Any) -> str:
    name: str = kind.full_name
    return name.removeprefix("inference.")


if __name__ == "__main__":
    main(sys.argv[1])
