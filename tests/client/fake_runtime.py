"""A SageMaker runtime on loopback that answers as a test says, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sagemaker_serving.client import Aws
from tests.local_aws.aws import REGION


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is answered."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


class FakeRuntime:
    """What was asked so far, in the order it came; ``busiest`` requests were there at once."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.connections: set[object] = set()
        self.busiest = 0

    @property
    def aws(self) -> Aws:
        keys = {"access_key_id": "test", "secret_access_key": "test"}
        return Aws(region=REGION, endpoint_url=self.url, **keys)


@contextmanager
def fake_runtime(answer: Callable[[Asked], Answer]) -> Iterator[FakeRuntime]:
    """Serves until the block ends; ``answer`` is called in a thread for each connection."""
    lock = threading.Lock()
    busy = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            nonlocal busy
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(path=self.path, headers=dict(self.headers), body=body)
            with lock:
                busy += 1
                runtime.asked.append(asked)
                runtime.connections.add(self.client_address)
                runtime.busiest = max(runtime.busiest, busy)
            try:
                given = answer(asked)
            finally:
                with lock:
                    busy -= 1
            self.send_response(given.status)
            self.send_header("Content-Type", given.content_type)
            self.send_header("Content-Length", str(len(given.body)))
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(given.body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    runtime = FakeRuntime(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield runtime
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def refusal(code: str, status: int, **members: object) -> Answer:
    """An error as the service's REST-JSON protocol says it."""
    body = json.dumps({"Message": f"{code} was said", **members}).encode()
    return Answer(body=body, status=status, headers={"x-amzn-ErrorType": code})
