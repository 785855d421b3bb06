"""What InvokeEndpointWithResponseStream and the OpenAI route answer: a model's parts, and what
breaks them off."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from local_aws.protocol.event_stream import event, exception
from sagemaker_serving.local_sagemaker.containers.model_client import NoAnswer

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Stream:
    """A streamed answer; `close` ends it wherever it is."""

    headers: list[tuple[str, str]]
    events: Iterable[bytes]
    close: Callable[[], None]


def events_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Each part as it comes, and at last the error that breaks them off, if one does.

    The two codes: API reference, ResponseStream. What is said of the time is as a user quotes it
    (repost.aws/questions/QUAnNu2T7pR8qVJpBVtwNSUw). The rest is in words of our
    own.
    """
    try:
        for part in parts:
            yield event("PayloadPart", part)
    except NoAnswer as failed:
        yield exception("ModelStreamError", broken_off(failed))
    except Exception:
        _log.exception("a streamed answer")
        why = "the local AWS failed on a streamed answer; its log says why"
        yield exception("InternalStreamFailure", {"Message": why})


def chunks_of(parts: Iterable[bytes]) -> Iterator[bytes]:
    """A container's server-sent events as they come; where they break off, an event says so.

    Clients of OpenAI raise it. What SageMaker sends there is unverified.
    """
    try:
        yield from parts
    except NoAnswer as failed:
        error = {"message": broken_off(failed)["Message"], "type": "server_error"}
        yield b"data: " + json.dumps({"error": error}).encode() + b"\n\n"


def broken_off(failed: NoAnswer) -> dict[str, str]:
    """The members of the ModelStreamError that ends a stream."""
    if failed.timed_out:
        why = (
            f"Your model {failed.container} did not complete sending the inference response in "
            "the allotted time."
        )
        return {"Message": why, "ErrorCode": "ModelInvocationTimeExceeded"}
    why = f"The connection to your model {failed.container} was closed. ({failed})"
    return {"Message": why, "ErrorCode": "StreamBroken"}
