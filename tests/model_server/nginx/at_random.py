"""Requests at random, byte for byte, and which answers the sources allow for each kind of them.

Request number n is always the same one. What is damaged in it is its kind; all else is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.model_server.contract.damage import damaged, header
from tests.model_server.contract.vectors import VECTORS

BODIES = sorted({vector.body.encode() for vector in VECTORS})
CONTENT_TYPES = sorted({(vector.content_type or "").encode() for vector in VECTORS})
CONVERTED = [b"application/json", b"application/jsonlines", b"text/csv"]
ACCEPTS = sorted({(vector.accept or "").encode() for vector in VECTORS})
ATTRIBUTES = sorted({(vector.attributes or "").encode() for vector in VECTORS})


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is random about a request.

    ``allowed`` are the statuses that an answer may have, each with the file and function of the
    source that gives it; None is a body without a head. Where ``is_framed`` is False, nobody
    knows where the request ends, and it has a connection of its own.
    """

    make: Callable[[Random], bytes]
    allowed: Mapping[int | None, str]
    is_framed: bool = True


def request(number: int) -> tuple[str, bytes]:
    """Its kind and its bytes."""
    random = Random(number)
    kind = random.choice(_OFTEN)
    return kind, KINDS[kind].make(random)


def _whole(
    random: Random,
    *,
    method: bytes = b"POST",
    path: bytes = b"/invocations",
    body: bytes | None = None,
    lines: list[bytes] | None = None,
) -> bytes:
    content = random.choice(BODIES) if body is None else body
    all_lines = [b"Host: x", *(lines or []), b"Content-Length: %d" % len(content)]
    if lines is None:
        all_lines.append(b"Content-Type: " + random.choice(CONTENT_TYPES))
    return method + b" " + path + b" HTTP/1.1\r\n" + b"\r\n".join(all_lines) + b"\r\n\r\n" + content


def _prediction(random: Random) -> bytes:
    names = (b"Content-Type", b"Accept", b"X-Amzn-SageMaker-Custom-Attributes")
    values = (header(random, known) for known in (CONTENT_TYPES, ACCEPTS, ATTRIBUTES))
    lines = [name + b": " + value for name, value in zip(names, values, strict=True) if value]
    if random.random() < 0.7:
        # The first one counts.
        lines.insert(0, b"Content-Type: " + random.choice(CONVERTED))
    return _whole(random, body=damaged(random, BODIES), lines=lines)


def _path(random: Random) -> bytes:
    path = random.choice(_PATHS)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(path) + 1)
        path = path[:at] + random.choice(_PIECES) + path[at:]
    return _whole(random, method=random.choice(_METHODS), path=b"/" + path)


def _ping(random: Random) -> bytes:
    value = header(random, ATTRIBUTES)
    lines = [b"X-Amzn-SageMaker-Custom-Attributes: " + value] if value else []
    return _whole(random, method=random.choice(_METHODS), path=b"/ping", lines=lines)


def _line(random: Random) -> bytes:
    whole = _whole(random)
    line, rest = whole.split(b"\r\n", 1)
    return damaged(random, [line, *_REQUEST_LINES]) + random.choice(_BREAKS) + rest


def _header_lines(random: Random) -> bytes:
    lines = [damaged(random, _LINES) for _ in range(random.randrange(1, 6))]
    return _whole(random, lines=lines)


def _length(random: Random) -> bytes:
    head, body = _whole(random).split(b"\r\n\r\n", 1)
    said = damaged(random, _LENGTHS)
    return head.replace(b"Content-Length: ", said, 1) + b"\r\n\r\n" + body


def _chunks(random: Random) -> bytes:
    body, chunks = random.choice(BODIES), b""
    while body:
        size = random.randrange(1, 20)
        part, body = body[:size], body[size:]
        chunks += b"%x" % len(part) + random.choice((b"", b";a=b", b" ")) + b"\r\n" + part + b"\r\n"
    chunks += random.choice((b"0", b"000", b"0;x")) + b"\r\n" + random.choice((b"", b"T: u\r\n"))
    lines = b"Host: x\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
    return b"POST /invocations HTTP/1.1\r\n" + lines + damaged(random, [chunks + b"\r\n"])


_METHODS = [b"POST", b"GET", b"PUT", b"DELETE", b"HEAD", b"OPTIONS"]
_PATHS = [b"ping", b"invocations", b"models", b"models/x/invoke", b"tfs/v1/models/text", b"x", b""]
_PIECES = [
    *(b"/", b"//", b"/./", b"/../", b"..", b"%2f", b"%2e%2E", b"%00", b"%", b"%zz", b"%25", b"%3f"),
    *(b"#", b"?", b"+", b"\\", b"ping", b"invocations", b"tfs", b"\xff", b"\xc3\xa9", b"%0a"),
    *(b":predict", b"/versions/122", b"%20", b"'", b'"', b"q" * 5000),
]
_REQUEST_LINES = [
    *(b"GET /ping", b"GET /x HTTP/1.0", b"HEAD /ping HTTP/1.1", b"TRACE /x HTTP/1.1"),
    *(b"CONNECT x:80 HTTP/1.1", b"GET http://x/ping HTTP/1.1", b"PRI * HTTP/2.0", b"\x16\x03\x01"),
]
_BREAKS = [b"\r\n"] * 8 + [b"\n", b"\r", b""]
_LINES = [
    *(b"Content-Type: application/json", b"Accept: application/json", b"Host: y", b"A_b: c"),
    *(b"Cookie: " + b"c" * 8000, b"Expect: 100-continue", b"Connection: close", b"Connection: x"),
    *(b"Transfer-Encoding: chunked", b"X-Amzn-SageMaker-Custom-Attributes: tfs-method=regress"),
]
_LENGTHS = [b"Content-Length: ", b"Content-Length: -", b"Content-Length: 0x", b"Content-Length:9"]

_SCRIPT = "tensorflowServing.js: invocations, return_error"
_TFS = "TF Serving's http_rest_api_handler.cc: ProcessPredictRequest; json_tensor.cc"
_NOT_FOUND = "nginx.conf.template: location /; http_rest_api_handler.cc: NotFound"
_LINE = "ngx_http_parse.c: ngx_http_parse_request_line"
_HEAD = "ngx_http_request.c: ngx_http_process_request_header"
_BUFFER = "ngx_http_request.c: ngx_http_alloc_large_header_buffer"
_BAD_LINE = "ngx_http_parse.c: ngx_http_parse_header_line"
_UNDEFINED = "tensorflowServing.js: csv_request, of a request without a body"
_NOBODY = "nginx.conf.template: location /models; tensorflowServing.js: ping"
_INVOCATIONS: dict[int | None, str] = {200: _SCRIPT, 400: _TFS, 404: _NOT_FOUND, 415: _SCRIPT}

KINDS: Mapping[str, Kind] = {
    "a prediction": Kind(make=_prediction, allowed=_INVOCATIONS),
    "a path": Kind(
        make=_path,
        allowed={
            **_INVOCATIONS,
            400: "ngx_http_parse.c: ngx_http_parse_complex_uri",
            414: _BUFFER,
            502: _NOBODY,
        },
    ),
    "a ping": Kind(
        make=_ping,
        allowed={
            200: "tensorflowServing.js: ping",
            400: "tensorflowServing.js: make_tfs_uri, from 2.20",
            502: "tensorflowServing.js: ping",
        },
    ),
    "a request line": Kind(
        make=_line,
        is_framed=False,
        allowed={
            **_INVOCATIONS,
            None: "ngx_http_header_filter_module.c: ngx_http_header_filter, before HTTP/1.0",
            400: _LINE,
            405: _HEAD,
            414: _BUFFER,
            500: _UNDEFINED,
            501: _HEAD,
            502: _NOBODY,
            505: _LINE,
        },
    ),
    "header lines": Kind(
        make=_header_lines,
        is_framed=False,
        allowed={**_INVOCATIONS, 400: _BAD_LINE, 500: _UNDEFINED, 501: _HEAD},
    ),
    "a length": Kind(
        make=_length,
        is_framed=False,
        allowed={**_INVOCATIONS, 400: _HEAD, 500: _UNDEFINED},
    ),
    "chunks": Kind(
        make=_chunks,
        is_framed=False,
        allowed={**_INVOCATIONS, 400: "ngx_http_parse.c: ngx_http_parse_chunked"},
    ),
}

_OFTEN = [*["a prediction"] * 8, *["a path"] * 4, "a ping", *KINDS]
"""Most are predictions: what is behind the front has more to do with these."""
