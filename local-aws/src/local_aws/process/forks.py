"""Asking for processes that are forks of one, which has imported what they need (`forking`)."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from local_aws.process.forking import READY, SIZE, read_exactly
from local_aws.process.tree import end_tree, own, popen
from local_aws.process.watched import has_ended, open_pidfd


class Fork:
    """A process that is a fork, as `subprocess.Popen` has a child.

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

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit status. Raises `subprocess.TimeoutExpired`."""
        if not has_ended(self.pid, within_seconds=timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
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
    """The process that others are forks of, from the first that is asked for until `close`.

    It is ``command`` with the number of a socket as its last argument (`forking.serve`), and has
    ``environment``. When it has died, the next one that is asked for begins another; those that it
    began live on. Any thread may use it.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._asking: socket.socket | None = None
        self._is_closed = False

    def begin(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> Fork | None:
        """A fork that is given the request and at most three descriptors; None when there can be
        none."""
        with self._lock:
            # A second time, since one that is killed in this moment still seems to run.
            for _ in range(2):
                if not self._is_ready():
                    return None
                if (fork := self._asked(json.dumps(request).encode(), descriptors)) is not None:
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
                [*self._command, str(theirs.fileno())],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        if self._asking.recv(len(READY)) != READY:
            self._end()

    def _asked(self, body: bytes, descriptors: Sequence[int]) -> Fork | None:
        """What it began; None when it has died."""
        status_fd, tell = os.pipe()
        try:
            return own(lambda: self._ask(body, [tell, *descriptors], status_fd))
        except OSError:
            os.close(status_fd)
            return None
        finally:
            os.close(tell)

    def _ask(self, body: bytes, descriptors: Sequence[int], status_fd: int) -> Fork:
        assert self._asking is not None
        socket.send_fds(self._asking, [SIZE.pack(len(body))], descriptors)
        self._asking.sendall(body)
        return Fork(SIZE.unpack(read_exactly(self._asking, SIZE.size))[0], status_fd)

    def _end(self) -> None:
        if self._process is not None and self._asking is not None:
            self._asking.close()
            end_tree(self._process)
        self._process = self._asking = None


def _is_readable(descriptor: int, milliseconds: int | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(milliseconds))
