"""A handler that every check lets pass, and no worker of the container can load."""

from __future__ import annotations

raise RuntimeError("this version is broken on purpose")


def handler(data: object, context: object) -> tuple[bytes, str]:
    return b"", "application/json"
