"""The time zones that there are, by the names of the IANA database."""

from __future__ import annotations

from functools import cache

from sagemaker_serving.catalog.snapshot import snapshot


@cache
def time_zones() -> frozenset[str]:
    """Every zone's name, such as ``Europe/Berlin`` or ``UTC``, and every other name that it has.

    Whether AWS takes the others too is unverified: it says "canonical names". Source:
    ``data/time_zones.json``.
    """
    areas: dict[str, list[str]] = snapshot("time_zones")["areas"]
    return frozenset(
        f"{area}/{name}" if area else name for area, names in areas.items() for name in names
    )
