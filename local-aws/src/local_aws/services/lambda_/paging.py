"""Lists of Lambda's API, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError


def page(member: str, items: list[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """One page of a list: MaxItems (50 by default, as in Lambda) from Marker on.

    Raises AwsError InvalidParameterValueException for a Marker that no earlier page gave.
    """
    marker = given.get("Marker") or "0"
    if not marker.isdecimal():
        raise AwsError("InvalidParameterValueException", f"Invalid Marker: '{marker}'")
    start = int(marker)
    end = start + given.get("MaxItems", 50)
    following = {"NextMarker": str(end)} if end < len(items) else {}
    return {member: items[start:end], **following}
