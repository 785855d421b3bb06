"""Invocations whose answers come in parts, as `awslambda.streamifyResponse` of Node.js writes them.

What any other handler answers is one part: of AWS's own runtimes only those of Node.js stream
(Lambda developer guide, "Response streaming for Lambda functions").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from queue import SimpleQueue
from threading import Thread
from typing import Any

from local_aws.protocol.event_stream import event
from local_aws.services.lambda_.invocations import Result
from local_aws.services.lambda_.sandbox import HandOn


@dataclass(frozen=True, kw_only=True)
class Part:
    """What a function has written at once, and what its answer is said to be."""

    content_type: str
    content: bytes


def begun(run: Callable[[HandOn], Result]) -> Iterator[Part | Result]:
    """The parts that ``run`` hands on, as they come, and its result; returns with the first.

    The function runs to its end, whether its parts are taken or not, as on AWS. Raises what
    ``run`` raises.
    """
    told: SimpleQueue[Part | Result | Exception] = SimpleQueue()

    def hand_on(content_type: str, content: bytes) -> None:
        told.put(Part(content_type=content_type, content=content))

    def work() -> None:
        try:
            result = run(hand_on)
            if not result.streamed and not result.failed:
                hand_on("application/json", result.body.encode())
            told.put(result)
        except Exception as error:  # raised where it is waited for
            told.put(error)

    Thread(target=work, name="streamed invocation", daemon=True).start()
    found = _taken(told)
    return chain([next(found)], found)


def events(told: Iterable[Part | Result], *, with_log: bool) -> Iterator[bytes]:
    """The answer of InvokeWithResponseStream.

    That a failed function's code is Unhandled, with its error as details, is what a client of AWS
    expects (remotion-dev/remotion, packages/lambda); AWS documents no codes.
    """
    for each in told:
        if isinstance(each, Part):
            yield event("PayloadChunk", each.content)
        else:
            error = {"ErrorCode": "Unhandled", "ErrorDetails": each.body} if each.failed else {}
            log = {"LogResult": each.log_tail} if with_log else {}
            yield event("InvokeComplete", {**error, **log})


def _taken(told: SimpleQueue[Any]) -> Iterator[Part | Result]:
    while not isinstance(each := told.get(), Result):
        if isinstance(each, Exception):
            raise each
        yield each
    yield each
