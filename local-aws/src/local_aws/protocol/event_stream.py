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


def event(name: str, content: bytes | Mapping[str, object]) -> bytes:
    """An event with its payload: bytes, or members."""
    return _message("event", name, content)


def exception(name: str, members: Mapping[str, object]) -> bytes:
    """An error in the middle of a stream, which ends with it."""
    return _message("exception", name, members)


def _message(kind: str, name: str, content: bytes | Mapping[str, object]) -> bytes:
    is_blob = isinstance(content, bytes)
    payload = content if isinstance(content, bytes) else json.dumps(dict(content)).encode()
    headers = b"".join(
        struct.pack(f">B{len(header)}sBH", len(header), header, _STRING, len(value)) + value
        for header, value in (
            (f":{kind}-type".encode(), name.encode()),
            (b":content-type", b"application/octet-stream" if is_blob else b"application/json"),
            (b":message-type", kind.encode()),
        )
    )
    prelude = struct.pack(">II", _OVERHEAD + len(headers) + len(payload), len(headers))
    message = prelude + _checksum(prelude) + headers + payload
    return message + _checksum(message)


_STRING = 7
_OVERHEAD = 16


def _checksum(content: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(content))
