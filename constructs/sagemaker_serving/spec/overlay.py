"""How a variant overrides its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def overlay(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``below`` with ``above`` laid over it: mappings join key by key, the rest is replaced.

    None above counts as absent. An artifact is one value, whatever its form:
    it is replaced whole.
    """
    result = dict(below)
    for key, value in above.items():
        if value is None:
            continue
        under = result.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping) and key != "artifact":
            result[key] = overlay(under, value)
        else:
            result[key] = value
    return result
