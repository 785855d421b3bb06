"""Answers that come in parts, as AWS's event streams write them.

A message is its length, its headers' length, a checksum of both, headers, a payload, and a checksum
of all of it; numbers are big-endian (Lex V2 developer guide, "Event stream encoding").
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping

from werkzeug import Response

CONTENT_TYPE = "application/vnd.amazon.eventstream"


def streamed(
    parts: Iterable[bytes],
    headers: Iterable[tuple[str, str]],
    *,
    status: int = 200,
    close: Callable[[], object] = lambda: None,
) -> Response:
    """An answer whose ``parts`` are sent each as it comes; ``close`` is called at its end, however
    it ends."""
    answer = Response(parts, status, headers=[("Transfer-Encoding", "chunked"), *headers])
    answer.call_on_close(close)
    return answer


def event(
    name: str, content: bytes | Mapping[str, object], headers: Iterable[tuple[str, str]] = ()
) -> bytes:
    """An event with its payload, bytes or members, and the members that are ``headers``."""
    is_blob = isinstance(content, bytes)
    own = [
        (":event-type", name),
        (":content-type", "application/octet-stream" if is_blob else "application/json"),
        (":message-type", "event"),
    ]
    return _message([*own, *headers], content)


def exception(name: str, members: Mapping[str, object]) -> bytes:
    """An error in the middle of a stream, which ends with it."""
    own = [
        (":exception-type", name),
        (":content-type", "application/json"),
        (":message-type", "exception"),
    ]
    return _message(own, members)


def unmodeled_error(code: str, message: str) -> bytes:
    """The same, of an error that the operation's model does not have (Smithy, "Amazon Event Stream
    Specification")."""
    own = [(":error-code", code), (":error-message", message), (":message-type", "error")]
    return _message(own, b"")


def _message(named: Iterable[tuple[str, str]], content: bytes | Mapping[str, object]) -> bytes:
    payload = content if isinstance(content, bytes) else json.dumps(dict(content)).encode()
    encoded = ((name.encode(), value.encode()) for name, value in named)
    headers = b"".join(
        struct.pack(f">B{len(name)}sBH", len(name), name, _STRING, len(value)) + value
        for name, value in encoded
    )
    prelude = struct.pack(">II", _OVERHEAD + len(headers) + len(payload), len(headers))
    message = prelude + _checksum(prelude) + headers + payload
    return message + _checksum(message)


_STRING = 7
_OVERHEAD = 16


def _checksum(content: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(content))
