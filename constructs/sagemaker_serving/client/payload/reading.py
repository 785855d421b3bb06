"""What callers have, as a batch of records."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.client.payload import array_rows, value_rows
from sagemaker_serving.client.payload.arrays import Array, code_of, npy_header, read_npy_layout
from sagemaker_serving.client.payload.batch import Batch, Encoding, Joining, Piece, too_large
from sagemaker_serving.client.payload.choice import (
    CONTENT_TYPES,
    ModelFacts,
    accepts,
    densest,
    encoding_named,
    encoding_of_files,
)
from sagemaker_serving.client.payload.dtypes import (
    column_of,
    must_be_text,
    values_of,
    writable,
)
from sagemaker_serving.client.payload.items import OCTET_STREAM, Items, size_of, type_of
from sagemaker_serving.client.payload.rows import FixedRows, Frame
from sagemaker_serving.errors import Mistake

_AS_IT_IS = 1 << 20
"""Bytes of a JSON file that every endpoint takes in one request; it is not even parsed."""


def batch_of(
    data: Any,
    *,
    model: ModelFacts | Callable[[], ModelFacts],
    encoding: Encoding | None = None,
    content_type: str | None = None,
) -> Batch:
    """``data`` as a batch of records.

    - ``str``, ``bytes`` and open files are a body, sent as it is;
    - a `Path` is a file: CSV and JSON Lines have records, a .npy is an array,
      anything else is a body;
    - an array is a batch along its first axis, and so is a mapping of arrays by input name;
    - ``{"instances": […]}`` and ``{"examples": […]}`` are batches; any other
      mapping is one JSON document;
    - a list or an iterator is a batch of values, or of files.

    ``encoding`` overrides the choice and ``content_type`` what it is called; a
    content type alone chooses the encoding that it names. A ``model`` that must
    first be asked for is asked for only where something depends on it. Raises `Mistake` for
    what is empty, cannot be read or written, or does not fit the signature.
    """
    wanted = _Wanted(told=model, encoding=encoding, content_type=content_type)
    with unwritable():
        return _batch(data, wanted)


def written(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """``pieces``, of which each is written when it is asked for. Raises as `batch_of` does."""
    with unwritable():
        yield from pieces


@contextmanager
def unwritable(by: str = "") -> Iterator[None]:
    """What Python raises for data that has no such form becomes `Mistake`."""
    try:
        yield
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Mistake(f"the data cannot be written{by}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    told: ModelFacts | Callable[[], ModelFacts]
    encoding: Encoding | None
    content_type: str | None

    @property
    def model(self) -> ModelFacts:
        return self.told if isinstance(self.told, ModelFacts) else self.told()

    def chosen(self, otherwise: Encoding) -> Encoding:
        """The encoding that the caller asks for, by its name or by a content type."""
        if self.encoding is not None:
            return self.encoding
        return otherwise if self.content_type is None else encoding_named(self.content_type)

    @property
    def asks(self) -> bool:
        return self.encoding is not None or self.content_type is not None

    def typed(self, encoding: Encoding) -> str:
        if self.content_type is not None:
            return self.content_type
        return CONTENT_TYPES.get(encoding, OCTET_STREAM)


def _batch(data: Any, wanted: _Wanted) -> Batch:
    if isinstance(data, str):
        return _body(data.encode(), wanted, "application/json")
    if isinstance(data, bytes | bytearray | memoryview):
        return _body(bytes(data), wanted, None)
    if isinstance(data, Path):
        return _file(data, wanted)
    if hasattr(data, "read"):
        return _open_file(data, wanted)
    array = writable(data)
    if array is not None and array.shape:
        return _array(array, wanted)
    if array is not None:
        return value_rows.document(array, wanted.typed("json"))
    data = values_of(data)
    if isinstance(data, Mapping):
        return _mapping(data, wanted)
    if isinstance(data, Iterable):
        return _values(data if isinstance(data, Sequence) else list(data), wanted)
    return value_rows.document(data, wanted.typed("json"))


def _body(body: bytes | Path, wanted: _Wanted, content_type: str | None) -> Batch:
    given = wanted.content_type if wanted.content_type is not None else content_type
    return Items(items=[body], content_type=given, joining="one")


def _open_file(file: Any, wanted: _Wanted) -> Batch:
    content = file.read()
    name = getattr(file, "name", None)
    guessed = type_of(Path(name)) if isinstance(name, str) else None
    return _body(content.encode() if isinstance(content, str) else content, wanted, guessed)


def _file(path: Path, wanted: _Wanted) -> Batch:
    encoding = wanted.chosen(encoding_named(type_of(path)))
    if encoding in ("csv", "jsonlines"):
        return lines_file(path, wanted.typed(encoding))
    if encoding == "base64":
        return value_rows.rows([path], encoding, wanted.typed(encoding), wanted.model)
    if encoding == "npy":
        known = wanted.asks or accepts("npy", wanted.model)
        rows = npy_file(path, wanted.typed(encoding)) if known else None
        if rows is not None:
            return rows
        array = None if known else _loaded(path)
        if array is not None and array.shape:
            return _array(array, wanted)
    if encoding == "json" and size_of(path) > _AS_IT_IS:
        return _batch(_parsed(path), wanted)
    return _body(path, wanted, None if encoding == "raw" else wanted.typed(encoding))


def _loaded(path: Path) -> Array | None:
    """The array in a .npy, read as it is used; None without numpy."""
    size_of(path)
    if find_spec("numpy") is None:
        return None
    import numpy

    array: Array = numpy.asarray(numpy.load(path, mmap_mode="r", allow_pickle=False))
    return array


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise Mistake(f"{path} is no JSON: {error}") from None


def _array(array: Array, wanted: _Wanted) -> Batch:
    if not array.shape[0]:
        raise Mistake(f"there is nothing to send: the array has the shape {array.shape}")
    encoding = wanted.chosen("npy") if wanted.asks else densest("array", wanted.model)
    if encoding in ("json", "jsonlines", "csv"):
        must_be_text(array, encoding)
    return array_rows.rows(array, encoding, wanted.typed(encoding), wanted.model)


def _mapping(data: Mapping[Any, Any], wanted: _Wanted) -> Batch:
    for key in ("instances", "examples"):
        rows = values_of(data.get(key))
        if isinstance(rows, list | tuple) or writable(rows) is not None:
            others = {name: value for name, value in data.items() if name != key}
            return value_rows.under(key, rows, others, wanted.typed("json"))
    arrays = {str(name): column_of(str(name), value) for name, value in data.items()}
    columns = {name: array for name, array in arrays.items() if array is not None}
    if columns and len(columns) == len(data) and "inputs" not in data:
        return array_rows.columns(columns, wanted.typed("json"), wanted.model)
    return value_rows.document(data, wanted.typed("json"))


def _values(values: Sequence[Any], wanted: _Wanted) -> Batch:
    if not values:
        raise Mistake("there is nothing to send: the list is empty")
    if all(isinstance(value, bytes | bytearray | memoryview | Path) for value in values):
        encoding = wanted.chosen("raw") if wanted.asks else encoding_of_files(wanted.model)
        if encoding == "base64":
            return value_rows.rows(values, encoding, wanted.typed(encoding), wanted.model)
        items = [value if isinstance(value, Path) else bytes(value) for value in values]
        return Items(items=items, content_type=wanted.content_type)
    arrays = [writable(value) for value in values]
    alike = {None if array is None else (code_of(array), array.shape) for array in arrays}
    if len(alike) == 1 and arrays[0] is not None and arrays[0].shape:
        encoding = wanted.chosen("npy") if wanted.asks else densest("array", wanted.model)
        if encoding == "npy":
            return array_rows.stacked([a for a in arrays if a is not None], wanted.typed(encoding))
    else:
        encoding = wanted.chosen("json") if wanted.asks else densest("records", wanted.model)
    return value_rows.rows(values, encoding, wanted.typed(encoding), wanted.model)


@dataclass(frozen=True, kw_only=True)
class LinesFile:
    """A file with a record on every line (CSV, JSON Lines); blank lines are no records."""

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
    """The lines of ``path``, which is read once to count them.

    Raises `Mistake` without any, for UTF-16, for bytes that are not UTF-8 where ``content_type``
    names no charset, and for CSV with a line break within a field.
    """
    size_of(path)
    records = longest = 0
    is_csv = encoding_named(content_type) == "csv"
    is_utf_8 = "charset" not in content_type.lower()
    for line in _lines(path):
        if is_utf_8 and not line.isascii():
            _refuse_other_than_utf_8(path, line, content_type)
        if is_csv and b'"' in line and _UNENDED.fullmatch(line):
            raise Mistake(
                f"{path} has a record with a line break, which would be read as two: "
                f"{line[:60].decode(errors='replace')!r} does not end its quotes; leave the break "
                "out, or send the file whole: encoding='raw', in a command no --input-format"
            )
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


def _refuse_other_than_utf_8(path: Path, line: bytes, content_type: str) -> None:
    """CSV without a charset is UTF-8 (RFC 7111, section 5.1), and so is JSON (RFC 8259, 8.1)."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        text = line[max(0, error.start - 20) : error.start + 20].decode("latin-1")
        raise Mistake(
            f"{path} is not UTF-8: byte 0x{line[error.start]:02x} in {text!r}; save it as UTF-8, "
            f"or say its charset: content_type='{content_type}; charset=…', in a command "
            "--content-type"
        ) from error


_UNENDED = re.compile(rb"""(?:(?:"(?:[^"]|"")*+"[^,]*+|(?!")[^,]*+),)*+"(?:[^"]|"")*+""")
"""A line of CSV whose last field has begun its quotes and not ended them."""


def _lines(path: Path) -> Iterator[bytes]:
    """Without a byte order mark, which would be a part of the first record."""
    with path.open("rb") as file:
        start = file.read(3)
        if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise Mistake(f"{path} is in UTF-16; save it as UTF-8")
        if start != codecs.BOM_UTF8:
            file.seek(0)
        for line in file:
            if not line.isspace():
                yield line.rstrip(b"\r\n")
