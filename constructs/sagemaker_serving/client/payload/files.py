"""Files that are cut into requests without being read whole: lines, and the rows of a .npy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.client.payload.arrays import npy_header, read_npy_layout
from sagemaker_serving.client.payload.batch import Joining, Piece, too_large
from sagemaker_serving.client.payload.items import size_of
from sagemaker_serving.client.payload.rows import FixedRows, Frame
from sagemaker_serving.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class LinesFile:
    """A file with a record on every line (CSV, JSON Lines); blank lines are no records.

    CSV fields with line breaks in them are cut apart: such files go as a whole.
    """

    path: Path
    records: int
    longest: int
    """Bytes of its longest line."""
    content_type: str
    joining: ClassVar[Joining] = "rows"

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """As few requests as the lines' order allows; see `Batch.pieces`."""
        if self.longest > limits.most:
            raise too_large(f"the longest line of {self.path}", self.longest, limits)
        return self._pieces(limits.split, most_records)

    def _pieces(self, room: int, most_records: int | None) -> Iterator[Piece]:
        frame = Frame(content_type=self.content_type)
        gathered: list[bytes] = []
        size = first = 0
        for line in _lines(self.path):
            full = size + len(line) > room or len(gathered) == most_records
            if gathered and full:
                yield frame.piece(first, len(gathered), b"\n".join(gathered))
                first, gathered, size = first + len(gathered), [], 0
            gathered.append(line)
            size += len(line) + 1
        if gathered:
            yield frame.piece(first, len(gathered), b"\n".join(gathered))


def lines_file(path: Path, content_type: str) -> LinesFile:
    """The lines of ``path``, which is read once to count them. Raises `Mistake` without any."""
    size_of(path)
    records = longest = 0
    for line in _lines(path):
        records, longest = records + 1, max(longest, len(line))
    if not records:
        raise Mistake(f"there is nothing to send: {path} has no lines")
    return LinesFile(path=path, records=records, longest=longest, content_type=content_type)


def npy_file(path: Path, content_type: str) -> FixedRows | None:
    """The rows of a .npy; None for one that cannot be cut, see `read_npy_layout`.

    Raises `Mistake` for one that ends before its last row.
    """
    size = size_of(path)
    with path.open("rb") as file:
        layout = read_npy_layout(file)
    if layout is None:
        return None
    records = layout.shape[0]
    if size < layout.offset + records * layout.row_bytes:
        raise Mistake(f"{path} ends before the last of its {records} rows; write it again")
    if not records:
        raise Mistake(f"there is nothing to send: the array in {path} has no rows")

    def rows(first: int, end: int) -> bytes:
        with path.open("rb") as file:
            file.seek(layout.offset + first * layout.row_bytes)
            return file.read((end - first) * layout.row_bytes)

    return FixedRows(
        records=records,
        row_bytes=layout.row_bytes,
        header=lambda count: npy_header(layout.dtype, (count, *layout.shape[1:])),
        rows=rows,
        content_type=content_type,
    )


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            if not line.isspace():
                yield line.rstrip(b"\r\n")
