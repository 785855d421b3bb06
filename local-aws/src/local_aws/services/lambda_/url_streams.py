"""What a function URL whose InvokeMode is RESPONSE_STREAM makes of a function's parts.

Status and headers come first where the function has written them by
``awslambda.HttpResponseStream.from``. An answer that does not stream is the body as it is,
``statusCode`` and all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from werkzeug import Response

from local_aws.protocol.event_stream import streamed
from local_aws.services.lambda_.invocations import Result
from local_aws.services.lambda_.streams import Part
from local_aws.web.heads import headed
from local_aws.web.payloads import Malformed, answer_2

_WITH_HEAD = "application/vnd.awslambda.http-integration-response"


def streamed_answer(told: Iterator[Part | Result]) -> Response:
    """The answer, once its status is known. Raises `Malformed` and ValueError for what has none."""
    first = next(told)
    if isinstance(first, Result):
        if first.failed:
            raise Malformed
        return Response(content_type="application/octet-stream")
    contents = _contents(chain([first], told))
    if first.content_type != _WITH_HEAD:
        return streamed(contents, [("Content-Type", first.content_type)])
    return headed(contents, _read)


def _read(head: Mapping[str, Any]) -> Response:
    given = {"statusCode": 200, **head, "body": None}
    return answer_2(given, default_type="application/octet-stream")


def _contents(told: Iterable[Part | Result]) -> Iterator[bytes]:
    for each in told:
        if isinstance(each, Part):
            yield each.content
        elif each.failed:
            raise ConnectionAbortedError(each.reason)
