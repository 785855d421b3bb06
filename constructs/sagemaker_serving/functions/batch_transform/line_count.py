"""Lines counted as their bytes come: how many, how many blank ones, and whole requests in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLANK_BETWEEN = re.compile(rb"\n[ \t\r\x0b\x0c]*(?=\n)")

REQUEST = re.compile(rb'"(?:instances|inputs|examples)"\s*:')
"""How the TensorFlow container tells a whole request from an instance: anywhere in the body
(aws/deep-learning-containers e0ecede, tensorflowServing.js)."""

_OVERLAP = 64


@dataclass(kw_only=True)
class LineCount:
    """What was seen so far; all of it is JSON, so that another call can go on with it.

    A newline closes a line; what follows the last one is a line if it is anything. ``blanks``
    have white space only. ``has_requests`` is whether one looks like a request of its own.
    """

    offset: int = 0
    lines: int = 0
    blanks: int = 0
    has_requests: bool = False
    is_open: bool = False
    is_filled: bool = False
    tail: str = ""
    """The latest bytes, for what stands across two blocks."""

    def feed(self, block: bytes) -> None:
        """Count the next bytes."""
        self.offset += len(block)
        self._look_for_requests(block)
        newlines = block.count(b"\n")
        if newlines == 0:
            self.is_open = self.is_open or bool(block)
            self.is_filled = self.is_filled or bool(block.strip())
            return
        first, last = block.index(b"\n"), block.rindex(b"\n")
        if not self.is_filled and not block[:first].strip():
            self.blanks += 1
        self.blanks += len(_BLANK_BETWEEN.findall(block, first, last + 1))
        self.lines += newlines
        rest = block[last + 1 :]
        self.is_open, self.is_filled = bool(rest), bool(rest.strip())

    def end(self) -> None:
        """There is no more: close the last line."""
        if self.is_open:
            self.lines += 1
            self.blanks += not self.is_filled
            self.is_open = self.is_filled = False

    def _look_for_requests(self, block: bytes) -> None:
        if not self.has_requests:
            across = self.tail.encode("latin-1") + block[:_OVERLAP]
            self.has_requests = bool(REQUEST.search(across) or REQUEST.search(block))
            self.tail = (across if len(block) < _OVERLAP else block)[-_OVERLAP:].decode("latin-1")
