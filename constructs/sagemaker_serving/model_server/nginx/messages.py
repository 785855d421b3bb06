"""A request as nginx hands it on, and an answer as nginx sends it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus

HTTP_09, HTTP_10, HTTP_11 = 9, 1000, 1001
"""Versions of HTTP, a thousand times the major number and the minor one."""

Lines = tuple[tuple[str, str], ...]
"""Header lines, names and values, in their order; what of one is no UTF-8 is surrogates."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """What a request says before its body."""

    method: str
    version: int
    target: str
    """As it was sent, but for the address before its path."""

    path: str
    """Decoded, without ``//``, ``/./`` and ``/../``."""

    arguments: str
    """What follows ``?``, as it was sent."""

    lines: Lines = ()
    length: int | None = None
    """Bytes of the body; None: no Content-Length."""

    chunked: bool = False
    keeps_alive: bool = False

    def get(self, name: str, default: str = "") -> str:
        """The first value of a header, by its name in lower case."""
        return next(self._values(name), default)

    def joined(self, name: str) -> str | None:
        """All values of a header, as ``r.headersIn`` joins them; None when it is absent."""
        return ", ".join(values) if (values := list(self._values(name))) else None

    def _values(self, name: str) -> Iterator[str]:
        return (value for key, value in self.lines if key.lower() == name)


@dataclass(frozen=True, kw_only=True)
class Request:
    """A whole request; ``body`` is None when it came without one, which is not an empty one."""

    head: Head
    body: bytes | None = None


class Refused(Exception):
    """A request that nginx refuses with a page of its own, and hangs up; in nginx's words.

    ``version`` and ``method`` are what was read of them before.
    """

    def __init__(
        self,
        status: int,
        words: str = "client sent invalid request",
        *,
        version: int = HTTP_10,
        method: str = "",
    ) -> None:
        super().__init__(words)
        self.status, self.version, self.method = status, version, method


@dataclass(frozen=True, kw_only=True)
class Answer:
    """``body`` None is nginx's own page of the status."""

    status: int
    body: bytes | None = None
    lines: Lines = (("Content-Type", "application/json"),)

    def sent(self, server: str, *, version: int, method: str, keeps_alive: bool) -> bytes:
        """All of it, as it is sent to who asked by ``method`` and HTTP's ``version``."""
        status, body, lines = self.status, self.body, self.lines
        if body is None:
            body, lines = page(status, server), (("Content-Type", "text/html"),)
            status = 400 if status == HEADER_TOO_LARGE else status
        if version == HTTP_09:
            return body
        said = "".join(f"{name}: {value}\r\n" for name, value in lines)
        text = (
            f"HTTP/1.1 {status} {_phrase(status)}\r\nServer: {server}\r\nDate: {_date()}\r\n{said}"
            f"Content-Length: {len(body)}\r\n"
            f"Connection: {'keep-alive' if keeps_alive else 'close'}\r\n\r\n"
        )
        return text.encode(errors="surrogateescape") + (b"" if method == "HEAD" else body)


HEADER_TOO_LARGE = 494
"""nginx's own number for a 400 that has a page of its own."""

_PHRASES = {
    405: "Not Allowed",
    408: "Request Time-out",
    413: "Request Entity Too Large",
    414: "Request-URI Too Large",
    416: "Requested Range Not Satisfiable",
    503: "Service Temporarily Unavailable",
    504: "Gateway Time-out",
}
"""Where nginx's words are not the standard's (ngx_http_header_filter_module.c)."""


def page(status: int, server: str) -> bytes:
    """nginx's page of an error (ngx_http_special_response.c); ``server`` is its Server header."""
    title = heading = f"{status} {_phrase(status)}"
    more = ""
    if status == HEADER_TOO_LARGE:
        title, heading = "400 Request Header Or Cookie Too Large", "400 Bad Request"
        more = "<center>Request Header Or Cookie Too Large</center>\r\n"
    return (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n"
        f"<center><h1>{heading}</h1></center>\r\n{more}"
        f"<hr><center>{server}</center>\r\n</body>\r\n</html>\r\n"
    ).encode()


def _phrase(status: int) -> str:
    known = _PHRASES.get(status)
    if known is None and status in HTTPStatus._value2member_map_:
        return HTTPStatus(status).phrase
    return known or ""


_DATES: dict[int, str] = {}


def _date() -> str:
    now = int(time.time())
    if now not in _DATES:
        _DATES.clear()
        _DATES[now] = formatdate(now, usegmt=True)
    return _DATES[now]
