"""What rules say of a number outside its range."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding
from sagemaker_serving.rules.facts import Fact


def at_least(fact: Fact, low: float) -> Iterator[Finding]:
    """A finding when the number is below ``low``."""
    if fact.number is not None and fact.number < low:
        yield (
            fact.where,
            f"{fact.name} is {fact.value}; it must be at least {low}; use {low} or more",
        )


def between(fact: Fact, low: float, high: float) -> Iterator[Finding]:
    """A finding when the number is outside ``low`` to ``high``."""
    if fact.number is not None and not low <= fact.number <= high:
        nearest = low if fact.number < low else high
        yield (
            fact.where,
            f"{fact.name} is {fact.value}; it must be {low} to {high}; use {nearest}",
        )
