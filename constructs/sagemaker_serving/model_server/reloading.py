"""A model server that is replaced when a file of its model changes, without losing a request.

Requests come through a door of this process. A changed model gets a server of its own; when that
answers /ping, requests go to it, and the one before ends after its last answer. One that does not
come up takes no requests: the one before goes on answering.
"""

from __future__ import annotations

import http.client
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.ports import listen
from sagemaker_serving.model_server.process import ModelServer

LOOK_SECONDS = 0.1
"""Between two looks at the files; a change counts once they have been the same for one."""

_PING_SECONDS = 0.5
_QUIET_SECONDS = 5.0
_ANSWER_SECONDS = 3600.0
_PIECE = 1 << 16
_OF_A_CONNECTION = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})

Files = dict[Path, tuple[int, int, int]]
"""What is looked at of each file."""


def looked_at(paths: Callable[[], list[Path]]) -> Files | None:
    """The files as they are now; None while something is being written."""
    try:
        found = {path: path.stat() for path in paths()}
    except (OSError, ReportedError):
        return None
    return {path: (it.st_mtime_ns, it.st_size, it.st_ino) for path, it in found.items()}


@dataclass(eq=False)
class _Running:
    """One server, its log as far as it was printed, and the requests that it has to answer."""

    server: ModelServer
    log: BinaryIO
    noticed: float
    """When the change that it serves was: what is packed or converted comes before it begins."""
    began: float = field(default_factory=time.monotonic)
    requests: int = 0


class Reloading:
    """Serves on ``port`` until `close`; `look` is called again and again and does all the work.

    ``start`` starts a server of the model as it is now, without a port; ``paths`` are the files
    that it is made of. ``say`` takes a line for the user.
    """

    def __init__(
        self,
        port: int,
        start: Callable[[], ModelServer],
        paths: Callable[[], list[Path]],
        say: Callable[[str], None],
    ) -> None:
        self._start, self._paths, self._say = start, paths, say
        self._lock = threading.Lock()
        self._known = self._seen = looked_at(paths)
        self._current: _Running | None = None
        self._next: _Running | None = None
        self._leaving: list[_Running] = []
        self._door = _Door(port, self._serving)
        self.url = f"http://localhost:{self._door.server_port}"
        self._begin()
        self._door.open()

    def look(self) -> None:
        """Print what the servers logged; follow the files."""
        for each in self._all():
            if each is not self._next or self._is_late(each):
                self._print(each)
        seen = looked_at(self._paths)
        if seen is not None and seen == self._seen != self._known:
            self._known = seen
            self._begin()
        self._seen = seen
        self._promote()
        with self._lock:
            over = [each for each in self._leaving if not each.requests]
            self._leaving = [each for each in self._leaving if each.requests]
        for each in over:
            self._end(each)

    def _is_late(self, coming: _Running) -> bool:
        """Whether a starting server's log is of interest: a quick one's is as the one before's."""
        return self._current is None or time.monotonic() - coming.began > _QUIET_SECONDS

    def close(self) -> None:
        """End the door and every server."""
        self._door.close()
        for each in self._all():
            self._end(each)

    def _begin(self) -> None:
        if self._next is not None:
            self._next.log.seek(0, os.SEEK_END)
            self._end(self._next)
            self._next = None
        noticed = time.monotonic()
        try:
            server = self._start()
        except ReportedError as error:
            self._say(f"not reloaded: {error}")
            return
        self._next = _Running(server, server.log_path.open("rb"), noticed)

    def _promote(self) -> None:
        coming = self._next
        if coming is None:
            return
        if coming.server.poll() is not None:
            self._end(coming)
            self._next = None
            goes_on = "; the one before goes on answering" if self._current is not None else ""
            self._say(f"not reloaded, the lines above say why{goes_on}; waiting for a change")
        elif coming.server.ping(_PING_SECONDS):
            seconds = time.monotonic() - coming.noticed
            if self._current is not None:
                coming.log.seek(0, os.SEEK_END)
            self._print(coming)
            with self._lock:
                before, self._current, self._next = self._current, coming, None
                if before is not None:
                    self._leaving.append(before)
            if before is None:
                self._say(f"listening on {self.url} (ping, invocations)")
            else:
                self._say(f"reloaded after {seconds:.1f} s")

    def _all(self) -> list[_Running]:
        return [each for each in (*self._leaving, self._current, self._next) if each is not None]

    def _print(self, running: _Running) -> None:
        while line := running.log.readline():
            if not line.endswith(b"\n"):
                running.log.seek(-len(line), 1)
                return
            self._say(line.decode(errors="replace").rstrip("\r\n"))

    def _end(self, running: _Running) -> None:
        running.server.stop()
        self._print(running)
        running.log.close()

    @contextmanager
    def _serving(self) -> Iterator[ModelServer | None]:
        """The server for one request; before any is healthy, the one that starts."""
        with self._lock:
            running = self._current or self._next
            if running is not None:
                running.requests += 1
        try:
            yield None if running is None else running.server
        finally:
            if running is not None:
                with self._lock:
                    running.requests -= 1


class _Door(ThreadingHTTPServer):
    """Takes requests and hands each to the server of the moment."""

    daemon_threads = True

    def __init__(self, port: int, serving: Callable[[], object]) -> None:
        super().__init__(("127.0.0.1", 0), _Hand, bind_and_activate=False)
        self.socket.close()
        self.socket = listen(port)
        self.server_address = self.socket.getsockname()
        self.server_port = self.server_address[1]
        self.serving = serving

    def open(self) -> None:
        """Answer from now on who waits, and who comes."""
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has left is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Hand(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Door

    def _hand_on(self) -> None:
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if "chunked" in self.headers.get("Transfer-Encoding", ""):
                body = b"".join(self._chunks())
        except ValueError:
            self._answer_alone(400, "the length of the request or of a chunk is no number")
            return
        headers = {k: v for k, v in self.headers.items() if k.lower() not in _OF_A_CONNECTION}
        with self.server.serving() as server:  # type: ignore[attr-defined]
            if server is None:
                self._answer_alone(503, "no server has come up yet; the terminal says why")
                return
            connection = server.place.connection(_ANSWER_SECONDS)
            with closing(connection):
                try:
                    connection.request(self.command, self.path, body or None, headers)
                    answer = connection.getresponse()
                except (OSError, http.client.HTTPException) as error:
                    self._answer_alone(502, f"the model server does not answer: {error}")
                    return
                try:
                    self._pass(answer)
                except (OSError, http.client.HTTPException):
                    self.close_connection = True  # one of both has left amid the answer

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_HEAD = _hand_on

    def _pass(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status, answer.reason)
        length = answer.getheader("Content-Length")
        for name, value in answer.getheaders():
            if name.lower() not in _OF_A_CONNECTION:
                self.send_header(name, value)
        self.send_header(
            *(("Transfer-Encoding", "chunked") if length is None else ("Content-Length", length))
        )
        self.end_headers()
        if self.command == "HEAD":
            return
        while piece := answer.read1(_PIECE):
            self.wfile.write(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
        if length is None:
            self.wfile.write(b"0\r\n\r\n")

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def _answer_alone(self, status: int, text: str) -> None:
        body = text.encode()
        self.close_connection = True
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """The servers log."""
