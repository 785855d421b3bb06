"""JSON documents counted as their bytes come, and the rows in them; no value is ever built.

An answer may have 100 MB in one document, so what is kept is where the bytes stand: the open
brackets, whether within a text, and what the document at hand has shown so far.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RESULTS = ("predictions", "outputs", "results")
"""Where TensorFlow Serving puts rows: of predict by rows and by columns, and of classify and
regress (tensorflow/serving 9d981c5, util/json_tensor.cc)."""

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_REST_OF_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_SCALAR = re.compile(rb"-?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Infinity|inf)|NaN|nan|true|false|null")
_QUOTE, _BACKSLASH = 0x22, 0x5C
_OPENED = {ord("]"): "[", ord("}"): "{"}
_DEEPEST = 10_000
_LONGEST = 64
"""Of a key or a number that is looked at; what is longer is none that matters."""


@dataclass(kw_only=True)
class JsonCount:
    """What was seen so far; all of it is JSON, so that another call can go on with it.

    ``documents`` are all; of these ``shaped`` have one of `RESULTS` with a list, which have
    ``shaped_rows`` together, ``empty`` of them none, and ``unclear`` have one of `RESULTS` with
    anything else; ``errors`` have an ``error`` in words and nothing more; ``lists`` are lists of
    ``list_rows`` together, ``empty_lists`` of them of none. ``is_broken`` is whether it is no JSON.
    """

    documents: int = 0
    shaped: int = 0
    shaped_rows: int = 0
    empty: int = 0
    unclear: int = 0
    errors: int = 0
    lists: int = 0
    list_rows: int = 0
    empty_lists: int = 0
    is_broken: bool = False

    stack: str = ""
    in_text: bool = False
    is_escaped: bool = False
    text: str = ""
    """How the text at hand begins, or the scalar between documents."""
    members: int = 0
    key: str | None = None
    """The member of the document whose value comes; None where a key does."""
    result: str = ""
    """What the document has under `RESULTS`: "list", "other", or "several" of them."""
    has_error: bool = False
    watched: int = 0
    """How deep the list stands whose elements count; 0 for none."""
    commas: int = 0
    is_filled: bool = False

    def feed(self, block: bytes) -> None:
        """Count the next bytes."""
        position = self._go_on_with_text(block) if self.in_text else 0
        stack = list(self.stack)
        for token in _TOKEN.finditer(block, position):
            start = token.start()
            if len(stack) <= 2:
                self._between(block, position, start, stack)
            position = token.end()
            byte = block[start]
            if byte == _QUOTE:
                if position - start == 1:
                    position = len(block)
                    self._begin_text(block[start + 1 :])
                    break
                if len(stack) <= 2:
                    self._text(block[start + 1 : start + 2 + _LONGEST], position - start - 2, stack)
            elif byte in _OPENED:
                if not stack or stack.pop() != _OPENED[byte]:
                    self.is_broken = True
                elif len(stack) <= 1:
                    self._closed(stack)
            else:
                if len(stack) <= 2:
                    self._opens(chr(byte), stack)
                stack.append(chr(byte))
            if self.is_broken:
                return
        if len(stack) <= 2:
            self._between(block, position, len(block), stack)
        self.is_broken = self.is_broken or len(stack) > _DEEPEST
        self.stack = "".join(stack)

    def end(self) -> None:
        """There is no more: what is still open is no document."""
        self._scalar_ends()
        self.is_broken = self.is_broken or bool(self.stack) or self.in_text

    def _begin_text(self, rest: bytes) -> None:
        self.in_text = True
        self.text = rest[: _LONGEST + 1].decode("latin-1")
        self.is_escaped = (len(rest) - len(rest.rstrip(b"\\"))) % 2 == 1

    def _go_on_with_text(self, block: bytes) -> int:
        """Where the text at hand has ended, all of the block when it has not."""
        start = 1 if self.is_escaped else 0
        found = _REST_OF_TEXT.match(block, start)
        end = start if found is None else found.end()
        if len(self.text) <= _LONGEST:
            self.text += block[: min(end, _LONGEST + 1)].decode("latin-1")
        if end < len(block) and block[end] == _QUOTE:
            self.in_text = self.is_escaped = False
            text = self.text.encode("latin-1")
            self.text = ""
            stack = list(self.stack)
            if len(stack) <= 2:
                self._text(text, len(text), stack)
            return end + 1
        self.is_escaped = end < len(block) and block[end] == _BACKSLASH
        return len(block)

    def _text(self, begins: bytes, length: int, stack: list[str]) -> None:
        """A whole text stands here: a document, a key, or a value."""
        if not stack:
            self._scalar_ends()
            self.documents += 1
        elif len(stack) == self.watched:
            self.is_filled = True
        elif len(stack) == 1 and stack[0] == "{":
            if self.key is None:
                self.members += 1
                self.key = begins[:length].decode("latin-1") if length <= _LONGEST else "…"
                if self.key in RESULTS:
                    self.result = "several" if self.result else "other"
            elif self.key == "error":
                self.has_error = True

    def _between(self, block: bytes, start: int, end: int, stack: list[str]) -> None:
        """What stands between two brackets or texts: commas, colons, numbers, blanks."""
        if start == end:
            return
        depth = len(stack)
        if depth == 0:
            self._scalars(block[start:end])
        elif depth == self.watched:
            self.commas += block.count(b",", start, end)
            self.is_filled = self.is_filled or bool(block[start:end].strip())
        elif depth == 1 and stack[0] == "{" and block.find(b",", start, end) >= 0:
            self.key = None

    def _opens(self, bracket: str, stack: list[str]) -> None:
        depth = len(stack)
        if depth == 0:
            self._scalar_ends()
            self.members, self.key, self.result, self.has_error = 0, None, "", False
            self.watched = 1 if bracket == "[" else 0
            self.commas, self.is_filled = 0, False
        elif depth == self.watched:
            self.is_filled = True
        elif depth == 1 and bracket == "[" and self.key in RESULTS and self.result == "other":
            self.result, self.watched = "list", 2
            self.commas, self.is_filled = 0, False

    def _closed(self, stack: list[str]) -> None:
        if len(stack) == 1:
            self.watched = 0 if self.watched == 2 else self.watched
            return
        self.documents += 1
        rows = self.commas + 1 if self.is_filled else 0
        if self.watched == 1:
            self.lists += 1
            self.list_rows += rows
            self.empty_lists += rows == 0
        elif self.result == "list":
            self.shaped += 1
            self.shaped_rows += rows
            self.empty += rows == 0
        elif self.result:
            self.unclear += 1
        elif self.has_error and self.members == 1:
            self.errors += 1
        self.watched = 0

    def _scalars(self, text: bytes) -> None:
        """Numbers and words between documents; the last may go on in the next block."""
        whole = self.text.encode("latin-1") + text
        words = whole.split()
        self.text = ""
        if words and not whole[-1:].isspace():
            self.text = words.pop()[: _LONGEST + 1].decode("latin-1")
        for word in words:
            self._scalar(word)

    def _scalar_ends(self) -> None:
        if self.text:
            word, self.text = self.text.encode("latin-1"), ""
            self._scalar(word)

    def _scalar(self, word: bytes) -> None:
        if _SCALAR.fullmatch(word) is None:
            self.is_broken = True
        self.documents += 1
