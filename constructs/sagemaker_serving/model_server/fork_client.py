"""Asking for containers, from the local SageMaker."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

from local_aws.process import end_tree, has_ended, open_pidfd, own, popen
from sagemaker_serving.model_server.variables import TENSORFLOW_VARIABLES

SIZE = struct.Struct("!I")
READY = b"r"

_OF_THE_CONTAINER = ("SAGEMAKER_", "AWS_")
"""What begins so is read by the container, and by none of the libraries that TensorFlow loads: so
says getenv(3), where all its names were written down while they were imported."""


class Fork:
    """A container that is a fork, as `subprocess.Popen` has a child.

    When the process that began it has died, it lives on, and how it ends is told only where it
    falls to this process; elsewhere it counts as killed.
    """

    def __init__(self, pid: int, status_fd: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._status_fd = status_fd
        self._pidfd = open_pidfd(pid)
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """The exit status, less than 0 for a signal; None while it runs."""
        with self._lock:
            if self.returncode is None:
                self.returncode = self._status()
                if self.returncode is not None:
                    os.close(self._status_fd)
                    if self._pidfd is not None:
                        os.close(self._pidfd)
            return self.returncode

    def wait(self) -> int:
        """Wait for its end; the exit status."""
        has_ended(self.pid, within_seconds=None)
        while (status := self.poll()) is None:
            _is_readable(self._status_fd, None)
        return status

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _status(self) -> int | None:
        if not _is_readable(self._status_fd, 0):
            return None
        if told := os.read(self._status_fd, 16):
            return int(told)
        with suppress(ChildProcessError):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return os.waitstatus_to_exitcode(status) if pid else None
        is_over = has_ended(self.pid) if self._pidfd is None else _is_readable(self._pidfd, 0)
        return -signal.SIGKILL if is_over else None


class ForkServer:
    """The process that has TensorFlow, from the first container that asks for one until `close`.

    Any thread may use it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None
        self._is_closed = False

    def begin(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        public: int,
        parent: int,
        output: int,
    ) -> Fork | None:
        """A container with this environment, on the listening socket ``public``.

        It ends when the pipe ``parent`` does; its log goes to ``output``. None: it has to be a
        process of its own, for a variable that TensorFlow may have read before, or because
        TensorFlow is not here, or cannot be imported.
        """
        if not _is_shared(environment) or importlib.util.find_spec("tensorflow") is None:
            return None
        request = json.dumps({"arguments": list(arguments), "environment": dict(environment)})
        with self._lock:
            # A second time, since one that is killed in this moment still seems to run.
            for _ in range(2):
                if not self._is_ready():
                    return None
                if (fork := self._asked(request, [public, parent, output])) is not None:
                    return fork
                self._end()
        return None

    def close(self) -> None:
        """End the process; what it began ends by other means."""
        with self._lock:
            self._is_closed = True
            self._end()

    def _is_ready(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None and not self._is_closed:
            self._start()
        return self._process is not None

    def _start(self) -> None:
        self._asking, theirs = socket.socketpair()
        with theirs:
            self._process = popen(
                [
                    *(sys.executable, "-I", "-m", "sagemaker_serving.model_server.fork_server"),
                    f"--socket-fd={theirs.fileno()}",
                ],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        if self._asking.recv(len(READY)) != READY:
            self._end()

    def _asked(self, request: str, descriptors: Sequence[int]) -> Fork | None:
        """What it began; None when it has died."""
        status_fd, tell = os.pipe()
        try:
            return own(lambda: self._ask(request, [tell, *descriptors], status_fd))
        except OSError:
            os.close(status_fd)
            return None
        finally:
            os.close(tell)

    def _ask(self, request: str, descriptors: Sequence[int], status_fd: int) -> Fork:
        assert self._asking is not None
        body = request.encode()
        socket.send_fds(self._asking, [SIZE.pack(len(body))], descriptors)
        self._asking.sendall(body)
        return Fork(SIZE.unpack(read_exactly(self._asking, SIZE.size))[0], status_fd)

    def _end(self) -> None:
        if self._process is not None and self._asking is not None:
            self._asking.close()
            end_tree(self._process)
        self._process = self._asking = None


def minimal_environment() -> dict[str, str]:
    """What every container has of this process's environment."""
    minimal = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    if "TMPDIR" in os.environ:
        minimal["TMPDIR"] = os.environ["TMPDIR"]
    return minimal


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """The next ``size`` bytes; raises `ConnectionError` when there are fewer."""
    read = b""
    while len(read) < size:
        part = connection.recv(size - len(read))
        if not part:
            raise ConnectionError("the other end was closed")
        read += part
    return read


def _environment() -> dict[str, str]:
    return {**minimal_environment(), **TENSORFLOW_VARIABLES}


def _is_shared(environment: Mapping[str, str]) -> bool:
    """Whether TensorFlow would have been imported alike with this environment."""
    given = _environment()
    return all(
        name.startswith(_OF_THE_CONTAINER) or given.get(name) == value
        for name, value in environment.items()
    )


def _is_readable(descriptor: int, milliseconds: int | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(milliseconds))
