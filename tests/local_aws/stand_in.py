"""A stand-in for a model server, which answers /ping and /invocations as a container does.

It needs neither TensorFlow nor Python's HTTP server, whose import is half of a start. What it does
is set by the model's environment.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import psutil

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.places import Place

STAND_IN = r"""
import itertools, json, os, socket, socketserver, sys, threading, time

threading.Thread(target=lambda: os._exit(sys.stdin.read() != ""), daemon=True).start()
print("stand-in: version", os.environ.get("VERSION"), flush=True)
if os.environ.get("EXIT_AT_START"):
    print("stand-in: the model is broken", flush=True)
    sys.exit(3)


models = {}
asked_in_all = itertools.count(1)
adapters = {}
sessions = {}
meeting = []
all_here = threading.Barrier(int(os.environ.get("TOGETHER", 1)))


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        self.close_connection = False
        while not self.close_connection and (line := self.rfile.readline()):
            method, self.path, _ = line.decode("latin-1").split()
            self.headers, self.given = {}, {}
            while header := self.rfile.readline().strip().decode("latin-1"):
                name, _, value = header.partition(":")
                self.headers[name] = self.given[name.lower()] = value.strip()
            self.close_connection = self.given.get("connection") == "close"
            getattr(self, f"do_{method}")()

    def do_GET(self):
        if self.path.startswith("/models/"):
            self.answer(200 if self.path.rpartition("/")[2] in models else 404, b"")
            return
        mute = os.path.exists(os.environ.get("UNHEALTHY_WHILE", ""))
        self.answer(503 if mute or os.environ.get("UNHEALTHY") else 200, b"")

    def do_POST(self):
        body = self.read_chunks() if "transfer-encoding" in self.given else self.rfile.read(
            int(self.given.get("content-length", 0))
        )
        time.sleep(float(os.environ.get("SLEEP", 0)))
        while os.path.exists(os.environ.get("HELD_WHILE", "")):
            time.sleep(0.02)
        if self.path == "/adapters":
            asked = json.loads(body)
            with open(os.path.join(asked["src"], "file"), "rb") as file:
                adapters[asked["name"]] = file.read()
            broken = adapters[asked["name"]] == b"broken"
            self.answer(400 if broken else 200, b"no adapter" if broken else b"")
            return
        if self.path.startswith("/models") and body != b"die":
            self.answer(*self.of_models(body))
            return
        if body.startswith(b"count"):
            print("counted:", body.decode(), flush=True)
        session = self.given.get("x-amzn-sagemaker-session-id")
        if session is not None:
            self.answer_in(session, body)
            return
        named = self.given.get("x-amzn-sagemaker-adapter-identifier")
        if body == b"adapters":
            self.answer(200, json.dumps(sorted(adapters)).encode())
        elif named is not None:
            self.answer(200, os.environ.get("VERSION", "").encode() + adapters[named])
        elif "FAILS" in os.environ and next(asked_in_all) % int(os.environ["FAILS"]) == 0:
            self.answer(500, b"broken each so many times")
        elif body == b"environment":
            self.answer(200, json.dumps(dict(os.environ)).encode(), "application/json")
        elif body == b"headers":
            self.answer(200, json.dumps(self.headers).encode(), "application/json")
        elif body == b"meet":
            self.answer(200, str(self.met()).encode())
        elif body == b"pid":
            self.answer(200, str(os.getpid()).encode())
        elif body == b"die":
            os._exit(1)
        elif body.startswith(b"stream "):
            self.stream(body.decode().split()[1:])
        elif b"refuse" in body:
            self.answer(400, b'{"error": "not a number"}')
        elif b"fail" in body:
            self.answer(500, b"broken")
        elif os.environ.get("APPEND"):
            self.answer(200, body + os.environ["APPEND"].encode(), "text/appended")
        elif os.environ.get("VERSION"):
            self.answer(200, os.environ["VERSION"].encode())
        else:
            self.answer(200, body[::-1], self.given.get("content-type", "text/plain"))

    def answer_in(self, session, body):
        # A session is a list of what was said in it.
        opened, closed = session == "NEW_SESSION", body == b"close"
        if opened:
            session = "session-" + str(len(sessions) + 1)
            sessions[session] = []
        said = sessions.pop(session, None) if closed else sessions.get(session)
        told = b",".join(said or []) if said is not None else b"no such session"
        headers = {"Content-Length": len(told)}
        if opened:
            end = "; Expires=2027-01-01T00:00:00Z"
            headers["X-Amzn-SageMaker-New-Session-Id"] = session + end
        if closed:
            headers["X-Amzn-SageMaker-Closed-Session-Id"] = session
        if said is not None and not opened:
            said.append(body)
        self.begin(404 if said is None else 200, headers)
        self.wfile.write(told)

    def met(self):
        # How many such requests there are at once, TOGETHER of them having come.
        meeting.append(self)
        all_here.wait()
        time.sleep(0.2)
        number = len(meeting)
        meeting.remove(self)
        return number

    def do_DELETE(self):
        kept = adapters if self.path.startswith("/adapters/") else models
        known = kept.pop(self.path.rpartition("/")[2], None)
        self.answer(404 if known is None else 200, b"")

    def of_models(self, body):
        if self.path == "/models":
            asked = json.loads(body)
            if len(models) >= int(os.environ.get("MAX_MODELS", 1000)):
                return 507, b"no room"
            with open(os.path.join(asked["url"], "file"), "rb") as file:
                models[asked["model_name"]] = file.read()
            return 200, b""
        name = self.path.split("/")[2]
        if body == b"lose":
            return 200, models.pop(name)
        return (200, models[name]) if name in models else (404, b"not loaded")

    def read_chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def stream(self, words):
        # Each word is a part of its own, but for those that say what happens next.
        self.begin(200, {"Content-Type": "text/words", "Transfer-Encoding": "chunked"})
        for word in words:
            if word == "HELD":
                while os.path.exists(os.environ["HELD_AT"]):
                    time.sleep(0.02)
            elif word == "BROKEN":
                self.close_connection = True
                return
            elif word == "ENDLESS":
                self.until_it_is_left()
                return
            else:
                self.chunk(word.encode())
        self.chunk(b"")

    def until_it_is_left(self):
        try:
            while True:
                self.chunk(b"on")
                time.sleep(0.02)
        except OSError:
            print("stand-in: the client has left", flush=True)
            self.close_connection = True

    def chunk(self, content):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def answer(self, status, body, content_type="text/plain"):
        headers = {"Content-Type": content_type, "Content-Length": len(body)}
        if attributes := self.given.get("x-amzn-sagemaker-custom-attributes"):
            headers["X-Amzn-SageMaker-Custom-Attributes"] = attributes
        self.begin(status, headers)
        self.wfile.write(body)

    def begin(self, status, headers):
        lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {headers[name]}" for name in headers)]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
server.daemon_threads = True
server.socket.close()
server.socket = socket.socket(fileno=int(sys.argv[1]))
server.serve_forever()
"""


class StandIn:
    """The model server's interface over the script above."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log_path: Path) -> None:
        self._process = process
        self._log_path = log_path
        self.place = Place(port=port)
        self.pid = process.pid

    @classmethod
    def start(
        cls,
        model_dir: Path,
        *,
        environment: Mapping[str, str],
        log_path: Path,
        container_version: str | None = None,
        program: str = "tensorflow",
        command: str = "",
    ) -> StandIn:
        # The socket itself is handed over: a port that is only named may be another's by then.
        with socket.create_server(("127.0.0.1", 0)) as listener, log_path.open("ab") as log:
            port, number = listener.getsockname()[1], listener.fileno()
            process = subprocess.Popen(
                [sys.executable, "-S", "-E", "-c", STAND_IN, str(number)],
                pass_fds=[number],
                env={
                    **environment,
                    "CONTAINER_VERSION": container_version or "",
                    "CONTAINER_PROGRAM": program,
                },
                cwd=model_dir,
                stdin=subprocess.PIPE,  # it ends when this process does
                stdout=log,
                stderr=log,
            )
        return cls(process, port, log_path)

    def poll(self) -> int | None:
        return self._process.poll()

    def ping(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.place.url}/ping", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def wait_until_healthy(self, deadline_seconds: float) -> None:
        end = time.monotonic() + deadline_seconds
        while not self.ping():
            if self.poll() is not None or time.monotonic() > end:
                raise Failure("the stand-in is not healthy")
            time.sleep(0.02)

    def last_log_lines(self, count: int = 20) -> list[str]:
        return self._log_path.read_text().splitlines()[-count:]

    def stop(self, grace_seconds: float = 2.0) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def memory_bytes(self) -> int:
        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return 0
