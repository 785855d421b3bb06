"""The folder of a saved state: which files are of it, whole and of one moment.

::

    <state_dir>/state/            mode 0700
    ├── manifest.json             what wrote it, and the files that belong together
    ├── parts/<part>-<sha256>     each part's content; one that did not change is not rewritten
    └── objects/<ETag>-<size>     the bytes of S3 objects

The manifest is replaced last and at once: a kill at any moment leaves the state before or the
state after, never one between.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from local_aws.credentials import ACCOUNTS, CREDENTIALS
from local_aws.errors import Failure, Mistake
from local_aws.private_files import (
    damaged,
    read_own,
    readable,
    refuse_foreign,
    starting_empty,
    write_whole,
)
from local_aws.state.objects import ObjectStore

STATE = "state"
"""The folder's name in the local AWS's folder."""

FORMAT = 6
"""Goes up when what is kept is written in another way."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a saved state says of itself.

    ``files`` are the parts' by part name, ``objects`` the CRC-32C of S3 objects' files by theirs;
    ``ended`` is whether the local AWS that wrote it was
    ended properly afterwards; ``saved_at`` is ISO 8601 in UTC.
    """

    format: int
    emulator: str
    python: str
    saved_at: str
    ended: bool
    files: Mapping[str, str] = field(default_factory=dict)
    not_kept: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, int] = field(default_factory=dict)


class StateFolder:
    """Reads and writes ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.objects = ObjectStore(folder / "objects")
        self._parts = folder / "parts"

    def begin(self) -> Manifest:
        """Says that what is kept is in use: it has not ended, and a manifest is there to be missed.

        The manifest as it is now. Raises OSError.
        """
        if not self._manifest.exists():
            return self.write({}, (), ended=False, not_kept={})
        manifest = replace(self._read_manifest(), ended=False)
        write_whole(self._manifest, [json.dumps(asdict(manifest), indent=1).encode()])
        return manifest

    def write(
        self,
        parts: Mapping[str, bytes],
        contents: Collection[str],
        *,
        ended: bool,
        not_kept: Mapping[str, str],
    ) -> Manifest:
        """Make ``parts``, and the objects named by ``contents``, all that is kept."""
        self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        files = {}
        for name, data in parts.items():
            files[name] = f"{name}-{hashlib.sha256(data).hexdigest()}"
            path = self._parts / files[name]
            if not path.exists():
                write_whole(path, [data])
        manifest = Manifest(
            format=FORMAT,
            emulator=_emulator(),
            python=_python(),
            saved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            ended=ended,
            files=files,
            not_kept=not_kept,
            objects=self.objects.checksums(contents),
        )
        write_whole(self._manifest, [json.dumps(asdict(manifest), indent=1).encode()])
        _forget_all_but(files.values(), self._parts)
        self.objects.forget_all_but(contents)
        return manifest

    def read(self) -> tuple[Manifest, dict[str, bytes]] | None:
        """What is kept, or None when nothing is.

        Raises `Mistake` for a folder that others could have written, that another version
        wrote, or that is damaged: which file, and what to do.
        """
        with readable(self.path):
            if not self.path.exists():
                return None
            for path in (self.path, *filter(Path.exists, (self._manifest, self._parts))):
                refuse_foreign(path)
            if not self.path.is_dir():
                raise damaged(self.path, "it is no folder")
            if not any(self.path.iterdir()):
                return None
        manifest = self._read_manifest()
        parts = {name: self._read_part(name, file) for name, file in manifest.files.items()}
        self.objects.expect(manifest.objects)
        return manifest, parts

    def ended(self) -> bool:
        """Whether all was saved when the local AWS ended. Raises as `read` does."""
        return self._read_manifest().ended

    def size_bytes(self) -> int:
        """The bytes of every file that is kept."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    @property
    def _manifest(self) -> Path:
        return self.path / "manifest.json"

    def _read_manifest(self) -> Manifest:
        try:
            members: dict[str, Any] = json.loads(read_own(self._manifest))
            found = (members["format"], members["emulator"], members["python"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise damaged(self._manifest, "it is no manifest") from None
        if found != (FORMAT, _emulator(), _python()):
            raise Mistake(
                f"the state in {self.path} was written by another version (format {found[0]}, "
                f"{found[1]}, Python {found[2]}); this one reads format {FORMAT}, {_emulator()}, "
                f"Python {_python()}: use the version that wrote it, or another --state-dir, or "
                f"forget it: {starting_empty()}"
            )
        if not _is_manifest(members):
            raise damaged(self._manifest, "it is no manifest")
        return Manifest(**members)

    def _read_part(self, name: str, file: str) -> bytes:
        path = self._parts / file
        if not file.startswith(f"{name}-") or not _FILE.fullmatch(file):
            raise damaged(self._manifest, f"it names {file!r}")
        data = read_own(path)
        wanted, found = file.rpartition("-")[2], hashlib.sha256(data).hexdigest()
        if found != wanted:
            raise damaged(
                path, f"its {len(data)} bytes have the sha256 {found}, not the one in its name"
            )
        return data


_FILE = re.compile(r"[\w.-]{1,120}-[0-9a-f]{64}")


def _is_manifest(members: Mapping[str, Any]) -> bool:
    """Whether every member is there, and of its kind."""
    kinds = {"format": int, "ended": bool, "emulator": str, "python": str, "saved_at": str}
    maps = {"files": str, "not_kept": str, "objects": int}
    given = {"objects": {}, **members}
    return (
        given.keys() == kinds.keys() | maps.keys()
        and all(type(given[name]) is kind for name, kind in kinds.items())
        and all(
            isinstance(given[name], dict) and all(type(v) is kind for v in given[name].values())
            for name, kind in maps.items()
        )
    )


def _forget_all_but(used: Collection[str], folder: Path) -> None:
    for path in folder.iterdir():
        if path.name not in used:
            path.unlink(missing_ok=True)


def forget(state_dir: Path) -> None:
    """Delete what a local AWS has kept in ``state_dir``, with what it unpacked; logs stay.

    Its credentials go too: nobody who had them before is known to the next one. Raises
    `Failure` for what the disk does not let go.
    """
    for name in (CREDENTIALS, STATE, ACCOUNTS, "endpoints", "transform", "lambda"):
        path = state_dir / name
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise Failure(
                f"{error.filename} cannot be deleted: {error.strerror}; delete {path} yourself, or "
                "give another --state-dir"
            ) from None


def _emulator() -> str:
    return f"moto {version('moto')}"


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])
