"""An HTTP server for the gateway: loopback only, a thread per connection, kept alive.

It speaks HTTP/1.1; HTTP/2 and TLS are told by how a connection begins.
"""

from __future__ import annotations

import errno
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import DechunkedInput, ThreadedWSGIServer
from werkzeug.wsgi import LimitedStream

from local_aws.errors import Mistake
from local_aws.process.address import folder_of
from local_aws.process.tls import TlsContext

if TYPE_CHECKING:
    from local_aws.process.http2_server import Transport

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

BACKLOG = 4096
"""How many connections wait for one that is accepted: the most that Linux allows unless told
otherwise (listen(2), man7.org)."""

IDLE_SECONDS = 75
"""How long a connection without a request is kept: longer than clients keep theirs."""

HEADERS = "local_aws.headers"
"""Where a request's headers stand in its WSGI environment as they were sent, each by itself."""

_HTTP2 = b"PRI"
"""How HTTP/2 begins, and no method of HTTP/1.1 (RFC 9113, section 3.4)."""

_TLS = b"\x16"
"""How a handshake of TLS begins (RFC 8446, section 5.1)."""

_ADDRESSES = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
_NO_SUCH_ADDRESS = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
_ATTEMPTS = 20


class LoopbackServer:
    """Serves one application on one port of 127.0.0.1 and, where there is IPv6, of ::1.

    Both addresses, because clients resolve ``localhost`` to either. ``port`` 0
    takes a free one. Raises `Mistake` when the port is in use.
    """

    def __init__(self, port: int = 0) -> None:
        self._sockets = _listen(port)
        self.port: int = self._sockets[0].getsockname()[1]
        self._servers: list[_Server] = []

    def serve(self, application: WsgiApplication, *, folder: Path) -> None:
        """Answer requests with ``application`` from now on; returns at once.

        The certificate of the authority that clients with TLS have to trust is left in ``folder``.
        """
        tls = TlsContext(folder)
        for listener in self._sockets:
            host = listener.getsockname()[0]
            server = _Server(host, self.port, application, _Handler, fd=listener.fileno())
            server.tls = tls
            listener.close()
            threading.Thread(
                target=server.serve_forever,
                kwargs={"poll_interval": 0.05},
                name=f"gateway {host}",
                daemon=True,
            ).start()
            self._servers.append(server)

    def stop(self) -> None:
        """Stop listening and close every connection."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
            server.close_connections()
        for listener in self._sockets:
            listener.close()


def next_free_port(first: int) -> int:
    """``first``, or the next port on which nobody listens; 0 where there is none in a hundred."""
    for port in range(first, min(first + 100, 65536)):
        with suppress(OSError):
            for each in _listen_on(port):
                each.close()
            return port
    return 0


def _listen(port: int) -> list[socket.socket]:
    for _ in range(_ATTEMPTS):
        try:
            return _listen_on(port)
        except OverflowError:
            raise Mistake(f"port is {port}; it is from 0 to 65535") from None
        except OSError as error:
            if error.errno == errno.EACCES:
                raise Mistake(
                    f"port {port} may not be used by this user; take one of 1024 to 65535"
                ) from None
            if error.errno != errno.EADDRINUSE:
                raise
            if port != 0:
                break
    raise Mistake(f"port {port} is in use on this machine{_by_whom(port)} or name another port")


def _by_whom(port: int) -> str:
    """Who has the port, and what ends that."""
    folder = folder_of(port)
    if folder is None:
        return "; stop what uses it"
    return f" by the local AWS of {folder}; use that, end it with `local down --state-dir {folder}`"


def _listen_on(port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    for family, host in _ADDRESSES:
        try:
            sockets.append(socket.create_server((host, port), family=family, backlog=BACKLOG))
        except OSError as error:
            if sockets and error.errno in _NO_SUCH_ADDRESS:
                continue
            for listener in sockets:
                listener.close()
            raise
        port = sockets[0].getsockname()[1]
    return sockets


class _Server(ThreadedWSGIServer):
    daemon_threads = True
    tls: TlsContext

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.connections: set[socket.socket] = set()

    def close_connections(self) -> None:
        for connection in tuple(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # the client was faster

    def log(self, type: str, message: str, *args: Any) -> None:
        return


class _Handler(MotoRequestHandler):  # type: ignore[misc]
    """The emulator's request handler with connections kept alive.

    werkzeug closes every connection, because it cannot tell where a request's
    body ends that nobody read; here a body is bounded, and read to its end
    before the answer is sent.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else Nagle and delayed ACK cost 40 ms per answer
    timeout = IDLE_SECONDS
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        """Serve the connection in what the client speaks."""
        with suppress(OSError):
            beginning = self.connection.recv(len(_HTTP2), socket.MSG_PEEK)
            if beginning.startswith(_TLS):
                self._serve_http2(self.server.tls.accept(self.connection), "https")
            elif beginning == _HTTP2:
                self._serve_http2(_Plain(self.connection), "http")
            else:
                super().handle()

    def _serve_http2(self, transport: Transport, scheme: str) -> None:
        from local_aws.process.http2_server import Http2Connection  # few clients speak it

        environ = {
            "REMOTE_ADDR": self.client_address[0],
            "SCRIPT_NAME": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": str(self.server.port),
            "wsgi.errors": sys.stderr,
            "wsgi.multiprocess": False,
            "wsgi.multithread": True,
            "wsgi.run_once": False,
            "wsgi.url_scheme": scheme,
            "wsgi.version": (1, 0),
        }
        Http2Connection(transport, self.server.app, environ).serve()

    def run_wsgi(self) -> None:
        environ = self.make_environ()
        environ[HEADERS] = self.headers.items()
        body = environ["wsgi.input"]
        if not isinstance(body, DechunkedInput):
            body = LimitedStream(self.rfile, int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = body
        answer = _Answer()
        chunks = self.server.app(environ, answer.start)
        try:
            if answer.is_streamed and self._has_body(answer):
                _read_to_the_end(body)
                self._stream(answer, chunks)
                return
            content = b"".join(chunks)
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()
        _read_to_the_end(body)
        self._send(answer, content)

    def _stream(self, answer: _Answer, chunks: Iterable[bytes]) -> None:
        """Send each chunk as it comes; that the client has left is an OSError."""
        self.wfile.write(self._head(answer, [("Transfer-Encoding", "chunked")]))
        for chunk in filter(None, chunks):  # an empty one would be the last
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, answer: _Answer, content: bytes) -> None:
        is_told = answer.is_bodiless or "content-length" in answer.names
        head = self._head(answer, [] if is_told else [("Content-Length", str(len(content)))])
        # In one piece: a head that comes alone wakes the client for nothing.
        self.wfile.write(head + content if self._has_body(answer) else head)

    def _has_body(self, answer: _Answer) -> bool:
        return self.command != "HEAD" and not answer.is_bodiless

    def _head(self, answer: _Answer, framing: list[tuple[str, str]]) -> bytes:
        if self.request_version == "HTTP/0.9":
            return b""
        lines = [*answer.headers, *framing]
        if ("connection", "close") in ((name.lower(), value.lower()) for name, value in lines):
            self.close_connection = True
        if "date" not in answer.names:
            lines.append(("Date", self.date_time_string()))
        said = "".join(f"{name}: {value}\r\n" for name, value in lines)
        return f"{self.protocol_version} {answer.status}\r\n{said}\r\n".encode("latin-1")

    def log(self, type: str, message: str, *args: Any) -> None:
        return


class _Plain:
    """A connection's bytes as they are."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def receive(self) -> bytes:
        """What has come, b"" at its end."""
        return self._connection.recv(1 << 16)

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self._connection.sendall(data)


class _Answer:
    status = "500 Internal Server Error"
    is_streamed = False
    headers: list[tuple[str, str]] = []  # noqa: RUF012  (replaced, never changed)

    def start(
        self, status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> Callable[[bytes], None]:
        # Only a body whose length nobody knows is sent in chunks, which are this server's own.
        self.headers = [each for each in headers if each[0].lower() != "transfer-encoding"]
        self.status, self.is_streamed = status, len(self.headers) < len(headers)
        return _no_write

    @property
    def code(self) -> int:
        return int(self.status.split(" ", 1)[0])

    @property
    def names(self) -> set[str]:
        return {name.lower() for name, _ in self.headers}

    @property
    def is_bodiless(self) -> bool:
        return self.code < 200 or self.code in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def _no_write(data: bytes) -> None:
    raise NotImplementedError("applications of the gateway return their body")


def _read_to_the_end(body: Any) -> None:
    while body.read(1 << 20):
        pass
