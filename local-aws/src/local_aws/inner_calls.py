"""What the local AWS asks of itself: by the same door as every request, without a socket.

A stack's resource is made by two or three requests. Over HTTP each costs a second thread and as
much time again as answering it does. Signing one, and verifying in the same process what was
signed there, is a sixth of what is left: so a request that stays inside only names the key
that it would be signed with. Who has that key, until when and what they may is asked as of every
caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urlsplit

from botocore.auth import AUTH_TYPE_MAPS, SigV4Auth
from botocore.awsrequest import AWSResponse
from urllib3 import HTTPResponse

from local_aws.authentication import INSIDE, vouched

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class InnerCalls:
    """Answers botocore's requests with ``application`` while there is one, in the caller's thread.

    A body that is a stream, or a header that WSGI cannot tell, goes over HTTP as before.
    """

    def __init__(self) -> None:
        self.application: WsgiApplication | None = None

    def register(self, client: Any) -> None:
        """Answer what a client asks."""
        client.meta.events.register("before-call", self._vouch)
        client.meta.events.register("before-send", self._send)

    def _vouch(self, params: Any, context: Any, **_: Any) -> None:
        """Have a request name its key only, where one is to be signed that stays inside."""
        signed = (context.get("auth_type") or "v4").startswith("v4")
        if signed and self._stays_inside(params["body"], params["headers"]):
            context["auth_type"] = _VOUCHED

    def _stays_inside(self, body: Any, headers: Any) -> bool:
        is_whole = isinstance(body or b"", bytes | bytearray | str | dict)  # a form is still a dict
        return (
            is_whole and self.application is not None and not any("_" in name for name in headers)
        )

    def _send(self, request: Any, **_: Any) -> AWSResponse | None:
        """The answer to a prepared request; None for botocore to send it."""
        application = self.application
        if application is None or not self._stays_inside(request.body, request.headers):
            return None
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        begun: list[Any] = []
        chunks = application(
            _environ(request, bytes(body)),
            lambda status, headers, exc_info=None: begun.extend((status, headers)),
        )
        status, headers = begun
        if any(name == "Transfer-Encoding" for name, _ in headers):
            raw: HTTPResponse = _Streamed(chunks, headers=headers, status=_code(status))
            return AWSResponse(request.url, raw.status, raw.headers, raw)
        try:
            content = b"".join(chunks)
        finally:
            _close(chunks)
        raw = HTTPResponse(
            BytesIO(b"" if request.method == "HEAD" else content),
            headers=headers,
            status=_code(status),
            preload_content=False,
            request_method=request.method,
        )
        return AWSResponse(request.url, raw.status, raw.headers, raw)


class _Vouched(SigV4Auth):  # type: ignore[misc]
    """In place of a signature: whose it would be, and for what."""

    def add_auth(self, request: Any) -> None:
        request.headers["Authorization"] = vouched(
            self.credentials.access_key, self._region_name, self._service_name
        )
        if self.credentials.token:
            request.headers["X-Amz-Security-Token"] = self.credentials.token


_VOUCHED = "local-aws"
AUTH_TYPE_MAPS[_VOUCHED] = _Vouched


class _Streamed(HTTPResponse):
    """An answer whose chunks are taken as they come, which is how botocore reads events."""

    def __init__(self, chunks: Iterable[bytes], **more: Any) -> None:
        super().__init__(BytesIO(), preload_content=False, **more)
        self._chunks = chunks

    def stream(self, amt: int | None = None, decode_content: bool | None = None) -> Any:
        """Each chunk as it is."""
        try:
            yield from self._chunks
        finally:
            _close(self._chunks)

    def close(self) -> None:
        """End it where it is."""
        _close(self._chunks)
        super().close()


def _code(status: str) -> int:
    return int(status.split(" ", 1)[0])


def _close(chunks: Iterable[bytes]) -> None:
    close = getattr(chunks, "close", None)
    if close is not None:
        close()


def _environ(request: Any, body: bytes) -> dict[str, Any]:
    """The request as WSGI has it (PEP 3333), with what werkzeug's server adds."""
    url = urlsplit(request.url)
    target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    environ = {
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": url.scheme,
        "wsgi.input": BytesIO(body),
        "wsgi.errors": None,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(url.path or "/").encode().decode("latin-1"),
        "QUERY_STRING": url.query,
        "REQUEST_URI": target,
        "RAW_URI": target,
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_NAME": url.hostname,
        "SERVER_PORT": str(url.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": url.netloc,
        INSIDE: True,
    }
    for name, value in request.headers.items():
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = text
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_CONTENT_LENGTH", None)
    return environ
