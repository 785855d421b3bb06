"""What an archive holds, read once: kept by its content for the next time."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from sagemaker_serving.archive.build import archive_identity, known_identity
from sagemaker_serving.archive.cache import Cache
from sagemaker_serving.archive.contents import ArchiveContents, contents_of, read_stream
from sagemaker_serving.archive.inflate import Readable
from sagemaker_serving.archive.limits import Limits
from sagemaker_serving.archive.refusals import UnreadableArtifact
from sagemaker_serving.archive.sources import Sources, plan
from sagemaker_serving.progress import WatchedFile

_VERSION = "10"


def known_contents(
    sources: Sources,
    cache: Cache | None = None,
    *,
    convert: bool = True,
    versions_on_top: bool = False,
) -> ArchiveContents:
    """`contents_of` ``sources``, which reads an archive that it has read before not again.

    Folders are always looked at anew, which costs next to nothing.
    ``convert`` and ``versions_on_top`` are those of `plan`. Raises what `contents_of` raises.
    """
    kept = cache if cache is not None else Cache.of_this_user()
    planned = plan(sources, convert=convert, versions_on_top=versions_on_top)
    ready, limits = planned.ready, Limits.of_this_shell()
    if ready is None or kept.max_bytes == 0:
        return contents_of(planned, limits=limits)
    try:
        return _known_archive(ready, limits, kept)
    except OSError as error:
        raise UnreadableArtifact(f"{ready} cannot be read: {error.strerror}") from None


def _known_archive(ready: Path, limits: Limits, cache: Cache) -> ArchiveContents:
    """What was found in an archive of these bytes, or else what is found now.

    Its bytes are hashed and unpacked side by side: neither waits for Python. When the hash tells
    that they were read before, the unpacking ends.
    """
    identity = known_identity(ready, cache)
    text = None if identity is None else cache.contents(_key(identity, limits))
    if text is not None:
        return _from_text(text)
    before = ready.stat().st_ctime_ns
    unwanted = Event()
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(_read, ready, limits, unwanted)
        try:
            key = _key(archive_identity(ready, cache), limits)
            text = cache.contents(key)
            if text is not None:
                return _from_text(text)
            contents = reading.result()
        finally:
            unwanted.set()
    if ready.stat().st_ctime_ns == before:
        cache.remember_contents(key, _to_text(contents))
    return contents


def _read(ready: Path, limits: Limits, unwanted: Event) -> ArchiveContents:
    with WatchedFile(ready) as stream:
        return read_stream(_Until(unwanted, stream), str(ready), limits)


class _Until:
    """A stream that ends early when nobody wants what is made of it."""

    def __init__(self, unwanted: Event, stream: Readable) -> None:
        self._unwanted = unwanted
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        return b"" if self._unwanted.is_set() else self._stream.read(size)


def _key(identity: str, limits: Limits) -> str:
    """A verdict holds for the content, the limits it was reached under, and this reader."""
    return hashlib.sha256(f"{identity} {limits} {_VERSION}".encode()).hexdigest()


def _to_text(found: ArchiveContents) -> str:
    from pydantic import TypeAdapter

    return TypeAdapter(ArchiveContents).dump_json(found).decode()


def _from_text(text: str) -> ArchiveContents:
    from pydantic import TypeAdapter

    return TypeAdapter(ArchiveContents).validate_json(text)
