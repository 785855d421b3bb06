"""Lists of Lambda's API, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def page(member: str, items: list[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """One page of a list: MaxItems (50 by default, as in Lambda) from Marker on."""
    start = int(given.get("Marker") or 0)
    end = start + given.get("MaxItems", 50)
    following = {"NextMarker": str(end)} if end < len(items) else {}
    return {member: items[start:end], **following}
