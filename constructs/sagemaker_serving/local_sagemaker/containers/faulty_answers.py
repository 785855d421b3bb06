"""Faults between SageMaker and a model's server: slow, dead, failing or garbled answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from itertools import islice

from local_aws.faults.fault import DEFAULT_STATUS, Kind
from local_aws.faults.registry import Faults
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer

Ask = Callable[[float], ModelAnswer]
"""Asks a model; is given the seconds that are left for an answer."""


def ask_through(
    faults: Faults,
    ask: Ask,
    *,
    operation: str,
    names: tuple[str, ...],
    timeout_seconds: float,
    kill: Callable[[], None] | None = None,
    wait: Callable[[float], object] = time.sleep,
) -> ModelAnswer:
    """What ``ask`` answers, or what the faults that strike make of it.

    ``operation`` and ``names`` are what faults select by. ``kill`` ends the
    model's server, where a fault may; ``wait`` passes the time of a slow one.
    Raises `NoAnswer`.
    """
    if not faults:
        return ask(timeout_seconds)
    left = timeout_seconds
    slow = faults.strike((Kind.SLOW,), "sagemaker-runtime", operation, *names)
    if slow is not None:
        left = timeout_seconds - slow.delay_seconds
        wait(min(slow.delay_seconds, timeout_seconds))
        if left <= 0:
            raise NoAnswer(f"no answer within {timeout_seconds} s", timed_out=True)
    if kill is not None and faults.strike((Kind.KILL,), "sagemaker-runtime", operation, *names):
        kill()
    failing = faults.strike((Kind.MODEL_ERROR,), "sagemaker-runtime", operation, *names)
    if failing is not None:
        return ModelAnswer(
            status=DEFAULT_STATUS if failing.status is None else failing.status,
            headers={"Content-Type": "application/json"},
            body=b'{"error": "a fault that was set with local faults"}',
        )
    answer = ask(left)
    if faults.strike((Kind.CORRUPT,), "sagemaker-runtime", operation, *names) is not None:
        parts = None if answer.parts is None else _broken_off(answer.parts)
        answer = replace(answer, body=answer.body[: len(answer.body) // 2], parts=parts)
    return answer


def _broken_off(parts: Generator[bytes]) -> Generator[bytes]:
    with closing(parts):
        yield from islice(parts, 1)
    raise NoAnswer("a fault that was set with local faults", timed_out=False)
