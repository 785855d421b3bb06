"""Records that share requests: rows of arrays, and lists of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.client.payload.batch import Joining, Piece, too_large


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What stands before, between and after the records of one request."""

    content_type: str
    before: bytes = b""
    between: bytes = b"\n"
    after: bytes = b""

    @property
    def overhead(self) -> int:
        """Bytes that a request has beside its records and what stands between them."""
        return len(self.before) + len(self.after)

    def piece(self, first: int, count: int, records: bytes) -> Piece:
        """The request of these records, which are joined already."""
        body = b"".join((self.before, records, self.after))
        return Piece(
            first=first, count=count, body=body, content_type=self.content_type, rows=count
        )


@dataclass(frozen=True, kw_only=True)
class FixedRows:
    """Rows of one size each, as in a .npy: a header that says how many, then their bytes."""

    records: int
    row_bytes: int
    header: Callable[[int], bytes]
    """The header of a request with that many rows."""
    rows: Callable[[int, int], bytes]
    """The bytes of the rows from one index up to another."""
    content_type: str
    joining: ClassVar[Joining] = "rows"

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """Full requests, the last one apart; see `Batch.pieces`."""
        header = len(self.header(self.records))  # never shorter than with fewer rows
        if self.row_bytes + header > limits.most:
            raise too_large("each record", self.row_bytes + header, limits)
        fitting = (limits.split - header) // max(1, self.row_bytes)
        step = max(1, fitting if most_records is None else min(fitting, most_records))
        starts = range(0, self.records, step)
        return (self._piece(first, min(self.records, first + step)) for first in starts)

    def _piece(self, first: int, end: int) -> Piece:
        frame = Frame(content_type=self.content_type, before=self.header(end - first))
        return frame.piece(first, end - first, self.rows(first, end))


@dataclass(frozen=True, kw_only=True)
class WrittenRows:
    """Records that are written out already, each as the bytes that stand for it."""

    rows: Sequence[bytes]
    frame: Frame
    joining: ClassVar[Joining] = "rows"

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.rows)

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """As few requests as their order allows; see `Batch.pieces`."""
        for index, row in enumerate(self.rows):
            if len(row) + self.frame.overhead > limits.most:
                raise too_large(f"record {index}", len(row) + self.frame.overhead, limits)
        return self._pieces(limits.split - self.frame.overhead, most_records)

    def _pieces(self, room: int, most_records: int | None) -> Iterator[Piece]:
        between = self.frame.between
        for first, end in spans([len(row) for row in self.rows], room, len(between), most_records):
            yield self.frame.piece(first, end - first, between.join(self.rows[first:end]))


@dataclass(frozen=True, kw_only=True)
class TextRows:
    """Rows of an array that are written when their request is made: their sizes are not known.

    ``text`` writes the rows from one index up to another, joined; no row is
    longer than ``longest`` bytes.
    """

    records: int
    longest: int
    text: Callable[[int, int], bytes]
    frame: Frame
    joining: ClassVar[Joining] = "rows"

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """Requests that are nearly full; see `Batch.pieces`.

        Where the longest row that there could be is too large, every row is
        written once more than it is sent, to know before anything is sent.
        """
        room = limits.most - self.frame.overhead
        if self.longest > room:
            for index in range(self.records):
                size = len(self.text(index, index + 1))
                if size > room:
                    raise too_large(f"record {index}", size + self.frame.overhead, limits)
        return self._pieces(limits.split - self.frame.overhead, most_records)

    def _pieces(self, room: int, most_records: int | None) -> Iterator[Piece]:
        first = 0
        count = self._fitting(len(self.text(0, 1)) if self.records else 1, room)
        while first < self.records:
            left = self.records - first
            count = min(count, left if most_records is None else min(left, most_records))
            text = self.text(first, first + count)
            while len(text) > room and count > 1:
                count = min(count - 1, self._fitting(-(-len(text) // count), room))
                text = self.text(first, first + count)
            yield self.frame.piece(first, count, text)
            first += count
            count = self._fitting(-(-len(text) // count), room)

    def _fitting(self, row_bytes: int, room: int) -> int:
        """Rows for one request, some 2 % under what fits: rows differ in length."""
        return max(1, room * 49 // 50 // (row_bytes + len(self.frame.between)))


def spans(
    sizes: Sequence[int], room: int, between: int, most_records: int | None
) -> Iterator[tuple[int, int]]:
    """Cuts records of ``sizes`` bytes into spans that fit ``room``, each as long as it can be.

    ``between`` bytes stand between two records. A record that does not fit by
    itself has a span of its own.
    """
    ends = [0, *accumulate(size + between for size in sizes)]
    first = 0
    while first < len(sizes):
        end = first + 1
        while (
            end < len(sizes)
            and ends[end + 1] - ends[first] - between <= room
            and (most_records is None or end - first < most_records)
        ):
            end += 1
        yield first, end
        first = end
