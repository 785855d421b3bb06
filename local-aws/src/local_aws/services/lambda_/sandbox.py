"""One process of a function: started once, invoked one event after another, ended when it must be.

The process has its own environment and nothing of this one's, a supervisor, so that all it
starts ends with it, and two pipes to `runtime`. Its memory is watched while it runs; AWS ends
a function that exceeds its memory or its time, and so does this.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from local_aws.process import (
    ISOLATED_PYTHON,
    SUPERVISOR,
    Fork,
    ForkServer,
    end_tree,
    forking,
    popen,
)

INIT_SECONDS = 10.0
"""How long importing the handler may take beside the function's own timeout
(AWS Lambda developer guide, "Understanding the Lambda execution environment lifecycle"). AWS
would start it once more; here it simply has that much longer."""

_WATCH_SECONDS = 0.02
"""Between two looks at a process's memory."""

_CHILDREN_LOOKS = 25
"""At each of so many looks its children are looked for, which takes much longer."""

_PYTHON = (*ISOLATED_PYTHON, "-u")
"""Unbuffered as in AWS's runtime."""

_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How a process of a function is started.

    ``task_root`` is its unpacked zip, ``layers`` what its layers hold, None without one;
    ``program`` is the command of its runtime, this Python's without one, which looks for modules
    first in ``import_path``; ``environment`` is all the process gets, but for HOME and TMPDIR;
    ``memory_mb`` bounds its memory. ``imports_boto3``: importing its handler surely imports boto3,
    so that it may be a fork of a process that has. ``mounted_runtime`` is what it finds in
    ``/var/runtime``, and with that its zip in ``/var/task`` and its layers in ``/opt``; None where
    the kernel does not let it.
    """

    task_root: Path
    mounted_runtime: Path | None = None
    layers: Path | None = None
    program: Sequence[str] = ()
    import_path: Sequence[str]
    environment: Mapping[str, str]
    memory_mb: int
    imports_boto3: bool = False


HandOn = Callable[[str, bytes], None]
"""Takes a part of a streamed answer: the answer's content type, and what was written."""


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One event for a process; ``timeout_seconds`` is the function's.

    ``hand_on`` takes the parts of a streamed answer as they come; without one they are its body.
    """

    request_id: str
    event: str
    invoked_function_arn: str
    timeout_seconds: float
    client_context: str | None = None
    hand_on: HandOn | None = None


@dataclass(kw_only=True)
class Outcome:
    """How an invocation ended.

    ``body`` is the handler's result as JSON, or the error that AWS answers; ``failed`` says
    which, ``streamed`` that it came in parts. ``ending`` is how the process came to its end, if it
    did: exit, memory or timeout. ``lines`` is what the function printed meanwhile, ``init_ms`` is
    None but for the first invocation of a process.
    """

    body: str = "null"
    failed: bool = False
    streamed: bool = False
    error_type: str = ""
    ending: str = ""
    lines: list[str] = field(default_factory=list)
    duration_ms: float = 0.0
    init_ms: float | None = None
    memory_mb: int = 0


class Sandbox:
    """One process; only one thread at a time may `invoke` it, any may `end` it.

    It is a fork of ``forks`` where it can be.
    """

    def __init__(self, launch: Launch, forks: ForkServer | None = None) -> None:
        self._memory_limit = launch.memory_mb << 20
        self._scratch = Path(tempfile.mkdtemp(prefix="sagemaker-serving-function-"))
        self._started = time.monotonic()
        self._initialised = False
        self._ending = threading.Lock()
        self._ended = False
        self._pipes = Pipes()
        requests, answers, output = self._pipes.theirs
        given = [json.dumps(list(launch.import_path)), SUPERVISOR, "\n".join(launch.program)]
        if launch.mounted_runtime is not None:
            stage = self._scratch / "stage"
            stage.mkdir()
            mounted = (launch.task_root, launch.mounted_runtime, launch.layers or "", stage)
            given += map(str, mounted)
        environment = {
            **launch.environment,
            "HOME": str(self._scratch),
            "TMPDIR": str(self._scratch),
        }
        asked = {"environment": environment, "directory": str(launch.task_root), "arguments": given}
        try:
            fork = forks and launch.imports_boto3 and forks.begin(asked, self._pipes.theirs)
            self._process: Fork | subprocess.Popen[bytes] = fork or popen(
                [*_PYTHON, str(_BOOTSTRAP), str(requests), str(answers), *given],
                env=environment,
                cwd=launch.task_root,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(requests, answers),
            )
        finally:
            self._pipes.hand_over()
        self._supervisor = psutil.Process(self._process.pid)
        self._own: psutil.Process | None = None
        self._hand_on: HandOn = lambda content_type, content: None

    @property
    def pid(self) -> int:
        """The function's process, once it runs; until then its supervisor."""
        return self._process.pid if self._own is None else int(self._own.pid)

    @property
    def alive(self) -> bool:
        """Whether it can take another event."""
        return not self._ended and self._process.poll() is None

    def memory_bytes(self) -> int:
        """Resident memory of the process and all it has started, but for what is mapped from
        files; 0 once it has ended."""
        total = 0
        with contextlib.suppress(psutil.Error):
            for each in self._supervisor.children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    total += _own_bytes(each)
        return total

    def invoke(self, invocation: Invocation) -> Outcome:
        """Run one event to its end, whatever the end is; after some the process is not `alive`."""
        outcome = Outcome()
        limit = invocation.timeout_seconds
        parts: list[bytes] = []
        self._hand_on = invocation.hand_on or (lambda _, content: parts.append(content))
        if not self._initialised:
            answer = self._wait(outcome, self._started + INIT_SECONDS + limit)
            outcome.init_ms = (time.monotonic() - self._started) * 1000
            self._initialised = answer is not None and answer["status"] == "ready"
        if self._initialised:
            began = time.monotonic()
            self._pipes.send(_frame(invocation))
            answer = self._wait(outcome, began + limit)
            outcome.duration_ms = (time.monotonic() - began) * 1000
        if answer is None:
            self.end()
            outcome.error_type, what = self._end_of(outcome, invocation)
            message = f"RequestId: {invocation.request_id} Error: {what}"
            body = {"errorType": outcome.error_type, "errorMessage": message}
            outcome.failed, outcome.body = True, json.dumps(body)
        elif answer["status"] == "result":
            outcome.body = answer["body"]
        elif answer["status"] == "streamed":
            outcome.streamed, outcome.body = True, b"".join(parts).decode(errors="replace")
        else:
            outcome.error_type = answer["body"]["errorType"]
            outcome.failed, outcome.body = True, json.dumps(answer["body"], ensure_ascii=False)
            if answer["status"] == "fatal":
                self.end()
        outcome.lines = self._pipes.take_lines()
        return outcome

    def end(self) -> None:
        """Kill the process and all it has started."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
            end_tree(self._process)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def close(self) -> None:
        """End the process and let go of its pipes; for the thread that invokes it."""
        self.end()
        self._pipes.close()

    def _wait(self, outcome: Outcome, deadline: float) -> dict[str, Any] | None:
        """The next answer, or None with ``outcome.ending`` saying why there is none."""
        looks = 0
        while True:
            try:
                answer = self._pipes.receive(_WATCH_SECONDS)
            except EOFError:
                outcome.ending = "exit"
                return None
            if answer is not None and answer["status"] == "started":
                with contextlib.suppress(psutil.Error):
                    self._own = psutil.Process(answer["body"])
                continue
            if answer is not None and answer["status"] == "part":
                part, answer = answer["body"], None
                self._hand_on(part["type"], base64.b64decode(part["content"]))
            looks += 1
            used = self._memory(with_children=looks % _CHILDREN_LOOKS == 0)
            outcome.memory_mb = max(outcome.memory_mb, min(used, self._memory_limit) >> 20)
            if answer is not None:
                return answer
            if used > self._memory_limit:
                outcome.ending = "memory"
                return None
            if time.monotonic() > deadline:
                outcome.ending = "timeout"
                return None

    def _memory(self, *, with_children: bool) -> int:
        """Resident bytes; looking for children takes long, so it is not done each time."""
        if with_children:
            return self.memory_bytes()
        if self._own is not None:
            with contextlib.suppress(psutil.Error):
                return _own_bytes(self._own)
        return 0

    def _end_of(self, outcome: Outcome, invocation: Invocation) -> tuple[str, str]:
        if outcome.ending == "timeout":
            shown = f"{invocation.timeout_seconds:.2f}"
            return "Sandbox.Timedout", f"Task timed out after {shown} seconds"
        if outcome.ending == "memory":
            return "Runtime.OutOfMemory", "Runtime exited with error: signal: killed"
        status = self._process.wait()
        if status == 0:
            return "Runtime.ExitError", "Runtime exited without providing a reason"
        how = f"exit status {status}" if status > 0 else f"signal: {_signal_name(-status)}"
        return "Runtime.ExitError", f"Runtime exited with error: {how}"


def forks_with_boto3(runtime: Path, shown: str) -> ForkServer:
    """The process with boto3 of one local AWS, as it is found in ``runtime``, which functions see
    as ``shown``."""
    mounted = str(runtime) if shown != str(runtime) else ""
    stage = str(runtime.with_name("stage"))
    return ForkServer(
        [*_PYTHON, str(_BOOTSTRAP), "boto3", forking.__file__, shown, mounted, stage, SUPERVISOR],
        # Where it has none, botocore takes the user's own for the names of its caches.
        {"HOME": "/nonexistent", "LANG": "C.UTF-8", "TZ": ":UTC"},
    )


def _own_bytes(process: psutil.Process) -> int:
    """Resident bytes but for those of files: Node's own program takes 50 MB of them, more than
    AWS's leaves to a function of 128 MB."""
    info = process.memory_info()
    return int(info.rss - getattr(info, "shared", 0))


def _frame(invocation: Invocation) -> dict[str, Any]:
    return {
        "request_id": invocation.request_id,
        "event": json.loads(invocation.event),
        "invoked_function_arn": invocation.invoked_function_arn,
        "client_context": invocation.client_context,
        "deadline_ms": int((time.time() + invocation.timeout_seconds) * 1000),
        "trace_id": f"Root=1-{invocation.request_id[:8]}-{invocation.request_id[-12:]}",
    }


def _signal_name(number: int) -> str:
    """A signal as Go's runtime, which AWS's sandbox is written in, names it."""
    return _SIGNALS.get(number) or (signal.strsignal(number) or str(number)).lower()


_SIGNALS: dict[int, str] = {
    signal.SIGABRT: "aborted",
    signal.SIGKILL: "killed",
    signal.SIGSEGV: "segmentation fault",
    signal.SIGTERM: "terminated",
}


class Pipes:
    """This end of three pipes; ``theirs`` are the other ends, for the process that is started.

    ``lines`` is what the process has printed since `take_lines`.
    """

    def __init__(self) -> None:
        their_requests, self._requests = os.pipe()
        self._answers, their_answers = os.pipe()
        self._output, their_output = os.pipe()
        self.theirs = (their_requests, their_answers, their_output)
        self._lines: list[str] = []
        self._unfinished_line = b""
        self._unread_answers = b""
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._answers, self._output):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ)

    def hand_over(self) -> None:
        """Close the other ends: the process has them now."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def send(self, frame: dict[str, Any]) -> None:
        """Send one line; a process that has ended does not get it."""
        line = json.dumps(frame).encode() + b"\n"
        with contextlib.suppress(OSError):
            while line:
                line = line[os.write(self._requests, line) :]

    def receive(self, seconds: float) -> dict[str, Any] | None:
        """The next answer, or None when none came within ``seconds``.

        Raises EOFError when the process has ended.
        """
        if b"\n" not in self._unread_answers:
            ready = {key.fd for key, _ in self._selector.select(seconds)}
            if self._output in ready and not self._read_output():
                self._selector.unregister(self._output)
            if self._answers in ready:
                chunk = os.read(self._answers, 1 << 16)
                if not chunk:
                    raise EOFError
                self._unread_answers += chunk
        line, newline, rest = self._unread_answers.partition(b"\n")
        if not newline:
            return None
        self._unread_answers = rest
        answer: dict[str, Any] = json.loads(line)
        return answer

    def take_lines(self) -> list[str]:
        """What has been printed so far, and is not taken yet."""
        with contextlib.suppress(BlockingIOError):
            while self._read_output():
                pass
        lines, self._lines = self._lines, []
        if self._unfinished_line:
            lines.append(self._unfinished_line.decode(errors="replace"))
            self._unfinished_line = b""
        return lines

    def close(self) -> None:
        """Let go of this end."""
        self._selector.close()
        for descriptor in (self._requests, self._answers, self._output):
            os.close(descriptor)

    def _read_output(self) -> bool:
        chunk = os.read(self._output, 1 << 16)
        *lines, self._unfinished_line = (self._unfinished_line + chunk).split(b"\n")
        self._lines += [line.decode(errors="replace") for line in lines]
        return bool(chunk)
