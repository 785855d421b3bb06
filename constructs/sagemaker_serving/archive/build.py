"""Builds model.tar.gz from a folder: the same content gives the same archive."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip_threaded

from sagemaker_serving.archive.tree import Entry, UnreadableArtifact, walk

_BLOCK = 1 << 20
_FAST = 1


def build_archive(source: Path, name: Callable[[str], Path]) -> BuiltArchive:
    """Packs the folder ``source``, or takes the archive ``source`` as it is.

    ``name`` is asked for the target once the identity is known; an existing
    target is left alone, since its name holds its content. The target appears
    whole or not at all. Identity is the sha256 of the canonical uncompressed
    tar (entries sorted; time, owner and modes normalised), so it is the same
    on any machine; for a ready archive it is the sha256 of its bytes, and the
    archive is hard-linked when the file system allows it.

    Raises `UnreadableArtifact` when ``source`` cannot be packed.
    """
    if source.is_file():
        return _adopt(source, name)
    if not source.is_dir():
        raise UnreadableArtifact(f"there is nothing at {source}")
    entries = list(walk(source))
    if not entries:
        raise UnreadableArtifact(f"{source} holds no file")
    folder = name("").parent
    folder.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=folder, prefix=".building-")
    os.close(handle)
    try:
        sha256 = _pack(entries, Path(partial))
        target = name(sha256)
        Path(partial).chmod(0o644)
        Path(partial).replace(target)
    finally:
        Path(partial).unlink(missing_ok=True)
    return BuiltArchive(path=target, sha256=sha256)


@dataclass(frozen=True)
class BuiltArchive:
    """A finished archive and its identity (64 hexadecimal digits)."""

    path: Path
    sha256: str


def _adopt(source: Path, name: Callable[[str], Path]) -> BuiltArchive:
    with source.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    target = name(sha256)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        try:
            os.link(source, target)
        except OSError:
            _copy_whole(source, target)
    return BuiltArchive(path=target, sha256=sha256)


def _copy_whole(source: Path, target: Path) -> None:
    with (
        tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as partial,
        source.open("rb") as stream,
    ):
        shutil.copyfileobj(stream, partial, _BLOCK)
    Path(partial.name).replace(target)


def _pack(entries: list[Entry], target: Path) -> str:
    with igzip_threaded.open(
        target, "wb", compresslevel=_FAST, threads=1, block_size=_BLOCK
    ) as compressed:
        hashed = _Hashed(compressed)
        stream = cast(BinaryIO, hashed)
        with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            for entry in entries:
                with entry.path.open("rb") as content:
                    archive.addfile(_header(entry), content)
    return hashed.sha256.hexdigest()


def _header(entry: Entry) -> tarfile.TarInfo:
    header = tarfile.TarInfo(entry.name)
    header.size = entry.size
    header.mode = 0o644
    return header


class _Hashed:
    """Passes a stream of bytes on and hashes it on its way."""

    def __init__(self, below: BinaryIO) -> None:
        self.sha256 = hashlib.sha256()
        self._below = below

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        self._below.write(data)
        return len(data)
