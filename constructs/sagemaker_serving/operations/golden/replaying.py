"""Asking golden requests again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange
from sagemaker_serving.errors import Problem, ProblemsFound
from sagemaker_serving.operations.golden.comparing import DEFAULT_TOLERANCE, differences
from sagemaker_serving.operations.golden.senders import Send


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """An exchange, the answer that came now, and what is different in it, the worst first."""

    exchange: Exchange
    answer: Answer
    differences: tuple[str, ...]


def replay(
    exchanges: Sequence[Exchange], send: Send, tolerance: float = DEFAULT_TOLERANCE
) -> Iterator[Replayed]:
    """Send each request and compare its answer, one after the other.

    Raises `ProblemsFound` before anything is sent when an exchange has nothing
    to compare with, and what ``send`` raises.
    """
    unknown = [exchange for exchange in exchanges if exchange.expected is None]
    if unknown:
        message = "it has no expected_status and no expected body; record them first"
        raise ProblemsFound(
            Problem(rule="golden-file", where=exchange.where, message=message)
            for exchange in unknown
        )
    return _replayed(exchanges, send, tolerance)


def record(exchanges: Iterable[Exchange], send: Send) -> Iterator[Exchange]:
    """Send each request; the exchange with the answer that came."""
    for exchange in exchanges:
        yield replace(exchange, expected=send(exchange.request))


def _replayed(exchanges: Sequence[Exchange], send: Send, tolerance: float) -> Iterator[Replayed]:
    for exchange in exchanges:
        assert exchange.expected is not None
        answer = send(exchange.request)
        found = tuple(differences(exchange.expected, answer, tolerance))
        yield Replayed(exchange=exchange, answer=answer, differences=found)
