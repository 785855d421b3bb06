"""The bytes of S3 objects: each content once, in a file named by its ETag and size.

A content's file is written once and never changed, so that saving again costs nothing however
large the objects are, and a saved state stays whole while the next one is being written.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .files import write_whole

SMALL_BYTES = 1_000_000
"""Up to here an object is read into memory again; a larger one stays in its file."""

_CHUNK_BYTES = 4 * 1024 * 1024
_NAME = re.compile(r"[0-9a-f]{32}(-[0-9]+)?-[0-9]+")


class ObjectStore:
    """The folder ``folder`` of contents."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._there: set[str] = set()

    def keep(self, key: Any) -> str:
        """Write the content of an emulator's S3 object, unless it is there; its name."""
        name = f"{key.etag.strip(chr(34))}-{key.size}"
        if not _NAME.fullmatch(name):
            raise TypeError(f"object {key.name} has the ETag {key.etag}, which is none of S3's")
        if name not in self._there:
            self._write(self._folder / name, key)
            self._there.add(name)
        return name

    def open(self, name: str) -> Any:
        """The content as the emulator holds it: a file at its beginning.

        Raises FileNotFoundError when it is not there, ValueError when it is not what was
        written (of a large one, or one that came in parts, only the size is looked at) and for
        a name that is none of ours.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} names no object")
        path = self._folder / name
        size = path.stat().st_size
        if size != int(name.rpartition("-")[2]):
            raise ValueError(f"{path} has {size} bytes, not those it was written with")
        self._there.add(name)
        if size > SMALL_BYTES:
            return path.open("rb")
        content = path.read_bytes()
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if name.count("-") == 1 and not name.startswith(digest):
            raise ValueError(f"{path} is not what was written")
        buffer = tempfile.SpooledTemporaryFile(max_size=SMALL_BYTES + 1)  # noqa: SIM115
        buffer.write(content)
        return buffer

    def forget_all_but(self, used: Collection[str]) -> None:
        """Delete every other content."""
        self._there.intersection_update(used)
        if self._folder.is_dir():
            for path in self._folder.iterdir():
                if path.name not in used:
                    path.unlink(missing_ok=True)

    def _write(self, path: Path, key: Any) -> None:
        if path.exists():
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with key.lock:
            key._value_buffer.seek(0)
            write_whole(path, iter(lambda: key._value_buffer.read(_CHUNK_BYTES), b""))
