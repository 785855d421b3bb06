"""What can be set of the local AWS by environment variables."""

from __future__ import annotations

import math
from collections.abc import Mapping

from local_aws.errors import Mistake
from local_aws.program import program

PAGE = "/_local/settings"
"""Takes variables while it runs, as a JSON object, for services that take them so."""


def time_scale_variable() -> str:
    """The variable that sets `time_scale`, by the program that was called: LOCAL_AWS_TIME_SCALE."""
    return program().variable("time_scale")


def strict_variable() -> str:
    """The variable that sets `strict`, by the program that was called: LOCAL_AWS_STRICT."""
    return program().variable("strict")


def time_scale(environment: Mapping[str, str]) -> float:
    """How many seconds of AWS's own waits pass in one real second: 1 unless it is set.

    Raises `Mistake` for what is no positive number.
    """
    scale = positive_number(environment, time_scale_variable())
    return 1.0 if scale is None else scale


def strict(environment: Mapping[str, str]) -> bool:
    """Whether templates are refused for what would only be kept of them: not unless it is 1.

    Raises `Mistake` for any value but 0 and 1.
    """
    value = environment.get(strict_variable(), "") or "0"
    if value not in ("0", "1"):
        raise Mistake(f"{strict_variable()} is '{value}'; it must be 0 or 1")
    return value == "1"


def positive_number(environment: Mapping[str, str], name: str) -> float | None:
    """The variable of that name; None when it is not set. Raises `Mistake` for any other value."""
    text = environment.get(name, "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise Mistake(f"{name} is '{text}'; it must be a number above 0")
    return value
