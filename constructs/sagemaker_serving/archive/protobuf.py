"""Protocol buffers' wire format, of bytes at hand and as a stream.

A stream passes over what is not asked for: a SavedModel's graph can have gigabytes and its
signatures a few hundred bytes; the ``protobuf`` package would load all of it.
Source: protobuf.dev, "Encoding".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_T = TypeVar("_T")


class Malformed(Exception):
    """The bytes are no protocol buffer."""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and the value of each field of ``data``: an int, or what has a length as bytes.

    Raises `Malformed` for a wire type that no writer of today uses, and IndexError where it ends
    within a number.
    """
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = varint(data, at)
            yield number, value
        elif wire == _LENGTH:
            size, at = varint(data, at)
            yield number, data[at : at + size]
            at += size
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
            yield number, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise Malformed(f"a field has the wire type {wire}")


def varint(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """The number at ``at``, and where it ends; raises `Malformed`, and IndexError at the end."""
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = data[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at + 1
        shift += 7
        if shift > 63:
            raise Malformed("a number has more than 10 bytes")


class Source(Protocol):
    """Bytes that can be read and passed over."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        ...

    def skip(self, size: int) -> None:
        """Passes over at most ``size`` bytes."""
        ...


class Message:
    """A message of ``size`` bytes at the head of ``source``.

    Iterating gives ``(field number, value)``: an int for numbers, a `Message`
    for everything with a length. A message must be read before the next field
    is asked for; what was left of it is passed over.
    """

    def __init__(self, source: _Buffered, size: int) -> None:
        self._source = source
        self.size = size
        self._left = size
        self._open: Message | None = None

    def __iter__(self) -> Iterator[tuple[int, int | Message]]:
        while self._left > 0:
            key = self._varint()
            number, wire = key >> 3, key & 7
            if number == 0:
                raise Malformed("a field has the number 0")
            if wire == _VARINT:
                yield number, self._varint()
            elif wire == _LENGTH:
                inner = Message(self._source, self._varint())
                self._take(inner.size)
                self._open = inner
                yield number, inner
                inner.skip_rest()
            elif wire == _FIXED64:
                yield number, int.from_bytes(self.read(8), "little")
            elif wire == _FIXED32:
                yield number, int.from_bytes(self.read(4), "little")
            else:
                raise Malformed(f"a field has the wire type {wire}")

    def messages(self, number: int) -> Iterator[Message]:
        """The values of one field, as far as they have a length."""
        for each, value in self:
            if each == number and isinstance(value, Message):
                yield value

    def entry(self, read: Callable[[Message], _T], otherwise: _T) -> tuple[str, _T]:
        """The key and the value, as ``read`` reads it, of a message that is a map's entry."""
        key, found = "", otherwise
        for number, value in self:
            if number == 1 and isinstance(value, Message):
                key = value.text()
            elif number == 2 and isinstance(value, Message):
                found = read(value)
        return key, found

    def read(self, size: int) -> bytes:
        """Exactly ``size`` bytes; raises `Malformed` when there are fewer."""
        self._take(size)
        return self._source.read(size)

    def text(self, longest: int = 1 << 16) -> str:
        """The rest as text, at most ``longest`` bytes of it."""
        return self.read(min(self._left, longest)).decode("utf-8", "replace")

    def skip_rest(self) -> None:
        """Passes over what was not read, the field last given included."""
        if self._open is not None:
            self._open.skip_rest()
        self._source.skip(self._left)
        self._left = 0

    def _varint(self) -> int:
        value, shift = 0, 0
        while True:
            self._take(1)
            byte = self._source.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF
            shift += 7
            if shift > 63:
                raise Malformed("a number has more than 10 bytes")

    def _take(self, size: int) -> None:
        if size > self._left:
            raise Malformed("a field ends after its message")
        self._left -= size


def message(source: Source, size: int) -> Message:
    """The message of ``size`` bytes in ``source``."""
    return Message(_Buffered(source), size)


class _Buffered:
    """Reads ahead, so that a byte costs no call into the stream below."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0

    def byte(self) -> int:
        if self._at == len(self._buffer):
            self._buffer, self._at = self._source.read(1 << 16), 0
            if not self._buffer:
                raise Malformed("it ends too early")
        self._at += 1
        return self._buffer[self._at - 1]

    def read(self, size: int) -> bytes:
        parts = [self._buffer[self._at : self._at + size]]
        self._at += len(parts[0])
        left = size - len(parts[0])
        while left > 0:
            part = self._source.read(min(left, 1 << 16))
            if not part:
                raise Malformed("it ends too early")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def skip(self, size: int) -> None:
        ahead = min(size, len(self._buffer) - self._at)
        self._at += ahead
        if size > ahead:
            self._source.skip(size - ahead)
