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
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local.credentials import CREDENTIALS

from .files import refuse_foreign, write_whole
from .objects import ObjectStore

STATE = "state"
"""The folder's name in the local AWS's folder."""

FORMAT = 1
"""Goes up when what is kept is written in another way."""

FRESH = "`sagemaker-serving local up --fresh` starts empty"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a saved state says of itself.

    ``files`` are the parts' by part name; ``ended`` is whether the local AWS that wrote it was
    ended properly afterwards; ``saved_at`` is ISO 8601 in UTC.
    """

    format: int
    emulator: str
    python: str
    saved_at: str
    ended: bool
    files: Mapping[str, str] = field(default_factory=dict)
    not_kept: Mapping[str, str] = field(default_factory=dict)


class StateFolder:
    """Reads and writes ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.objects = ObjectStore(folder / "objects")
        self._parts = folder / "parts"

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
        if not self._manifest.exists():
            return None
        for path in (self.path, self._manifest, self._parts):
            refuse_foreign(path)
        manifest = self._read_manifest()
        parts = {name: self._read_part(name, file) for name, file in manifest.files.items()}
        return manifest, parts

    def size_bytes(self) -> int:
        """The bytes of every file that is kept."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    @property
    def _manifest(self) -> Path:
        return self.path / "manifest.json"

    def _read_manifest(self) -> Manifest:
        try:
            members: dict[str, Any] = json.loads(self._manifest.read_bytes())
            found = (members["format"], members["emulator"], members["python"])
        except (ValueError, KeyError, TypeError):
            raise damaged(self._manifest, "it is no manifest") from None
        if found != (FORMAT, _emulator(), _python()):
            raise Mistake(
                f"the state in {self.path} was written by another version (format {found[0]}, "
                f"{found[1]}, Python {found[2]}); this one reads format {FORMAT}, {_emulator()}, "
                f"Python {_python()}: use the version that wrote it, or another --state-dir, or "
                f"forget it: {FRESH}"
            )
        try:
            return Manifest(**members)
        except TypeError:
            raise damaged(self._manifest, "it is no manifest") from None

    def _read_part(self, name: str, file: str) -> bytes:
        path = self._parts / file
        if Path(file).name != file or not file.startswith(f"{name}-"):
            raise damaged(self._manifest, f"it names {file!r}")
        try:
            refuse_foreign(path)
            data = path.read_bytes()
        except FileNotFoundError:
            raise damaged(path, "it is missing") from None
        if file != f"{name}-{hashlib.sha256(data).hexdigest()}":
            raise damaged(path, "its content is not what was written")
        return data


def _forget_all_but(used: Collection[str], folder: Path) -> None:
    for path in folder.iterdir():
        if path.name not in used:
            path.unlink(missing_ok=True)


def forget(state_dir: Path) -> None:
    """Delete what a local AWS has kept in ``state_dir``, with what it unpacked; logs stay.

    Its credentials go too: nobody who had them before is known to the next one.
    """
    (state_dir / CREDENTIALS).unlink(missing_ok=True)
    for name in (STATE, "endpoints", "transform", "lambda"):
        shutil.rmtree(state_dir / name, ignore_errors=True)


def damaged(path: Path, why: str) -> Mistake:
    """What is said of a file of the state that cannot be read."""
    return Mistake(
        f"the kept state is damaged: {path}: {why}; put the file back, or forget what was "
        f"deployed: {FRESH}"
    )


def _emulator() -> str:
    return f"moto {version('moto')}"


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])
