"""Entries as a gzipped tar that is the same every time."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterable
from pathlib import Path

from isal import igzip_threaded

from sagemaker_serving.archive.refusals import UnreadableArtifact
from sagemaker_serving.archive.tree import Entry
from sagemaker_serving.progress import Progress

_BLOCK = 1 << 20
_FAST = 1
_THREADS = 2


def pack(entries: Iterable[Entry], target: Path, progress: Progress | None = None) -> str:
    """Writes ``entries`` into the gzipped tar ``target``; returns the plain tar's sha256.

    Names come sorted; time, owner and modes are normalised. Reads every file
    once. Raises `UnreadableArtifact` when a file changes while it is packed.
    """
    ordered = sorted(entries, key=lambda entry: entry.name)
    total = sum(entry.size for entry in ordered)
    done = 0
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(_BLOCK))
    with igzip_threaded.open(
        target, "wb", compresslevel=_FAST, threads=_THREADS, block_size=_BLOCK
    ) as packed:

        def write(data: bytes | memoryview) -> None:
            digest.update(data)
            packed.write(data)

        written = 0
        for entry in ordered:
            header = _header(entry)
            write(header)
            with entry.path.open("rb", buffering=0) as content:
                left = entry.size
                while left > 0:
                    count = content.readinto(buffer[: min(left, _BLOCK)])
                    if not count:
                        break
                    write(buffer[:count])
                    left -= count
                    done += count
                    if progress is not None:
                        progress(done, total)
            must_be_unchanged(entry)
            padding = -entry.size % tarfile.BLOCKSIZE
            write(bytes(padding))
            written += len(header) + entry.size + padding
        end = 2 * tarfile.BLOCKSIZE
        write(bytes(end + -(written + end) % tarfile.RECORDSIZE))
    return digest.hexdigest()


def _header(entry: Entry) -> bytes:
    header = tarfile.TarInfo(entry.name)
    header.size = entry.size
    header.mode = 0o644
    return header.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")


def must_be_unchanged(entry: Entry) -> None:
    """Raises `UnreadableArtifact` where the file is no longer as it was looked at."""
    now, before = entry.path.stat(), entry.status
    if (now.st_size, now.st_ctime_ns, now.st_ino) != (
        before.st_size,
        before.st_ctime_ns,
        before.st_ino,
    ):
        raise UnreadableArtifact(
            f"{entry.path} changed while it was packed; wait until nothing writes to it"
        )
