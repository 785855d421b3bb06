"""The answers in an output, counted by its own form and by what the job was told to write.

What a form does not tell is not guessed: without a number nothing is taken for whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from .json_count import JsonCount
from .line_count import LineCount
from .records import Damaged, Reader, records_of

_BLOCK = 1 << 20
_RECORDIO = (0xCED7230A).to_bytes(4, "little")
_NUMPY = b"\x93NUMPY"
_TEXT = bytes([7, 8, 9, 10, 11, 12, 13, 27, *range(0x20, 0x100)])
"""What text is made of; any other byte makes it something else."""

_ITEM = re.compile(r"[<>|=]?[biufcSUVmM?](\d+)(?:\[\w+\])?")
_SHOWN = 200
_LONGEST_HEADER = 1 << 16
_LONGEST_RECORD = 100 * 1024 * 1024


class OutOfTime(Exception):
    """The call's time is up, and there is more to read."""


@dataclass(kw_only=True)
class AnswerCount:
    """What was seen of an output so far; all of it is JSON, so that another call can go on.

    ``form`` is "json", "text", "binary", "npy" or "recordio", "" before anything was read. Of npy
    and RecordIO ``units`` counts the arrays or records, and ``rows`` those of all arrays.
    """

    form: str = ""
    begins: str = ""
    """How the output begins, for people."""
    offset: int = 0
    units: int = 0
    rows: int | None = 0
    lines: LineCount = field(default_factory=LineCount)
    json: JsonCount = field(default_factory=JsonCount)

    @classmethod
    def of(cls, kept: dict[str, Any]) -> AnswerCount:
        """What `kept` has kept."""
        lines, json = LineCount(**kept.pop("lines")), JsonCount(**kept.pop("json"))
        return cls(**kept, lines=lines, json=json)

    def kept(self) -> dict[str, Any]:
        """All of it as JSON."""
        return asdict(self)

    def read(self, stream: Any, in_time: Callable[[], bool]) -> None:
        """Count the rest of the output. Raises `OutOfTime`, with all that was read counted."""
        reader = Reader(stream)
        if not self.form:
            self.form = _form_of(reader)
            self.begins = reader.peek(_SHOWN).decode("utf-8", "replace")
        if self.form in ("npy", "recordio"):
            self._units(reader, in_time)
            return
        block = reader.take(_BLOCK)
        while block:
            self._feed(block)
            block = reader.take(_BLOCK)
            if block and not in_time():
                raise OutOfTime
        self.lines.end()
        self.json.end()

    def answers(self, *, each_alone: bool, joined: bool, accept: str, records: int) -> int | None:
        """How many answers there are; None where that cannot be told.

        ``each_alone`` is whether each record was a request of its own, ``joined`` whether SageMaker
        joined answers to their records, ``records`` how many there should be.
        """
        return self.told_apart(
            each_alone=each_alone, joined=joined, accept=accept, records=records
        )[1]

    def told_apart(
        self, *, each_alone: bool, joined: bool, accept: str, records: int
    ) -> tuple[str, int | None]:
        """What of the output is an answer: a "line", a "document", a "row"; and how many."""
        by_line = self.json.is_broken and accept.startswith("text/")
        if self.form == "text" or by_line:
            return "line", self.lines.lines - self.lines.blanks
        if self.form == "json":
            if joined and not self.json.is_broken:
                return "document", self.json.documents
            return self._of_json(each_alone, accept, records)
        if self.form in ("npy", "recordio"):
            return self.form, self.units if each_alone or self.form == "recordio" else self.rows
        return self.form, None

    def is_whole_to_one(self, *, each_alone: bool, joined: bool, accept: str) -> bool:
        """Whether one record has its answer in it, in whatever pieces."""
        found = self.answers(each_alone=each_alone, joined=joined, accept=accept, records=1)
        if found is None:
            return self.form != "json" or not self.json.is_broken
        return found > 0

    @property
    def is_shaped(self) -> bool:
        """Whether it is as TensorFlow Serving answers: rows under a name."""
        return self.form == "json" and 0 < self.json.shaped == self.json.documents

    def _feed(self, block: bytes) -> None:
        self.offset += len(block)
        self.lines.feed(block)
        if self.form == "json":
            if not self.json.is_broken:
                self.json.feed(block)
        elif block.translate(None, _TEXT):
            self.form = "binary"

    def _of_json(self, each_alone: bool, accept: str, records: int) -> tuple[str, int | None]:
        json = self.json
        if json.is_broken:
            return "document", None
        if each_alone:
            return "document", json.documents - json.empty - json.errors
        if json.shaped or json.unclear:
            is_clear = json.shaped + json.errors == json.documents
            return "row", json.shaped_rows if is_clear else None
        bare = json.documents - json.errors
        if "jsonlines" in accept or (bare == records and not json.empty_lists):
            return "document", bare
        return "row", json.list_rows + bare - json.lists

    def _units(self, reader: Reader, in_time: Callable[[], bool]) -> None:
        """Frames are counted from the beginning each time: where one stands is not kept."""
        self.units, self.rows = 0, 0
        found = _arrays(reader) if self.form == "npy" else _frames(reader)
        try:
            for rows in found:
                self.units += 1
                self.rows = None if rows is None or self.rows is None else self.rows + rows
                if not in_time():
                    raise OutOfTime
        except Damaged:
            self.form = "binary"


def _form_of(reader: Reader) -> str:
    head = reader.peek(len(_NUMPY))
    if head == _NUMPY:
        return "npy"
    if head.startswith(_RECORDIO):
        return "recordio"
    size, begins = _SHOWN, reader.peek(_SHOWN).lstrip()
    while not begins and size < _BLOCK and reader.fill(size) >= size:
        size *= 2
        begins = reader.peek(size).lstrip()
    return "json" if begins[:1] in (b"{", b"[") else "text"


def _frames(reader: Reader) -> Iterator[int]:
    for _ in records_of(_Rest(reader), "RecordIO", is_gzip=False, limit=_LONGEST_RECORD):
        yield 1


class _Rest:
    """What a reader has not taken, as a stream."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def read(self, size: int) -> bytes:
        return self._reader.take(size)


def _arrays(reader: Reader) -> Iterator[int | None]:
    """The rows of each array of NumPy's format, one after the other, perhaps with newlines between.

    A magic text, two bytes of version, the length of a Python dictionary and the dictionary, then
    the items (numpy.org, "numpy.lib.format"). None: an array without rows.
    """
    while reader.fill(1):
        if reader.peek(1) == b"\n":
            reader.take(1)
            continue
        head = reader.take(8)
        if head[:6] != _NUMPY:
            raise Damaged("it does not go on as an array")
        length = int.from_bytes(reader.take(2 if head[6:7] == b"\x01" else 4), "little")
        if length > _LONGEST_HEADER:
            raise Damaged("an array's header is too long")
        shape, size = _described(reader.take(length))
        if reader.skip(size) < size:
            raise Damaged("an array is cut off")
        yield shape[0] if shape else None


def _described(header: bytes) -> tuple[tuple[int, ...], int]:
    """The shape of an array, and its bytes."""
    try:
        described = ast.literal_eval(header.decode("latin-1").strip())
        item = _ITEM.fullmatch(described["descr"])
        shape = tuple(int(length) for length in described["shape"])
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError) as error:
        raise Damaged(f"an array's header cannot be read: {error}") from None
    if item is None or any(length < 0 for length in shape):
        raise Damaged("an array has items of another kind")
    size = int(item[1]) * (4 if "U" in described["descr"] else 1)
    for length in shape:
        size *= length
    return shape, size
