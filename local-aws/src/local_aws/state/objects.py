"""The bytes of S3 objects: each content once, in a file named by its ETag and size.

A content's file is written once and never changed, so that saving again costs nothing however
large the objects are, and a saved state stays whole while the next one is being written.
"""

from __future__ import annotations

import re
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import google_crc32c

from local_aws.private_files import damaged, readable, refuse_foreign, write_whole

SMALL_BYTES = 1_000_000
"""Up to here an object is read into memory again; a larger one stays in its file."""

CHECKED_BYTES = 256 << 20
"""Up to here every byte is looked at before an object is given out; of a larger one the size."""

_CHUNK_BYTES = 4 * 1024 * 1024
_NAME = re.compile(r"[0-9a-f]{32}(-[0-9]+)?-[0-9]+")


class ObjectStore:
    """The folder ``folder`` of contents."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._there: set[str] = set()
        self._checksums: dict[str, int] = {}

    def expect(self, checksums: Mapping[str, int]) -> None:
        """The CRC-32C that contents have, by their names, as `checksums` gave them."""
        self._checksums = dict(checksums)

    def checksums(self, names: Collection[str]) -> dict[str, int]:
        """The CRC-32C of these contents, as far as they are known."""
        return {name: self._checksums[name] for name in sorted(names) if name in self._checksums}

    def keep(self, key: Any) -> str:
        """Write the content of an emulator's S3 object, unless it is there; its name."""
        name = f"{key.etag.strip(chr(34))}-{key.size}"
        if not _NAME.fullmatch(name):
            raise TypeError(f"object {key.name} has the ETag {key.etag}, which is none of S3's")
        if name not in self._there:
            self._checksums[name] = self._write(self._folder / name, key)
            self._there.add(name)
        return name

    def open(self, name: str) -> Any:
        """The content as the emulator holds it: a file at its beginning.

        Raises `Mistake` with what is wrong with the file, and ValueError for a
        name that is none of ours.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} names no object")
        path = self._folder / name
        with readable(path):
            refuse_foreign(path)
            return self._opened(name, path)

    def forget_all_but(self, used: Collection[str]) -> None:
        """Delete every other content."""
        self._there.intersection_update(used)
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in used:
                    path.unlink(missing_ok=True)

    def _opened(self, name: str, path: Path) -> Any:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError
        size = int(name.rpartition("-")[2])
        if found.st_size != size:
            raise damaged(path, f"it has {found.st_size} bytes, not the {size} that were written")
        if size <= CHECKED_BYTES:
            crc = _crc_of(path)
            wanted = self._checksums.setdefault(name, crc)
            if crc != wanted:
                raise damaged(
                    path,
                    f"its bytes have the CRC-32C {crc:08x}, not the {wanted:08x} of what was "
                    "written",
                )
        self._there.add(name)
        if size > SMALL_BYTES:
            return path.open("rb")
        buffer = tempfile.SpooledTemporaryFile(max_size=SMALL_BYTES + 1)  # noqa: SIM115
        buffer.write(path.read_bytes())
        return buffer

    def _write(self, path: Path, key: Any) -> int:
        """The checksum of what was written."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        crc = 0

        def chunks() -> Iterator[bytes]:
            nonlocal crc
            while chunk := key._value_buffer.read(_CHUNK_BYTES):
                crc = google_crc32c.extend(crc, chunk)
                yield chunk

        with key.lock:
            key._value_buffer.seek(0)
            write_whole(path, chunks())
        return crc


def _crc_of(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            crc = google_crc32c.extend(crc, chunk)
    return crc
