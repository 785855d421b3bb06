"""What was packed or read before, so that an unchanged model costs nothing.

A file counts as unchanged while its device, inode, size, mtime and ctime are
the same: no rewriting keeps the ctime, whatever it does to the mtime. What
changed within the last two seconds could change again within one tick of the
file system's clock, so it is read anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Mistake
from sagemaker_serving.whole_files import remove_what_was_left, write_whole

DEFAULT_BYTES = 10 << 30
VARIABLE = "SAGEMAKER_SERVING_CACHE_BYTES"
_TOO_RECENT_NS = 2_000_000_000
_MOST_RECORDS = 10_000


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """The state of some files: a key that changes with any of them.

    ``settled`` is false while one of them changed too recently to be trusted.
    """

    key: str
    settled: bool


def stamp(files: Iterable[tuple[str, os.stat_result]], *purpose: str) -> Stamp:
    """The state of ``files`` (name and status), read for ``purpose``."""
    newest = 0
    digest = hashlib.sha256("\0".join(purpose).encode())
    for name, status in files:
        newest = max(newest, status.st_ctime_ns)
        where = (name, status.st_dev, status.st_ino)
        line = (*where, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        digest.update(f"\n{line!r}".encode())
    return Stamp(key=digest.hexdigest(), settled=newest < time.time_ns() - _TOO_RECENT_NS)


@dataclass(frozen=True, kw_only=True)
class Cache:
    """A folder of finished archives by identity, and of what is known of files by `Stamp`.

    ``max_bytes`` bounds the archives (default 10 GiB): the ones longest unused
    go first; 0 turns the cache off. Nothing here fails a build: what cannot be
    read or written counts as not there.
    """

    folder: Path
    max_bytes: int = DEFAULT_BYTES

    @classmethod
    def of_this_user(cls) -> Cache:
        """``$XDG_CACHE_HOME/sagemaker-serving``, bounded by SAGEMAKER_SERVING_CACHE_BYTES.

        Raises `Mistake` when that variable is no whole number.
        """
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        text = os.environ.get(VARIABLE, str(DEFAULT_BYTES))
        if not (text.isascii() and text.isdigit()):
            raise Mistake(f"{VARIABLE} is {text!r}; it must be a whole number, 0 for no cache")
        return cls(folder=Path(home) / "sagemaker-serving", max_bytes=int(text))

    @classmethod
    def off(cls) -> Cache:
        """One that knows nothing and keeps nothing."""
        return cls(folder=Path(os.devnull), max_bytes=0)

    def identity(self, of: Stamp) -> str | None:
        """The identity that was found for these files when they were last read."""
        found = self._read("stamps", of.key) if of.settled else None
        return str(found["identity"]) if found is not None else None

    def remember(self, of: Stamp, identity: str) -> None:
        """Keeps the identity of files that have settled."""
        if of.settled:
            self._write("stamps", of.key, {"identity": identity})

    def contents(self, identity: str) -> str | None:
        """What `remember_contents` was given for ``identity``."""
        found = self._read("contents", identity)
        return str(found["contents"]) if found is not None else None

    def remember_contents(self, identity: str, contents: str) -> None:
        """Keeps what an archive was found to hold, as text."""
        self._write("contents", identity, {"contents": contents})

    def archive(self, identity: str) -> Path | None:
        """The finished archive, if it is here and was not written to since."""
        path = self._archive(identity)
        found = self._read("archives", identity)
        try:
            status = path.stat()
        except OSError:
            return None
        if found is None or found["state"] != [status.st_ino, status.st_size, status.st_mtime_ns]:
            return None
        return path

    def keep(self, identity: str, archive: Path) -> None:
        """Takes a finished archive in by a hard link; not at all across file systems."""
        status = archive.stat()
        if status.st_size > self.max_bytes:
            return
        path = self._archive(identity)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            os.link(archive, path)
            state = [status.st_ino, status.st_size, status.st_mtime_ns]
            self._write("archives", identity, {"state": state})
            self._trim()

    def _trim(self) -> None:
        archives = [
            (path.with_name(f"{path.name.removesuffix('.tar.gz')}.json"), path)
            for path in self._files("archives", ".tar.gz")
        ]
        used = {record: _mtime(record) for record, _ in archives}
        archives.sort(key=lambda pair: used[pair[0]])
        total = sum(path.stat().st_size for _, path in archives)
        for record, path in archives:
            if total <= self.max_bytes:
                break
            total -= path.stat().st_size
            path.unlink(missing_ok=True)
            record.unlink(missing_ok=True)
        for kind in ("contents", "stamps"):
            records = sorted(self._files(kind, ".json"), key=_mtime)
            for record in records[: max(0, len(records) - _MOST_RECORDS)]:
                record.unlink(missing_ok=True)

    def _files(self, kind: str, suffix: str) -> list[Path]:
        folder = self.folder / kind
        return (
            [path for path in folder.iterdir() if path.name.endswith(suffix)]
            if (folder.is_dir())
            else []
        )

    def _archive(self, identity: str) -> Path:
        return self.folder / "archives" / f"{identity}.tar.gz"

    def _read(self, kind: str, key: str) -> dict[str, Any] | None:
        if self.max_bytes == 0:
            return None
        remove_what_was_left(self.folder / kind)
        path = self.folder / kind / f"{key}.json"
        try:
            found: dict[str, Any] = json.loads(path.read_bytes())
            os.utime(path)
        except (OSError, ValueError):
            return None
        return found

    def _write(self, kind: str, key: str, record: dict[str, object]) -> None:
        if self.max_bytes == 0:
            return
        folder = self.folder / kind
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / f"{key}.json", json.dumps(record))


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
