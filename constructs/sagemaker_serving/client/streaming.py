"""Answers that come in parts, as a model writes them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain

from botocore.eventstream import EventStream
from botocore.exceptions import EventStreamError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.runtime_errors import model_failed, reword
from sagemaker_serving.client.whole import CutOff, cut_offs
from sagemaker_serving.errors import Failure


def begun(ask: Callable[[], EventStream], endpoint: str) -> tuple[bytes, Generator[bytes]]:
    """The first part of the stream that ``ask`` opens, nothing when it is empty, and the others.

    Until the first part is here nothing was handed on, so that whoever calls
    may ask anew. Raises what `parts` raises.
    """
    found = parts(ask(), endpoint)
    return next(found, b""), found


def handed_on(first: bytes, others: Generator[bytes], endpoint: str) -> Generator[bytes]:
    """All parts of a stream that has begun, and how many bytes they were when it breaks off.

    Raises as `parts` does.
    """
    sent = 0
    with closing(others):
        try:
            for part in chain(filter(None, [first]), others):
                sent += len(part)
                yield part
        except Failure as error:
            where = f"{endpoint}: " if isinstance(error, CutOff) else ""
            raise reword(
                error,
                f"{where}{error}; the {sent} bytes that were handed on are not all of it: drop "
                "them, and ask again",
            ) from None


def parts(events: EventStream, endpoint: str) -> Generator[bytes]:
    """The bytes of each PayloadPart, as it comes; closing it closes the connection.

    A part ends anywhere, in the middle of a character even; see `lines`. Raises
    `ModelFailed` when the model breaks off or takes more than 8 minutes,
    `CutOff` when the connection does, `Failure` when SageMaker does. Which of the
    two the model did is in AWS's message alone: botocore drops its ErrorCode
    (1.44.5, ``BaseEventStreamParser``).
    """
    with closing(events), aws_failures():
        try:
            with cut_offs():
                for event in events:
                    yield event["PayloadPart"]["Bytes"]
        except EventStreamError as error:
            told = error.response["Error"]
            if told.get("Code") != "ModelStreamError":
                raise
            broken = f"ModelStreamError: {told.get('Message', '')}"
            raise model_failed(endpoint, None, broken, None) from None


def lines(stream: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of ``stream`` without their ends, each once it is whole: JSON Lines, or those of
    server-sent events."""
    rest = b""
    for part in stream:
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    if rest:
        yield rest
