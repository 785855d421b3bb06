"""The bytes of a request, and what nginx makes of them: 1.30.3, asked the same on 2026-11-23.

It was built from nginx's and njs's sources at the tags 1.30.3 and 0.9.9, which the image of 2.20
pins, and ran with that image's configuration.
"""

from __future__ import annotations

import socket

import pytest

from sagemaker_serving.model_server.generations import Generation
from tests.model_server.contract.light import Light

BODY = b'{"instances": [1.0]}'
PREDICTED = b'{\n    "predictions": [3.5\n    ]\n}'
TEXT = b'{\n "model_version_status": [\n  {\n   "version": "1"'
NOT_FOUND = b'{"error": "Not Found"}'
UNDEFINED = b'{\n    "error": "JSON Parse error: Invalid value. at offset: 14"\n}'
ATTRIBUTES = b"X-Amzn-SageMaker-Custom-Attributes: "
LARGE = b"Cookie: " + b"c" * 8000 + b"\r\n"


def post(target: bytes, lines: bytes = b"", body: bytes = BODY) -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"POST " + target + b" HTTP/1.1\r\nHost: x\r\n" + _JSON + length + lines + b"\r\n" + body


def get(target: bytes, lines: bytes = b"Host: x\r\n", version: bytes = b" HTTP/1.1") -> bytes:
    return b"GET " + target + version + b"\r\n" + lines + b"\r\n"


def chunked(body: bytes) -> bytes:
    lines = b"Host: x\r\nTransfer-Encoding: chunked\r\n" + _JSON
    return b"POST /invocations HTTP/1.1\r\n" + lines + b"\r\n" + body


ONE_CHUNK = b"3\r\n1.0\r\n0\r\n\r\n"
_JSON = b"Content-Type: application/json\r\n"

LINES = "ngx_http_parse_request_line"
PATHS = "ngx_http_parse_complex_uri"
HEADERS = "ngx_http_parse_header_line"
UNIQUE = "ngx_http_process_unique_header_line"
HOSTS = "ngx_http_validate_host"
HEAD = "ngx_http_process_request_header"
BUFFERS = "ngx_http_alloc_large_header_buffer"
CHUNKS = "ngx_http_parse_chunked"
EXPECT = "ngx_http_test_expect"
SCRIPT = "tensorflowServing.js"
REWRITE = "nginx.conf.template, location /tfs"

Row = tuple[str, bytes, int | None, bytes]

ROWS: list[Row] = [
    # Which function of nginx, the bytes, the status (None: a bare body), the body's beginning.
    (PATHS, post(b"//invocations"), 200, PREDICTED),
    (PATHS, post(b"/./x/../invocations/./"), 200, PREDICTED),
    (PATHS, post(b"/%69nvocation%73"), 200, PREDICTED),
    (PATHS, post(b"/x%2f%2e%2E%2Finvocations"), 200, PREDICTED),
    (PATHS, post(b"/invocations#/../x"), 200, PREDICTED),
    (PATHS, post(b"/invocations?a=%zz&b=//../.."), 200, PREDICTED),
    (PATHS, post(b"/../invocations"), 400, b""),
    (PATHS, post(b"/x/../../invocations"), 400, b""),
    (PATHS, post(b"/invocations%00"), 400, b""),
    (PATHS, post(b"/invocations%zz"), 400, b""),
    (PATHS, post(b"/invocations%2"), 400, b""),
    (PATHS, post(b"/%25/invocations"), 404, NOT_FOUND),
    (LINES, post(b"/\\invocations"), 404, NOT_FOUND),
    (LINES, post(b"/invocations\xff\xc3\xa9"), 200, PREDICTED),
    (LINES, post(b"/invo\x01cations"), 400, b""),
    (LINES, post(b"/invocations\x7f"), 400, b""),
    (LINES, post(b"http://elsewhere:80/invocations"), 200, PREDICTED),
    (LINES, post(b"http://elsewhere"), 404, NOT_FOUND),
    (LINES, post(b"*"), 400, b""),
    (LINES, post(b"invocations"), 400, b""),
    (LINES, get(b"/x", version=b""), None, NOT_FOUND),
    (LINES, b"POST /x\r\n", None, b"<html>"),
    (LINES, get(b"/x", b"", b" HTTP/1.0"), 404, NOT_FOUND),
    (LINES, get(b"/x", version=b" HTTP/1.9 "), 404, NOT_FOUND),
    (LINES, get(b"/x", version=b" HTTP/2.0"), 505, b""),
    (LINES, get(b"/x", version=b" HTTP/0.9"), 400, b""),
    (LINES, get(b"/x", version=b" http/1.1"), 400, b""),
    (LINES, b"\r\n\n" + get(b"/x"), 404, NOT_FOUND),
    (LINES, b"get /x HTTP/1.1\r\nHost: x\r\n\r\n", 400, b""),
    (LINES, b"\x16\x03\x01\x00", 400, b""),
    (LINES, b"FOO-BAR_ /x HTTP/1.1\nHost: x\n\n", 404, NOT_FOUND),
    (HEAD, b"TRACE /x HTTP/1.1\r\nHost: x\r\n\r\n", 405, b""),
    (HEAD, b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 405, b""),
    (LINES, b"CONNECT /x HTTP/1.1\r\nHost: x\r\n\r\n", 400, b""),
    (HEAD, get(b"/x", b""), 400, b""),
    (UNIQUE, get(b"/x", b"Host: x\r\nHost: x\r\n"), 400, b""),
    (UNIQUE, post(b"/invocations", b"Content-Length: 20\r\n"), 400, b""),
    (UNIQUE, post(b"/invocations", b"Expect: x\r\nExpect: x\r\n"), 400, b""),
    (HOSTS, get(b"/x", b"Host: a..b\r\n"), 400, b""),
    (HOSTS, get(b"/x", b"Host:\r\n"), 400, b""),
    (HOSTS, get(b"http://a..b/x"), 400, b""),
    (HOSTS, get(b"/x", b"Host: [::1]:80\r\n"), 404, NOT_FOUND),
    (HOSTS, get(b"/x", b"Host: a/b\r\n"), 400, b""),
    (HOSTS, get(b"/x", b"Host: a:65535\r\n"), 404, NOT_FOUND),
    (HOSTS, get(b"/x", b"Host: a:65536\r\n"), 400, b""),
    (HEADERS, get(b"/x", b"Host: x\r\nNo colon: x\r\n"), 400, b""),
    (HEADERS, get(b"/x", b"Host: x\r\nA: \x00\r\n"), 400, b""),
    (HEADERS, get(b"/x", b"Host: x\r\nA: b\rc\r\n"), 400, b""),
    (HEADERS, get(b"/x", b"Host: x\r\n folded: b\r\n"), 400, b""),
    (HEADERS, get(b"/x", b"Host: x\r\nA\xff: b\r\nB\r\nC: \xff\x01\r\n"), 404, NOT_FOUND),
    (HEADERS, post(b"/invocations", b"X_Amzn: tfs-model-name=none\r\n"), 200, PREDICTED),
    (HEAD, get(b"/x", b"Host: x\r\nContent-Length: -1\r\n"), 400, b""),
    (HEAD, get(b"/x", b"Host: x\r\nContent-Length:\r\n"), 400, b""),
    (HEAD, get(b"/x", b"Host: x\r\nContent-Length: 9223372036854775808\r\n"), 400, b""),
    (HEAD, get(b"/x", b"Host: x\r\nTransfer-Encoding: gzip\r\n"), 501, b""),
    (HEAD, post(b"/invocations", b"Transfer-Encoding: chunked\r\n", ONE_CHUNK), 400, b""),
    (HEAD, get(b"/x", b"Transfer-Encoding: chunked\r\n", b" HTTP/1.0"), 400, b""),
    (BUFFERS, get(b"/x?" + b"q" * 8174), 404, NOT_FOUND),
    (BUFFERS, get(b"/x?" + b"q" * 8175), 414, b""),
    (BUFFERS, get(b"/x", b"Host: x\r\nCookie: " + b"c" * 8182 + b"\r\n"), 404, NOT_FOUND),
    (BUFFERS, get(b"/x", b"Host: x\r\nCookie: " + b"c" * 8183 + b"\r\n"), 400, b""),
    (BUFFERS, get(b"/x", b"Host: x\r\n" + LARGE * 4), 404, NOT_FOUND),
    (BUFFERS, get(b"/x", b"Host: x\r\n" + LARGE * 5), 400, b""),
    (CHUNKS, chunked(b"5;a=b\r\n[1.0]\r\n0\r\n\r\n"), 200, b'{\n    "predictions": [[3.5]'),
    (CHUNKS, chunked(b"3\r\n1.0\r\n0 \r\nTrailer: x\r\n\r\n"), 200, PREDICTED),
    (CHUNKS, chunked(b"3\n1.0\r\n0\r\n\r\n"), 400, b""),
    (CHUNKS, chunked(b"3\r\n1.0x"), 400, b""),
    (CHUNKS, chunked(b"g"), 400, b""),
    (CHUNKS, chunked(b"0\r\n\n"), 400, b""),
    (EXPECT, post(b"/invocations", b"Expect: 100-Continue\r\n"), 100, b"HTTP/1.1 200 OK\r\n"),
    (EXPECT, post(b"/x", b"Expect: 100-continue\r\n"), 100, b"HTTP/1.1 404 Not Found\r\n"),
    (EXPECT, post(b"/invocations", b"Expect: the worst\r\n"), 200, PREDICTED),
    (SCRIPT, get(b"/invocations", b"Host: x\r\n" + _JSON), 400, UNDEFINED),
    (SCRIPT, get(b"/invocations", b"Host: x\r\nContent-Type: text/csv\r\n"), 500, b""),
    (SCRIPT, post(b"/invocations", b"Content-Type: x/y\r\n"), 200, PREDICTED),
    (SCRIPT, post(b"/invocations", b"Accept: x/y\r\nAccept: application/json\r\n"), 200, b"{    "),
    (SCRIPT, post(b"/invocations", ATTRIBUTES + b"a=1\r\n" + ATTRIBUTES + b"tfs-method=x\r\n"), 400,
     b'{"error":"invalid tfs-method"}'),
    (SCRIPT, post(b"/invocations/models/x/invoke"), 400,
     b'{\n    "error": "Malformed request: POST /v1/models//invocationsx:predict"\n}'),
    (SCRIPT, get(b"/ping", b"Host: x\r\n" + ATTRIBUTES + b"tfs-model-name=text\r\n"), 200, b""),
    (SCRIPT, get(b"/ping", b"Host: x\r\n" + ATTRIBUTES + b"tfs-method=none\r\n"), 200, b""),
    (SCRIPT, get(b"/ping", b"Host: x\r\n" + ATTRIBUTES + b"tfs-model-name=none\r\n"), 502, b""),
    (SCRIPT, get(b"/ping", b"Host: x\r\n" + ATTRIBUTES + b"tfs-model-name=../x\r\n"), 400,
     b'{"error":"invalid tfs-model-name"}'),
    (SCRIPT, post(b"/invocations", ATTRIBUTES + b"tfs-model-name=" + b"n" * 255 + b"\r\n"), 404,
     b'{\n    "error": "Servable not found for request: Latest(nnn'),
    (SCRIPT, post(b"/invocations", ATTRIBUTES + b"tfs-model-name=" + b"n" * 256 + b"\r\n"), 400,
     b'{"error":"invalid tfs-model-name"}'),
    (REWRITE, get(b"/tfs/v1/models/te%78t?a=%20"), 200, TEXT),
    (REWRITE, get(b"/tfs//v1/x/../models/text%0Acut"), 200, TEXT),
]  # fmt: skip


@pytest.mark.parametrize(("source", "sent", "status", "begins"), ROWS)
def test_nginx_answers(
    container: Light, source: str, sent: bytes, status: int | None, begins: bytes
) -> None:
    came = answer(container, sent)
    if status is None:
        assert came.startswith(begins)
        return
    head, _, body = came.partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status
    is_page = not begins and status != 200
    assert body.startswith(b"<html>\r\n" if is_page else begins)
    assert not is_page or body.endswith(b"<center>nginx/1.30.3</center>\r\n</body>\r\n</html>\r\n")


@pytest.mark.parametrize("status", [400, 405, 505])
def test_a_head_request_gets_no_page(container: Light, status: int) -> None:
    sent = {400: b"/../x HTTP/1.1", 405: b"/x HTTP/1.1\r\nTransfer", 505: b"/x HTTP/2.0"}[status]
    method = b"HEAD" if status != 405 else b"TRACE"
    came = answer(container, method + b" " + sent + b"\r\nHost: x\r\n\r\n")
    assert came.startswith(b"HTTP/1.1 %d " % status)
    assert came.endswith(b"\r\n\r\n") is (method == b"HEAD")


def test_a_refused_request_is_taken_to_its_end_so_that_its_answer_is_seen(
    container: Light,
) -> None:
    """ngx_http_set_lingering_close: hung up on at once, a caller that still sends sees a reset."""
    head = b"POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: none\r\n\r\n"
    more_than_buffers_hold = b"x" * (32 << 20)
    came = answer(container, head + more_than_buffers_hold)
    assert came.startswith(b"HTTP/1.1 400 ")


def answer(container: Light, sent: bytes) -> bytes:
    """All that comes back, once no more is sent."""
    address = ("127.0.0.1", container.fronts[Generation.C])
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(sent.replace(b"\nHost: x", b"\nConnection: close\r\nHost: x", 1))
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))
