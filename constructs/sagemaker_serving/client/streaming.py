"""Answers that come in parts, as a model writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from botocore.exceptions import EventStreamError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.runtime_errors import model_failed


def parts(events: Iterable[Any], endpoint: str) -> Iterator[bytes]:
    """The bytes of each PayloadPart, as it comes.

    A part ends anywhere, in the middle of a character even; see `lines`. Raises
    `ModelFailed` when the model breaks off or takes more than 8 minutes,
    `Failure` when SageMaker does.
    """
    with aws_failures():
        try:
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
