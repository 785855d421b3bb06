"""Reads the snapshots that stand beside this file, each once."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def snapshot(name: str) -> dict[str, Any]:
    """The snapshot ``data/<name>.json``; its ``sources`` say where the facts come from."""
    path = files("sagemaker_serving.catalog") / "data" / f"{name}.json"
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return facts
