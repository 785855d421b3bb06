"""What rules say of a number outside its range, and which text is a number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding
from sagemaker_serving.rules.facts import Fact

LARGEST = 2**31 - 1
"""What a number of AWS's is at most where nothing else is said: botocore's ``integer`` has 32
bits."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def at_least(fact: Fact, low: float, high: float = LARGEST) -> Iterator[Finding]:
    """A finding when the number is below ``low``, or larger than AWS's numbers are."""
    if fact.number is not None and fact.number < low:
        yield (
            fact.where,
            f"{fact.name} is {fact.value}; it must be at least {low}; use {low} or more",
        )
    elif fact.number is not None and fact.number > high:
        yield (
            fact.where,
            f"{fact.name} is {fact.value}; it must be at most {high}; use a smaller one",
        )


def between(fact: Fact, low: float, high: float) -> Iterator[Finding]:
    """A finding when the number is outside ``low`` to ``high``."""
    if fact.number is not None and not low <= fact.number <= high:
        nearest = low if fact.number < low else high
        yield (
            fact.where,
            f"{fact.name} is {fact.value}; it must be {low} to {high}; use {nearest}",
        )


def not_below(most: Fact, least: Fact) -> Iterator[Finding]:
    """A finding when a maximum is below its minimum."""
    if least.number is not None and most.number is not None and most.number < least.number:
        yield (
            most.where,
            f"{most.name} is {most.value} and {least.name} is {least.value}; the maximum can't "
            f"be below the minimum; use at least {least.value}",
        )


def whole_number(text: str) -> int | None:
    """The whole number that a text is; None for what is none, or does not fit into 64 bits.

    Digits are 0 to 9, without blanks and underscores: servers in C++ and Java read no others.
    """
    number = int(text) if _WHOLE.fullmatch(text) is not None else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def decimal_number(text: str) -> float | None:
    """The number that a text is, perhaps with a point or an exponent; None for what is none."""
    return float(text) if _DECIMAL.fullmatch(text) is not None else None
