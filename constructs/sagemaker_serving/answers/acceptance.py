"""The gate: what of a compiled model misses what it is held to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Protocol

from sagemaker_serving.answers.comparison import Comparison


class Limits(Protocol):
    """What a compiled model is held to; `Acceptance` of an environment file says what each is."""

    @property
    def max_error(self) -> float | None: ...  # noqa: D102

    @property
    def agreement(self) -> float | None: ...  # noqa: D102

    @property
    def speedup(self) -> float | None: ...  # noqa: D102


def misses(accept: Limits, comparison: Comparison, speedup: float | None) -> Iterator[str]:
    """What is missed, in a sentence each; nothing where the model is accepted.

    ``speedup`` is how many times as fast the p50 is, None where nothing was measured.
    """
    largest, agreement = comparison.max_error, comparison.agreement
    if accept.max_error is not None and largest > accept.max_error:
        worst = max(comparison.outputs, key=lambda name: comparison.outputs[name].max)
        yield f"max_error is {shown_error(largest)} at {worst}; {accept.max_error:g} is allowed"
    if accept.agreement is not None and agreement is None:
        yield "agreement is unknown: no answer has a list of scores; leave it out, or send others"
    elif accept.agreement is not None and agreement is not None and agreement < accept.agreement:
        yield (
            f"agreement is {agreement:.4%} ({comparison.agreeing} of {comparison.rows} rows); "
            f"{accept.agreement:.4%} is wanted"
        )
    if accept.speedup is not None and (speedup is None or speedup < accept.speedup):
        found = "unknown" if speedup is None else f"{speedup:.2f}"
        yield f"speedup is {found}; {accept.speedup:g} is wanted"


def shown_error(size: float) -> str:
    """An error as people read it; infinite is another form of answer."""
    return "another form" if math.isinf(size) else f"{size:.3g}"
