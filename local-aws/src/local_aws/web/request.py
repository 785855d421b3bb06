"""A request to an API or a function URL, as whoever answers it wants to know it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from local_aws.process.http_server import HEADERS

MAX_BYTES = 10 * 1024 * 1024
"""A request's body at most (API Gateway developer guide, "Quotas for configuring and running a
REST API" and "… an HTTP API")."""


@dataclass(frozen=True, kw_only=True)
class WebRequest:
    """What came: ``path`` is as it was sent, percent-encoded, below the API's address.

    ``headers`` are all of them, as they were sent; ``host`` is the API's own name, whatever name it
    was asked by. ``caller`` verifies the signature and says who made it, or raises `AwsError`.
    """

    method: str
    path: str
    raw_query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    host: str
    source_ip: str
    protocol: str
    caller: Callable[[], Any]
    request_id: str = field(default_factory=lambda: str(uuid4()))
    at: float = field(default_factory=time.time)

    @property
    def query(self) -> list[tuple[str, str]]:
        """The query's pairs, decoded."""
        return parse_qsl(self.raw_query, keep_blank_values=True)

    def header(self, name: str, default: str = "") -> str:
        """The last header of that name, in any case."""
        return grouped(self.headers, lower=True).get(name.lower(), [default])[-1]

    @property
    def time_text(self) -> str:
        """When it came, as logs of web servers have it: ``23/Nov/2026:03:00:00 +0000``."""
        return datetime.fromtimestamp(self.at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")


def web_request(
    environ: dict[str, Any], *, path: str, host: str, caller: Callable[[], Any]
) -> WebRequest:
    """A WSGI request, as one to ``host``'s ``path``, whose body can be read again.

    Of a body that is too large, so much is read that this can be told.
    """
    stream = environ["wsgi.input"]
    body = b"".join(_pieces(stream))
    if len(body) <= MAX_BYTES:
        environ["wsgi.input"] = io.BytesIO(body)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
    target, _, query = path.partition("?")
    return WebRequest(
        method=environ["REQUEST_METHOD"],
        path=target or "/",
        raw_query=query,
        headers=[
            (name, host if name.lower() == "host" else value)
            for name, value in environ.get(HEADERS, ())
        ],
        body=body,
        host=host,
        source_ip=environ.get("REMOTE_ADDR", "127.0.0.1"),
        protocol=environ.get("SERVER_PROTOCOL", "HTTP/1.1"),
        caller=caller,
    )


def _pieces(stream: Any) -> Iterator[bytes]:
    """A body, a piece after the other, until it ends or is too large."""
    left = MAX_BYTES + 1
    while left > 0 and (piece := stream.read(min(left, 1 << 20))):
        left -= len(piece)
        yield piece


def grouped(pairs: Sequence[tuple[str, str]], *, lower: bool = False) -> dict[str, list[str]]:
    """All values of each name, in their order."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name.lower() if lower else name, []).append(value)
    return found
