"""Ctrl-C in a command that waits for an endpoint: what is there, what to do next, and 130."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.local_aws.aws import eventually

PROGRAM = str(Path(sys.executable).parent / "sagemaker-serving")


class Endpoint(ThreadingHTTPServer):
    """Answers a body; does not answer "wait", and tells that it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.waiting = threading.Event()
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Requests(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.path.startswith("/endpoints/"):
            self._answer(400, b'{"__type": "ValidationException", "message": "not here"}')
            return
        if b"wait" in body:
            self.server.waiting.set()
            self.server.ended.wait(60)
        self._answer(200, body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()


GOLDEN = "".join(json.dumps({"body": body}) + "\n" for body in ("one", "wait"))


@pytest.mark.parametrize(
    ("arguments", "said", "left"),
    [
        (["predict", "chat", "a.json", "wait.json", "-o", "out", "--concurrency", "1"],
         "interrupted: 1 answers are in out, each of them whole; run the command again with",
         {"a.json.out": b'"a"'}),
        (["predict", "chat", "wait.json", "-o", "out/answer.json"],
         "interrupted: out/answer.json is as it was, since not all had come; run the command", {}),
        (["golden", "chat", "out/golden.jsonl", "--record"],
         "interrupted: out/golden.jsonl is as it was, and no answer is kept; run the command",
         {"golden.jsonl": GOLDEN.encode()}),
        (["bench", "chat", "--input", "wait.json", "--requests", "9", "--variants", "one"],
         "interrupted: nothing is kept of what was measured; run the command again, with", {}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_command_says_what_it_leaves_and_ends(
    endpoint: Endpoint, tmp_path: Path, arguments: list[str], said: str, left: dict[str, bytes]
) -> None:
    (tmp_path / "a.json").write_text('"a"')
    (tmp_path / "wait.json").write_text('"wait"')
    (tmp_path / "out").mkdir()
    if "golden" in arguments:
        (tmp_path / "out" / "golden.jsonl").write_text(GOLDEN)
    with subprocess.Popen(
        [PROGRAM, *arguments, "--region", "eu-west-1"],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "AWS_ENDPOINT_URL": endpoint.url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        assert endpoint.waiting.wait(120), command.communicate(timeout=1)
        eventually(lambda: left.keys() <= {each.name for each in (tmp_path / "out").iterdir()})
        command.send_signal(signal.SIGINT)
        _, wrong = command.communicate(timeout=120)
    assert command.returncode == 130, wrong
    assert said in wrong
    assert "Traceback" not in wrong
    assert {each.name: each.read_bytes() for each in (tmp_path / "out").iterdir()} == left


CTRL_C = "__import__('os').kill(__import__('os').getpid(), __import__('signal').SIGINT)\n"


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("click.py", CTRL_C),
        ("sitecustomize.py", f"import atexit\natexit.register(lambda: {CTRL_C})"),
    ],
    ids=["before a command runs", "after it has ended"],
)
@pytest.mark.parametrize(
    "program",
    [
        (PROGRAM,),
        (str(Path(PROGRAM).parent / "local-aws"),),
        (sys.executable, "-m", "sagemaker_serving"),
        (sys.executable, "-m", "local_aws"),
    ],
    ids=lambda words: " ".join(Path(word).name for word in words),
)
def test_ctrl_c_shows_no_traceback_while_no_command_runs(
    tmp_path: Path, program: tuple[str, ...], file: str, written: str
) -> None:
    (tmp_path / file).write_text(written)
    ended = subprocess.run(
        [*program, "--help"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")
