"""What an archive holds, read once: kept by its content for the next time."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sagemaker_serving.archive.build import archive_identity
from sagemaker_serving.archive.cache import Cache
from sagemaker_serving.archive.contents import ArchiveContents, read_contents
from sagemaker_serving.archive.limits import Limits
from sagemaker_serving.archive.refusals import UnreadableArtifact
from sagemaker_serving.archive.sources import plan

_VERSION = "1"


def known_contents(path: Path, cache: Cache | None = None) -> ArchiveContents:
    """`read_contents` of ``path``, which reads an archive that it has read before not again.

    Folders are always looked at anew: that costs next to nothing. Raises what
    `read_contents` raises.
    """
    kept = cache if cache is not None else Cache.of_this_user()
    ready = plan([path]).ready
    limits = Limits.of_this_shell()
    if ready is None or kept.max_bytes == 0:
        return read_contents(path, limits)
    before = ready.stat().st_ctime_ns
    try:
        key = _key(archive_identity(ready, kept), limits)
    except OSError as error:
        raise UnreadableArtifact(f"{ready} cannot be read: {error.strerror}") from None
    text = kept.contents(key)
    if text is not None:
        return _from_text(text)
    contents = read_contents(path, limits)
    if ready.stat().st_ctime_ns == before:
        kept.remember_contents(key, _to_text(contents))
    return contents


def _key(identity: str, limits: Limits) -> str:
    """A verdict holds for the content, the limits it was reached under, and this reader."""
    return hashlib.sha256(f"{identity} {limits} {_VERSION}".encode()).hexdigest()


def _to_text(contents: ArchiveContents) -> str:
    from pydantic import TypeAdapter

    return TypeAdapter(ArchiveContents).dump_json(contents).decode()


def _from_text(text: str) -> ArchiveContents:
    from pydantic import TypeAdapter

    return TypeAdapter(ArchiveContents).validate_json(text)
