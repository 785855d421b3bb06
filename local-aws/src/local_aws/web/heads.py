"""Status and headers that a function writes before the parts of its answer: JSON, eight zero bytes.

Sources: github.com/aws/aws-lambda-nodejs-runtime-interface-client; API Gateway developer guide,
"Set up a Lambda proxy integration with payload response streaming". How AWS ends
an answer that breaks off in the middle is documented of API Gateway's time-outs alone: the
connection is closed before its last chunk ("Troubleshoot issues with response streaming").
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from werkzeug import Response

from local_aws.protocol.event_stream import streamed
from local_aws.web.payloads import Malformed

_END = bytes(8)
_MOST = 16 * 1024
"""How early the zero bytes must come, to API Gateway; function URLs are held to the same."""


def headed(contents: Iterator[bytes], read: Callable[[Mapping[str, Any]], Response]) -> Response:
    """The answer whose ``contents`` begin with what ``read`` makes status and headers of.

    Raises `Malformed` and ValueError when they do not.
    """
    begin = b""
    try:
        while _END not in begin and len(begin) < _MOST:
            begin += next(contents)
    except (StopIteration, ConnectionAbortedError):
        raise Malformed from None
    said, end, rest = begin.partition(_END)
    head = json.loads(said) if end else None
    if not isinstance(head, dict):
        raise Malformed
    answer = read(head)
    headers = [each for each in answer.headers if each[0] != "Content-Length"]
    return streamed(chain([rest], contents), headers, status=answer.status_code)
