"""Records of an object as a stream: lines, RecordIO and TFRecord, with where each stands.

What a record says is for the job to judge; here only its frame is looked at, so that one bad
record hides no other. TFRecord's frame is a length of 8 bytes and its masked CRC32C, the data,
and theirs (www.tensorflow.org, "TFRecord and tf.train.Example"); RecordIO's a magic number, a
word of 3 bits for its part and 29 for the length, the data, and zeros up to 4 bytes
(github.com/dmlc/dmlc-core, recordio.h).
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_BLOCK = 1 << 20
_MAGIC = 0xCED7230A
_LENGTH_BITS = 29
_WHOLE, _FIRST, _LAST = 0, 1, 3
_MASK_DELTA = 0xA282EAD8


@dataclass(frozen=True, kw_only=True, slots=True)
class Framed:
    """One record: its bytes as they stand in the object, from ``offset`` on.

    ``size`` is how many bytes it has without its frame. ``data`` is all of it, or its
    beginning when ``is_cut`` says that it was too large to be held.
    """

    offset: int
    length: int
    size: int
    data: bytes
    is_cut: bool = False


class Damaged(Exception):
    """The rest of an object cannot be read as records; the message says why."""


def records_of(stream: Any, split_type: str, *, is_gzip: bool, limit: int) -> Iterator[Framed]:
    """The records of a stream with ``read(size)``; one larger than ``limit`` bytes comes cut.

    Raises `Damaged` where the rest cannot be read, with all records before it given.
    """
    reader = Reader(Unzipped(stream) if is_gzip else stream)
    if split_type == "Line":
        return _lines(reader, limit)
    return _tfrecords(reader, limit) if split_type == "TFRecord" else _recordio(reader, limit)


class Reader:
    """A stream with ``read(size)`` that knows where it is.

    It holds what was looked at but not taken.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._held = bytearray()
        self.offset = 0

    def fill(self, size: int) -> int:
        """Hold at least ``size`` bytes if there are so many; how many are held."""
        while len(self._held) < size:
            part = self._stream.read(max(_BLOCK, size - len(self._held)))
            if not part:
                break
            self._held += part
        return len(self._held)

    def peek(self, size: int, at: int = 0) -> bytes:
        """The bytes that come, without taking them."""
        self.fill(at + size)
        return bytes(self._held[at : at + size])

    def find(self, byte: bytes, start: int) -> int:
        """Where ``byte`` first stands in what is held; -1 when it does not."""
        return self._held.find(byte, start)

    def take(self, size: int) -> bytes:
        """The next bytes."""
        taken = self.peek(size)
        del self._held[:size]
        self.offset += len(taken)
        return taken

    def skip(self, size: int) -> int:
        """Pass over bytes without holding all of them; how many there were."""
        skipped = 0
        while skipped < size and (part := self.take(min(_BLOCK, size - skipped))):
            skipped += len(part)
        return skipped


class Unzipped:
    """A gzip stream, of one member or several."""

    def __init__(self, stream: Any) -> None:
        self._file = gzip.GzipFile(fileobj=stream)

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes; none at the end. Raises `Damaged`."""
        try:
            return self._file.read1(size)
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(f"the gzip file is damaged: {error}") from None


def _lines(reader: Reader, limit: int) -> Iterator[Framed]:
    while reader.fill(1):
        offset, searched = reader.offset, 0
        end = reader.find(b"\n", 0)
        held = reader.fill(1)
        while end < 0 and held <= limit:
            searched = held
            held = reader.fill(held + 1)
            if held == searched:
                break
            end = reader.find(b"\n", searched)
        if end >= 0 and end <= limit:
            data = reader.take(end + 1)
            yield Framed(offset=offset, length=len(data), size=end, data=data)
        elif end < 0 and held <= limit:
            data = reader.take(held)
            yield Framed(offset=offset, length=held, size=held, data=data)
        else:
            yield _cut_line(reader, offset, limit)


def _cut_line(reader: Reader, offset: int, limit: int) -> Framed:
    """A line over the limit: its beginning, and the rest passed over."""
    data = reader.take(limit)
    size = len(data)
    while reader.fill(1):
        end = reader.find(b"\n", 0)
        if end >= 0:
            size += reader.skip(end)
            reader.skip(1)
            break
        size += reader.skip(reader.fill(1))
    return Framed(offset=offset, length=reader.offset - offset, size=size, data=data, is_cut=True)


def _tfrecords(reader: Reader, limit: int) -> Iterator[Framed]:
    while reader.fill(1):
        head = reader.peek(12)
        if len(head) < 12:
            raise Damaged("the file ends within a record's header")
        (length, crc) = struct.unpack("<QI", head)
        if crc != _masked_crc(head[:8]):
            raise Damaged("a record's length has another CRC")
        yield _frame(reader, 12 + length + 4, length, limit)


def _recordio(reader: Reader, limit: int) -> Iterator[Framed]:
    while reader.fill(1):
        size, span = 0, 0
        while True:
            head = reader.peek(8, span)
            if len(head) < 8:
                raise Damaged("the file ends within a record's header")
            magic, word = struct.unpack("<II", head)
            part, length = word >> _LENGTH_BITS, word & ((1 << _LENGTH_BITS) - 1)
            if magic != _MAGIC or part > _LAST or (part in (_WHOLE, _FIRST)) != (span == 0):
                raise Damaged("a record does not begin as RecordIO's do")
            size += length + (4 if span else 0)
            span += 8 + length + -length % 4
            if part in (_WHOLE, _LAST):
                break
            if size > limit:
                raise Damaged("a record in parts is larger than MaxPayloadInMB")
        yield _frame(reader, span, size, limit)


def _frame(reader: Reader, length: int, size: int, limit: int) -> Framed:
    offset = reader.offset
    data = reader.take(length if size <= limit else limit)
    missing = length - len(data)
    if missing > 0 and size > limit:
        missing -= reader.skip(missing)
    if missing > 0:
        raise Damaged(f"the file ends {missing} bytes before its last record does")
    return Framed(offset=offset, length=length, size=size, data=data, is_cut=size > limit)


def _masked_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & 0xFFFFFFFF


def _crc32c_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc32c_table()
