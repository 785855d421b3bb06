"""A request's body: read once, held against its signature, and put back for who answers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from local_aws.authentication.refusals import Kind, Refused
from local_aws.authentication.signatures import Signer, are_equal

MAX_API_BYTES = 72 * 1024 * 1024
"""The most that a call which is no upload of an object may carry. CreateFunction takes a zip of
50 MB, which is 70 as base64 (Lambda developer guide, "Lambda quotas")."""

UNSIGNED = "UNSIGNED-PAYLOAD"
UNSIGNED_CHUNKS = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_CHUNKS_AND_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
SIGNED_EVENTS = "STREAMING-AWS4-HMAC-SHA256-EVENTS"

_NOTHING = sha256(b"").hexdigest()
_SHA256 = re.compile("[0-9a-f]{64}")


def read_body(environ: dict[str, Any], *, at_most: int | None = None) -> bytes:
    """All of a WSGI request's body, which whoever comes next can read again.

    Raises `Refused` for one of more than ``at_most`` bytes, without having read it whole.
    """
    stream = environ["wsgi.input"]
    body: bytes = stream.read() if at_most is None else _read(stream, at_most)
    environ["wsgi.input"] = io.BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    return body


def is_hash(text: str) -> bool:
    """Whether it is a SHA-256 as signatures have it."""
    return _SHA256.fullmatch(text) is not None


def require_chunks(body: bytes, signer: Signer, *, stamp: str, seed: str, trailer: bool) -> None:
    """Raise `Refused` unless every chunk of an ``aws-chunked`` body is signed, each after the one
    before, ``seed`` being the request's own signature; so is what trails with ``trailer``.

    Source: S3 API reference, "Transferring payload in multiple chunks" and "… including
    trailing headers".
    """
    previous, end, ended = seed, 0, False
    for data, signature, position in _chunks(body):
        previous = _require(
            signature,
            signer.sign_text(
                "\n".join(
                    (
                        "AWS4-HMAC-SHA256-PAYLOAD",
                        stamp,
                        signer.credential_scope,
                        previous,
                        _NOTHING,
                        sha256(data).hexdigest(),
                    )
                )
            ),
        )
        end, ended = position, not data
    if not ended:
        raise Refused(Kind.MISMATCH)
    if trailer:
        headers, _, rest = body[end:].partition(b"x-amz-trailer-signature:")
        text = headers.replace(b"\r\n", b"\n")
        _require(
            rest.strip().decode("latin-1"),
            signer.sign_text(
                "\n".join(
                    (
                        "AWS4-HMAC-SHA256-TRAILER",
                        stamp,
                        signer.credential_scope,
                        previous,
                        sha256(text).hexdigest(),
                    )
                )
            ),
        )


def _chunks(body: bytes) -> Iterator[tuple[bytes, str, int]]:
    """Each chunk's data and signature, and where what follows begins; up to the empty one."""
    position = 0
    while True:
        end = body.find(b"\r\n", position, position + 200)
        head = _CHUNK.fullmatch(body[position:end]) if end >= 0 else None
        if head is None:
            raise Refused(Kind.MISMATCH)
        size = int(head[1], 16)
        data = body[end + 2 : end + 2 + size]
        position = end + 2 + size
        if len(data) != size:
            raise Refused(Kind.MISMATCH)
        if size:
            if body[position : position + 2] != b"\r\n":
                raise Refused(Kind.MISMATCH)
            position += 2
        yield data, head[2].decode(), position
        if not size:
            return


_CHUNK = re.compile(rb"([0-9a-fA-F]{1,16});chunk-signature=([0-9a-f]{64})")


def _require(said: str, made: str) -> str:
    if not are_equal(said, made):
        raise Refused(Kind.MISMATCH)
    return made


def _read(stream: Any, at_most: int) -> bytes:
    parts, size = [], 0
    while part := stream.read(1 << 20):
        size += len(part)
        if size > at_most:
            raise Refused(Kind.TOO_LARGE)
        parts.append(part)
    return b"".join(parts)
