"""Members of a zip that passes by as a stream: those near its beginning or its end.

A zip lists its members at its end, and what tells of a model lies beside the weights: Keras writes
it before them, PyTorch after them. So both ends are kept, and the weights are passed over.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from sagemaker_serving.archive.protobuf import Source

_HEAD = 1 << 20
_TAIL = 4 << 20
_LONGEST = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (OSError, EOFError, ValueError, struct.error, zipfile.BadZipFile, zlib.error)
_CHUNK = 1 << 16


class ZipEnds:
    """A zip whose middle is not kept.

    ``names`` are all its members.
    """

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.names = tuple(file.namelist())

    def read(self, name: str) -> bytes | None:
        """At most a MiB of a member; None for one in the middle, and for one that is damaged."""
        try:
            if self._file.getinfo(name).compress_type not in _METHODS:
                return None
            with self._file.open(name) as member:
                return member.read(_LONGEST)
        except (KeyError, RuntimeError, *_DAMAGE):
            return None


def read_zip(content: Source, size: int) -> ZipEnds | None:
    """The zip in the ``size`` bytes of ``content``; None for what is none."""
    head = _read(content, min(size, _HEAD))
    if not head.startswith(b"PK\x03\x04"):
        return None
    left = size - len(head)
    content.skip(max(0, left - _TAIL))
    tail = _read(content, min(left, _TAIL))
    try:
        return ZipEnds(zipfile.ZipFile(io.BufferedReader(_Ends(head, tail, size))))
    except (NotImplementedError, *_DAMAGE):
        return None


def _read(content: Source, size: int) -> bytes:
    data = bytearray()
    while len(data) < size and (part := content.read(min(_CHUNK, size - len(data)))):
        data += part
    return bytes(data)


class _Ends(io.RawIOBase):
    """A file of ``size`` bytes of which only the first and the last can be read."""

    def __init__(self, head: bytes, tail: bytes, size: int) -> None:
        self._parts = ((0, head), (size - len(tail), tail))
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("before its beginning")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if self._at >= self._size:
            return 0
        for start, part in self._parts:
            if start <= self._at < start + len(part):
                data = part[self._at - start : self._at - start + len(buffer)]
                buffer[: len(data)] = data
                self._at += len(data)
                return len(data)
        raise OSError("not kept")
