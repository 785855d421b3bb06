"""The pipes to a function's process: events in, answers and printed lines out."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
from typing import Any


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
