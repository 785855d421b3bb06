"""Wrong changes of right environment files, each beside the nearest right one.

What is wrong follows from the JSON Schema, from botocore's service models and from the documented
grammar of schedules and variables, never from this project's rules.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.wrong_environments.bases import BASES, GONE, Change, Pair
from benchmarks.wrong_environments.documented import (
    cron,
    rate,
    time,
    together,
    variable,
    zone,
)
from benchmarks.wrong_environments.schemas import (
    choice,
    missing_field,
    number,
    text,
    unknown_field,
    wrong_type,
)

__all__ = ["BASES", "GONE", "Change", "Pair", "drawn"]


def drawn(seed: int, at: int) -> tuple[str, Pair]:
    """The family's name and the changes that ``at`` stands for."""
    family = _FAMILIES[at % len(_FAMILIES)]
    return family.__name__, family(random.Random(f"{seed}-{at}"))


_FAMILIES: list[Callable[[random.Random], Pair]] = [
    *(unknown_field, missing_field, wrong_type, choice, number, number, text, cron, cron),
    *(rate, time, zone, variable, variable, together, together),
]
