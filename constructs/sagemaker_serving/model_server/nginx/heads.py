"""The request line and the header lines: read, judged, refused."""

from __future__ import annotations

import re
from asyncio import LimitOverrunError

from sagemaker_serving.model_server.nginx.connection import Connection
from sagemaker_serving.model_server.nginx.messages import (
    HEADER_TOO_LARGE,
    HTTP_09,
    HTTP_10,
    HTTP_11,
    Head,
    Refused,
)
from sagemaker_serving.model_server.nginx.paths import normal_path

FIRST_BUFFER, BUFFER, BUFFERS = 1024, 8192, 4
"""Where a request's head has to find room, line by line: client_header_buffer_size, and
large_client_header_buffers, which the images leave at their defaults (ngx_http_core_module)."""

MAX_LINES = 1000
"""max_headers, since nginx 1.29.8 or so; before, the buffers alone are a limit."""

_LINE = re.compile(
    rb"""
    (?P<method>[A-Z_-]+)\ +
    (?: (?P<target>/[^\x00-\x20\x7f]*)
      | [A-Za-z][A-Za-z0-9+.-]*://
        (?P<host>(?:\[[A-Za-z0-9:._~!$&'()*+,;=-]*\]|[A-Za-z0-9.-]*)(?::[0-9]*)?)
        (?P<rest>[/?][^\x00-\x20\x7f]*|(?=\ ))
    )
    (?:\ *|\ +HTTP/(?P<major>[1-9][0-9]*)(?:\.(?P<minor>[0-9]{1,3})\ *)?)
    """,
    re.VERBOSE,
)
_CONNECT = re.compile(rb"\ACONNECT +(?:\[[^\]]*\]|[A-Za-z0-9.-]*):[0-9]*(?= )")
_HOST = re.compile(
    rb"(?=[^:]*[^:.])(?:(?:[A-Za-z0-9_~!$&'()*+,;=%-]|\.(?!\.))+|\[[A-Za-z0-9:._~!$&'()*+,;=-]*\])"
    rb"(?::([0-9]*))?"
)
_BEGINNING = re.compile(
    rb"[A-Z_-]+ +(?:[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9.:-]*)?[/?][^\x00-\x20\x7f]*"
    rb"(?: +H?T?T?P?/?[0-9.]* *)?"
)
_TOO_LONG = {414: "client sent too long URI", HEADER_TOO_LARGE: "client sent too large request"}
_NAME = re.compile(rb"[A-Za-z0-9-]+")
_BAD_NAME = re.compile(rb"\A:|[\x00-\x20\x7f]")
_UNIQUE = frozenset(
    {
        b"host",
        b"if-modified-since",
        b"if-unmodified-since",
        b"if-match",
        b"if-none-match",
        b"content-length",
        b"content-range",
        b"if-range",
        b"transfer-encoding",
        b"expect",
        b"authorization",
        b"proxy-authorization",
    }
)
"""What may come once only (ngx_http_headers_in)."""


async def read_head(connection: Connection, first: bytes) -> Head:
    """The head of the request that begins with the byte ``first``.

    Raises `Refused`, and `asyncio.IncompleteReadError` when the connection ends in its midst.
    """
    if not re.match(rb"[A-Z_-]", first):
        raise Refused(400, "client sent invalid method")
    line = first
    try:
        line += await _request_line(connection)
        return await _head(connection, line)
    except Refused as refused:
        refused.method = "HEAD" if line.startswith(b"HEAD ") else ""
        raise


async def _request_line(connection: Connection) -> bytes:
    try:
        return await connection.readuntil(b"\n")
    except LimitOverrunError:
        # Who is wrong before the line is too long is told that.
        start = await connection.read(BUFFER)
        return start.removesuffix(b"\n")


async def _head(connection: Connection, line: bytes) -> Head:
    room = _Room()
    if not line.endswith(b"\n") and _BEGINNING.fullmatch(line):
        raise Refused(414, _TOO_LONG[414])
    method, target, version = _parts(line)
    room.take(line, 414)
    try:
        path, arguments = normal_path(target)
    except Refused as refused:
        refused.version = version
        raise
    lines = [] if version < HTTP_10 else await _header_lines(connection, room)
    said = {name.lower(): value for name, value in reversed(lines)}
    if b"host" not in said and version > HTTP_10:
        raise Refused(400, 'client sent HTTP/1.1 request without "Host" header')
    head = Head(
        method=method.decode(),
        version=version,
        target=_text(target),
        path=_text(path),
        arguments=_text(arguments),
        lines=tuple((_text(name), _text(value)) for name, value in lines),
        length=_length(said.get(b"content-length")),
        chunked=_is_chunked(said, version),
        keeps_alive=_keeps_alive(lines, version),
    )
    if head.method in ("CONNECT", "TRACE"):
        raise Refused(405, f"client sent {head.method} method")
    return head


class _Room:
    """The buffers: a line lies in one of them whole."""

    def __init__(self) -> None:
        self._left, self._taken = FIRST_BUFFER, 0

    def take(self, line: bytes, status: int) -> None:
        if len(line) > self._left:
            self._taken += 1
            self._left = BUFFER
        if len(line) > self._left or self._taken > BUFFERS:
            raise Refused(status, _TOO_LONG[status])
        self._left -= len(line)


def _parts(line: bytes) -> tuple[bytes, bytes, int]:
    """The method, the target without the address before it, and the version."""
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    # CONNECT has an address in place of a path; it is refused once all else was judged.
    text, connects = _CONNECT.subn(b"CONNECT /", text)
    said = _LINE.fullmatch(text)
    if said is None or (said["method"] == b"CONNECT" and not connects):
        raise Refused(400)
    version = HTTP_09
    if said["major"] is not None:
        if said["major"] != b"1":
            raise Refused(505, "client sent invalid version")
        if said["minor"] is None:
            raise Refused(400)
        version = 1000 + int(said["minor"])
    if version == HTTP_09 and said["method"] != b"GET":
        raise Refused(400, "client sent invalid method in HTTP/0.9 request", version=HTTP_09)
    if said["host"] is not None:
        _judge_host(said["host"])
    return said["method"], said["target"] or said["rest"] or b"/", version


async def _header_lines(connection: Connection, room: _Room) -> list[tuple[bytes, bytes]]:
    lines: list[tuple[bytes, bytes]] = []
    unique: set[bytes] = set()
    while True:
        try:
            line = await connection.readuntil(b"\n")
        except LimitOverrunError:
            raise Refused(HEADER_TOO_LARGE, _TOO_LONG[HEADER_TOO_LARGE]) from None
        room.take(line, HEADER_TOO_LARGE)
        if line in (b"\r\n", b"\n"):
            return lines
        name, _, value = line[:-1].rstrip(b"\r").partition(b":")
        if not name or _BAD_NAME.search(name) or b"\0" in value or b"\r" in value:
            raise Refused(400, "client sent invalid header line")
        if not _NAME.fullmatch(name):
            # ignore_invalid_headers, which drops underscores, too.
            continue
        lines.append((name, value.strip(b" ")))
        lower = name.lower()
        if lower in unique:
            raise Refused(400, "client sent duplicate header line")
        if lower in _UNIQUE:
            unique.add(lower)
        if lower == b"host":
            _judge_host(value.strip(b" "))
        if len(lines) > MAX_LINES:
            raise Refused(HEADER_TOO_LARGE, "client sent too many header lines")


def _judge_host(host: bytes) -> None:
    said = _HOST.fullmatch(host)
    if said is None or int(said[1] or 0) > 65535:
        raise Refused(400, "client sent invalid host header")


def _length(value: bytes | None) -> int | None:
    if value is None:
        return None
    if not re.fullmatch(rb"[0-9]+", value) or (length := int(value)) >= 1 << 63:
        raise Refused(400, 'client sent invalid "Content-Length" header')
    return length


def _is_chunked(said: dict[bytes, bytes], version: int) -> bool:
    encoding = said.get(b"transfer-encoding")
    if encoding is not None:
        if version < HTTP_11:
            words = 'client sent HTTP/1.0 request with "Transfer-Encoding" header'
            raise Refused(400, words)
        if encoding.lower() != b"chunked":
            raise Refused(501, 'client sent unknown "Transfer-Encoding"')
        if b"content-length" in said:
            words = 'client sent "Content-Length" and "Transfer-Encoding" headers at the same time'
            raise Refused(400, words)
    return encoding is not None


def _keeps_alive(lines: list[tuple[bytes, bytes]], version: int) -> bool:
    keeps = version > HTTP_10
    for name, value in lines:
        if name.lower() == b"connection":
            if b"close" in value.lower():
                keeps = False
            elif b"keep-alive" in value.lower():
                keeps = True
    return keeps


def _text(given: bytes) -> str:
    return given.decode(errors="surrogateescape")
