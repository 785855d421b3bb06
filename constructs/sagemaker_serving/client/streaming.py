"""Answers that come in parts, as a model writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from botocore.exceptions import EventStreamError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.runtime_errors import model_failed
from sagemaker_serving.client.whole import CutOff, cut_offs


def begun(ask: Callable[[], Iterable[Any]], endpoint: str) -> tuple[bytes | None, Iterator[bytes]]:
    """The first part of the stream that ``ask`` opens, None when it is empty, and the others.

    Until the first part is here nothing was handed on, so that whoever calls
    may ask anew. Raises what `parts` raises.
    """
    found = parts(ask(), endpoint)
    return next(found, None), found


def handed_on(first: bytes | None, others: Iterator[bytes], endpoint: str) -> Iterator[bytes]:
    """All parts of a stream that has begun. Raises `Failure` when the connection breaks it off."""
    if first is None:
        return
    sent = len(first)
    try:
        yield first
        for part in others:
            sent += len(part)
            yield part
    except CutOff as error:
        raise CutOff(
            f"{endpoint}: {error}; the {sent} bytes that were handed on are not all of it: drop "
            "them, and ask again"
        ) from None


def parts(events: Iterable[Any], endpoint: str) -> Iterator[bytes]:
    """The bytes of each PayloadPart, as it comes.

    A part ends anywhere, in the middle of a character even; see `lines`. Raises
    `ModelFailed` when the model breaks off or takes more than 8 minutes,
    `CutOff` when the connection does, `Failure` when SageMaker does.
    """
    with aws_failures():
        try:
            with cut_offs():
                for event in events:
                    yield event["PayloadPart"]["Bytes"]
        except EventStreamError as error:
            told = error.response["Error"]
            if told.get("Code") != "ModelStreamError":
                raise
            reason = error.response.get("ErrorCode", "ModelStreamError")
            raise model_failed(
                endpoint, None, f"{reason}: {told.get('Message', '')}", None
            ) from None


def lines(stream: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of ``stream`` without their ends, each once it is whole."""
    rest = b""
    for part in stream:
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
    if rest:
        yield rest
