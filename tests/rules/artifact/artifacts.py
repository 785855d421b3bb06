"""The right model, and models made wrong or right by what they hold."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.models import saved_model

MODEL = "digits/1/saved_model.pb"
SCRIPT = "code/inference.py"
GOOD = b"def handler(data, context):\n    return data, 'text/plain'\n"


@dataclass(frozen=True)
class Model:
    """What lies on disk, a folder's files or an archive's bytes, and what the file says of it.

    ``container`` are fields of the model, ``variant`` of its variant, ``environment`` of the
    environment.
    """

    content: Mapping[str, bytes] | bytes | None
    container: Mapping[str, Any] = field(default_factory=dict)
    variant: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)


RIGHT = Model({MODEL: saved_model()})


def pytorch(source: str, files: Mapping[str, bytes] | None = None) -> Model:
    return Model(
        {SCRIPT: source.encode(), **({"model.pth": b""} if files is None else files)},
        {"framework": "pytorch", "framework_version": "2.0"},
    )


def compiled(
    to_framework: str,
    *names: str,
    device: str = "ml_c5",
    content: Mapping[str, bytes] | None = None,
    **more: Any,
) -> Model:
    return Model(
        {**dict.fromkeys(names, b""), **(content or {})},
        {"framework": to_framework},
        {"compile": {"target_device": device, **more}},
    )


def torch_file(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in names:
            file.writestr(f"model/{name}", b"x")
    return packed.getvalue()


TRACED = torch_file("data.pkl", "code/__torch__.py", "constants.pkl")
