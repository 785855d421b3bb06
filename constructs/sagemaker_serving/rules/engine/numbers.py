"""What rules say of a number outside its range."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.numbers import LARGEST


def at_least(fact: Fact, low: float, high: float = LARGEST) -> Iterator[Finding]:
    """A finding when the number is below ``low``, or larger than AWS's numbers are."""
    if fact.number is not None and fact.number < low:
        yield fact.says(f"is {fact.value}; it must be at least {low}; use {low} or more")
    elif fact.number is not None and fact.number > high:
        yield fact.says(f"is {fact.value}; it must be at most {high}; use a smaller one")


def between(fact: Fact, low: float, high: float) -> Iterator[Finding]:
    """A finding when the number is outside ``low`` to ``high``."""
    if fact.number is not None and not low <= fact.number <= high:
        nearest = low if fact.number < low else high
        yield fact.says(f"is {fact.value}; it must be {low} to {high}; use {nearest}")


def not_below(most: Fact, least: Fact) -> Iterator[Finding]:
    """A finding when a maximum is below its minimum."""
    if least.number is not None and most.number is not None and most.number < least.number:
        yield most.says(
            f"is {most.value} and {least.name} is {least.value}; the maximum can't be below the "
            f"minimum; use at least {least.value}"
        )
