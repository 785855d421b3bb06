"""A gzipped stream as plain bytes: checked to its last bit, and bounded."""

from __future__ import annotations

import re
from typing import IO, Protocol, cast

from isal import igzip, igzip_lib, isal_zlib

from sagemaker_serving.archive.limits import Limits, how_to_raise
from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact, absent

_CHUNK = 1 << 18
_DAMAGE = cast(tuple[type[Exception], ...], (OSError, EOFError, igzip_lib.error, isal_zlib.error))
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip file",
    b"PK\x05\x06": "a zip file",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"7z\xbc\xaf\x27\x1c": "a 7z file",
    b"Rar!": "a rar file",
    b"\x89HDF\r\n": "an HDF5 file",
}
ARCHIVE = re.compile(r"(?i)\.(tar|tgz|tar\.gz|gz|zip)$")
"""How a file is called that is meant to be an archive."""

_REPACK = "make one with `tar czf model.tar.gz -C FOLDER .`, or give the folder itself"


class Readable(Protocol):
    """A stream of bytes that need not seek: an open file, the body of an S3 object."""

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        ...


class Inflated:
    """The unpacked bytes of the gzipped ``stream``, called ``name`` in messages.

    Every read may raise `UnreadableArtifact`: another format, damage (a CRC
    that does not match, an early end), or more bytes than ``limits`` allow.
    What ``stream`` itself raises passes through.
    """

    def __init__(self, stream: Readable, name: str, limits: Limits) -> None:
        self._packed = _Counted(stream)
        self._name = name
        self._limits = limits
        self._unpacked = 0
        self._must_be_gzip(self._packed.peek(262))
        self._stream = igzip.open(cast(IO[bytes], self._packed), "rb")

    @property
    def packed_bytes(self) -> int:
        """Bytes taken from the stream so far: at its end, the archive's size."""
        return self._packed.count

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, fewer only at the end."""
        parts = []
        while size > 0:
            part = self._read_some(min(size, _CHUNK))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def skip(self, size: int) -> int:
        """Passes over ``size`` bytes; returns how many there were."""
        left = size
        while left > 0:
            part = len(self._read_some(min(left, _CHUNK)))
            if not part:
                break
            left -= part
        return size - left

    def damaged(self, why: str) -> UnreadableArtifact:
        """The error for an archive that is damaged: ``why`` in lower case."""
        return UnreadableArtifact(
            f"{self._name} is not a complete gzipped tar ({why}); pack or copy it again",
            Refusal.DAMAGED,
        )

    def _read_some(self, size: int) -> bytes:
        try:
            part = cast(bytes, self._stream.read(size))
        except _DAMAGE as error:
            if self._packed.failure is not None:
                raise self._packed.failure from None
            raise self.damaged(str(error).lower() or "it ends too early") from None
        self._unpacked += len(part)
        self._must_be_bounded()
        return part

    def _must_be_bounded(self) -> None:
        limits = self._limits
        if self._unpacked > limits.max_unpacked_bytes:
            raise UnreadableArtifact(
                f"{self._name} unpacks to more than {limits.max_unpacked_bytes} bytes; "
                f"{how_to_raise('max_unpacked_bytes')}",
                Refusal.BOMB,
            )
        if (
            self._unpacked > limits.ratio_judged_from_bytes
            and self._unpacked > limits.max_ratio * self.packed_bytes
        ):
            raise UnreadableArtifact(
                f"{self._name} unpacks to more than {limits.max_ratio} times its size; "
                f"{how_to_raise('max_ratio')}",
                Refusal.BOMB,
            )

    def _must_be_gzip(self, head: bytes) -> None:
        if head[:2] == b"\x1f\x8b":
            return
        if (missing := absent(head)) is not None:
            raise UnreadableArtifact(f"{self._name} is {missing}", Refusal.DAMAGED)
        found = next(
            (words for magic, words in _OTHER_FORMATS.items() if head.startswith(magic)), None
        )
        if found is None:
            found = _described(head)
        is_meant = ARCHIVE.search(self._name) or "://" in self._name
        advice = _REPACK if is_meant else f"`sagemaker-serving inspect {self._name}` says what is"
        raise UnreadableArtifact(
            f"{self._name} is {found}, not a gzipped tar; {advice}",
            Refusal.ZIP if found == "a zip file" else Refusal.NOT_AN_ARCHIVE,
        )


class _Counted:
    """Counts what is read, lets the beginning be looked at, keeps the stream's own failure."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._head = b""
        self.count = 0
        self.failure: OSError | None = None

    def peek(self, size: int) -> bytes:
        while len(self._head) < size:
            part = self._stream.read(size - len(self._head))
            if not part:
                break
            self._head += part
        return self._head

    def read(self, size: int, /) -> bytes:
        if self._head:
            part, self._head = self._head[:size], self._head[size:]
        else:
            try:
                part = self._stream.read(size)
            except OSError as error:
                self.failure = error
                raise
        self.count += len(part)
        return part

    def readinto(self, buffer: memoryview, /) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)


def _described(head: bytes) -> str:
    if head[257:262] == b"ustar":
        return "a tar that is not compressed"
    return "of an unknown format" if any(byte < 9 for byte in head) else "a text file"
