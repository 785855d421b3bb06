"""InvokeEndpointWithBidirectionalStream: events of the client's become frames of a WebSocket, and
back.

Sources: service model of sagemaker-runtime-http2 (aws-sdk-sagemaker-runtime-http2 0.12 on PyPI).
Patterns, defaults and that fragments pass as they are: "SageMakerRuntime BiDi API Contract" of its
beta. Path and ping: AWS Machine Learning Blog, "Introducing bidirectional streaming for real-time
inference on Amazon SageMaker AI".
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator

from werkzeug.datastructures import Headers

from local_aws.authentication.events import Event
from local_aws.protocol import AwsError
from local_aws.protocol.event_stream import event, exception, unmodeled_error
from sagemaker_serving.local_sagemaker.containers.model_client import NoAnswer, Part
from sagemaker_serving.local_sagemaker.endpoints.response_stream import broken_off

TALK_SECONDS = 1800.0
"""How long a stream may last: 30 minutes, as who builds containers for it reports."""

_DEFAULT_PATH = "invocations-bidirectional-stream"
_PATH = re.compile(r"[A-Za-z0-9\-._]+(/[A-Za-z0-9\-._]+)*")
_VALUE = r"[A-Za-z0-9][A-Za-z0-9_-]*=([A-Za-z0-9._~\-]|%[0-9A-Fa-f]{2})+"
_QUERY = re.compile(rf"{_VALUE}(&{_VALUE})*")

_log = logging.getLogger(__name__)


def path_in(headers: Headers) -> str:
    """The container's path that a request names, with its query. Raises InputValidationError."""
    path = _given(headers, "Model-Invocation-Path", _PATH, 100) or _DEFAULT_PATH
    query = _given(headers, "Model-Query-String", _QUERY, 2048)
    return f"/{path}?{query}" if query else f"/{path}"


def parts_of(events: Iterable[Event]) -> Iterator[Part]:
    """What goes to the container, as it comes; raises `AwsError` for what is no part."""
    for each in events:
        kind, headers = each.headers.get(":event-type"), each.headers
        data, state = headers.get("DataType", "BINARY"), headers.get("CompletionState", "COMPLETE")
        if kind != "PayloadPart":
            raise _invalid(f"the event is {kind}; it must be PayloadPart")
        if data not in ("UTF8", "BINARY"):
            raise _invalid(f"DataType is {data}; it must be UTF8 or BINARY")
        if state not in ("PARTIAL", "COMPLETE"):
            raise _invalid(f"CompletionState is {state}; it must be PARTIAL or COMPLETE")
        yield Part(each.payload, is_text=data == "UTF8", is_last=state == "COMPLETE")


def two_way_events(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Each part of the container's as it comes, and at last the error that ends them, if one does.

    Of a container that breaks off, as of one-way streams. Which of the client's own faults AWS
    names how is unverified: here it is an event of type ``error``.
    """
    try:
        for part in parts:
            yield event("PayloadPart", part, _members(part))
    except NoAnswer as failed:
        yield exception("ModelStreamError", broken_off(failed))
    except AwsError as error:
        yield unmodeled_error(error.code, error.message)
    except Exception:
        _log.exception("a two-way stream")
        why = "the local AWS failed on a two-way stream; its log says why"
        yield exception("InternalStreamFailure", {"Message": why})


def _members(part: bytes) -> Iterator[tuple[str, str]]:
    if isinstance(part, Part):
        yield "DataType", "UTF8" if part.is_text else "BINARY"
        yield "CompletionState", "COMPLETE" if part.is_last else "PARTIAL"


def _given(headers: Headers, name: str, pattern: re.Pattern[str], most: int) -> str:
    value = headers.get(f"X-Amzn-SageMaker-{name}", "")
    if value and (len(value) > most or not pattern.fullmatch(value)):
        what = f"{name.replace('-', '')} is '{value[:80]}'; it must match {pattern.pattern}"
        raise _invalid(f"{what}, with {most} characters at most")
    return value


def _invalid(what: str) -> AwsError:
    return AwsError("InputValidationError", what)
