"""One line of data capture: when a model was asked, what, and what it answered.

Source: SageMaker developer guide, "Capture data from real-time endpoint", and files of live
endpoints, such as the line in github.com/aws/sagemaker-python-sdk/issues/2785.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Request


@dataclass(frozen=True, kw_only=True)
class Captured:
    """One event: ``at`` is its ``inferenceTime``, in whole seconds as SageMaker writes it.

    ``request`` or ``answer`` is None where that side was not captured, or cannot be read;
    ``unread`` says why then. ``where`` is its file and line. How long the answer took is not
    captured.
    """

    at: datetime
    event_id: str
    where: str
    request: Request | None
    answer: Answer | None
    unread: str = ""


REPLAYED = "sagemaker-serving-replay"
"""The inference id of requests that a replay sends: what they leave in a capture is no traffic."""


class NoEvent(ValueError):
    """A line that is no event of data capture; its text says what it is."""


def time_of(line: bytes) -> datetime:
    """When the event of a line was. Raises `NoEvent`."""
    return _time(_event(line))


def event_of(line: bytes, where: str) -> Captured:
    """The event of a line. Raises `NoEvent`.

    The request's Accept is not captured: the answer's content type stands in its place. Custom
    attributes are read from ``eventMetadata.customAttributes``, a text or a list of texts
    (unverified).
    """
    event = _event(line)
    metadata, sides = event["eventMetadata"], event["captureData"]
    asked, unread = _side(sides, "endpointInput", "request")
    answered, unread_answer = _side(sides, "endpointOutput", "answer")
    request = None
    if asked is not None:
        attributes = metadata.get("customAttributes") or None
        if isinstance(attributes, list):
            attributes = ",".join(map(str, attributes))
        request = Request(
            body=asked.body,
            content_type=asked.content_type,
            accept=None if answered is None else _media_type(answered.content_type),
            custom_attributes=attributes,
        )
    return Captured(
        at=_time(event),
        event_id=str(metadata.get("eventId", "")),
        where=where,
        request=request,
        # Only 2XX are captured on the local AWS; that AWS does the same is unverified.
        answer=None if answered is None else Answer(status=200, body=answered.body),
        unread=unread or unread_answer,
    )


@dataclass(frozen=True, kw_only=True)
class _Side:
    body: bytes
    content_type: str


def _event(line: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise NoEvent("no JSON: torn, or of another format") from None
    if not isinstance(event, dict) or not all(
        isinstance(event.get(key), dict) for key in ("captureData", "eventMetadata")
    ):
        raise NoEvent("JSON, but no line of data capture")
    if event["eventMetadata"].get("inferenceId") == REPLAYED:
        raise NoEvent("sent by a replay")
    return event


def _time(event: Mapping[str, Any]) -> datetime:
    try:
        at = datetime.fromisoformat(event["eventMetadata"]["inferenceTime"])
    except (KeyError, TypeError, ValueError):
        raise NoEvent("no inferenceTime in ISO 8601") from None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _side(sides: Mapping[str, Any], key: str, name: str) -> tuple[_Side | None, str]:
    """A side of the event, or why there is none."""
    side = sides.get(key)
    if not isinstance(side, dict) or not isinstance(side.get("data"), str):
        return None, f"the {name} was not captured"
    encoding = str(side.get("encoding"))
    content_type = side.get("observedContentType")
    body = _decoded(side["data"], encoding)
    if body is None:
        return None, f"the {name} cannot be decoded; its encoding is {encoding[:40]}"
    return _Side(body=body, content_type=content_type if isinstance(content_type, str) else ""), ""


def _decoded(data: str, encoding: str) -> bytes | None:
    if encoding in ("JSON", "CSV"):
        return data.encode("utf-8", "replace")
    if encoding != "BASE64":
        return None
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _media_type(content_type: str) -> str | None:
    return content_type.partition(";")[0].strip() or None
