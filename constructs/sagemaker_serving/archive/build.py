"""Builds model.tar.gz: the same content gives the same archive."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sagemaker_serving.archive.cache import Cache, Stamp, stamp
from sagemaker_serving.archive.conversion import convert, converter, tensors_of
from sagemaker_serving.archive.packing import pack
from sagemaker_serving.archive.sources import Conversion, Plan, Sources, Tensors, plan
from sagemaker_serving.archive.tree import walk
from sagemaker_serving.errors import Failure
from sagemaker_serving.progress import Progress
from sagemaker_serving.whole_files import remove_what_was_left, unfinished_folder

_LAYOUT_VERSION = "1"
_BLOCK = 1 << 20


def build_archive(
    sources: Sources | Plan,
    name: Callable[[str], Path],
    *,
    tensors: Tensors = Tensors(),  # noqa: B008  (frozen)
    convert: bool = True,
    replace: bool = False,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> BuiltArchive:
    """Packs ``sources``, or takes the archive ``sources`` as it is, byte for byte.

    ``name`` is asked for the target once the identity is known; with
    ``replace`` false an existing target is left alone, since its name holds its
    content. The target appears whole or not at all. A ready archive is
    hard-linked when the file system allows it. ``tensors`` are the inputs and
    outputs of a frozen graph, guessed when left out; with ``convert`` false
    ``.h5`` and ``.pb`` files are packed as they are. ``cache`` defaults to this
    user's.

    Identity is the sha256 of the canonical uncompressed tar (entries sorted;
    time, owner and modes normalised), so it is the same on any machine. Of a
    ready archive it is the sha256 of its bytes, and of what is converted that
    of the source, the converter and its version, and the tensors' names.

    Raises `UnreadableArtifact` when something cannot be packed, `Mistake` when
    a frozen graph's tensors have to be named or TensorFlow is missing, and
    `Failure` when a conversion fails or the disk does.
    """
    kept = cache if cache is not None else Cache.of_this_user()
    try:
        planned = sources if isinstance(sources, Plan) else plan(sources, convert=convert)
        chosen = {each: tensors_of(each, tensors) for each in planned.conversions}
        by = converter() if chosen else ""
        build = _Build(planned, chosen, by, name, replace, kept, progress)
        return build.adopted(planned.ready) if planned.ready is not None else build.packed()
    except OSError as error:
        where = f" at {error.filename}" if error.filename is not None else ""
        raise Failure(f"packing failed{where}: {error.strerror or error}") from None


@dataclass(frozen=True)
class BuiltArchive:
    """A finished archive and its identity (64 hexadecimal digits).

    ``reused`` says that a folder's earlier build was found, and no file read.
    """

    path: Path
    sha256: str
    reused: bool = False


@dataclass(frozen=True, eq=False)
class _Build:
    _planned: Plan
    _tensors: Mapping[Conversion, Tensors]
    _converter: str
    _name: Callable[[str], Path]
    _replace: bool
    _cache: Cache
    _progress: Progress | None

    def adopted(self, ready: Path) -> BuiltArchive:
        identity = archive_identity(ready, self._cache)
        target = self._name(identity)
        self._place(ready, target)
        return BuiltArchive(target, identity)

    def packed(self) -> BuiltArchive:
        state = self._stamp()
        known = self._cache.identity(state)
        if known is None and self._planned.conversions:
            known = self._converted_identity()
        if known is not None:
            target = self._name(known)
            earlier = self._cache.archive(known)
            if earlier is not None or (target.exists() and not self._replace):
                self._place(earlier if earlier is not None else target, target)
                self._cache.remember(state, known)
                return BuiltArchive(target, known, reused=True)
        folder = self._name("").parent
        folder.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(folder) as unfinished:
            partial = unfinished / "archive"
            identity = self._pack(partial, known)
            target = self._name(identity)
            partial.chmod(0o644)
            partial.replace(target)
        self._cache.keep(identity, target)
        self._cache.remember(state, identity)
        return BuiltArchive(target, identity)

    def _pack(self, partial: Path, known: str | None) -> str:
        if known is None or not self._planned.conversions:
            return pack(self._planned.entries, partial, self._progress)
        converted = partial.with_name("converted")
        converted.mkdir()
        convert(self._tensors, converted)
        pack([*self._planned.entries, *walk(converted)], partial, self._progress)
        return known

    def _converted_identity(self) -> str:
        facts = {
            "converter": self._converter,
            "converted": [
                [c.name, _sha256(c.source), list(t.inputs), list(t.outputs)]
                for c, t in self._tensors.items()
            ],
            "files": [[entry.name, _sha256(entry.path)] for entry in self._planned.entries],
        }
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def _stamp(self) -> Stamp:
        files = [(entry.name, entry.status) for entry in self._planned.entries]
        files += [(c.name, c.source.stat()) for c in self._planned.conversions]
        return stamp(files, "packed", _LAYOUT_VERSION, self._converter, repr(self._tensors))

    def _place(self, source: Path, target: Path) -> None:
        remove_what_was_left(target.parent)
        if not target.exists() or (self._replace and not target.samefile(source)):
            place(source, target, self._cache)


def place(source: Path, target: Path, cache: Cache) -> None:
    """Links or copies ``source``; what ``cache`` knows of its bytes stays known.

    A link changes the ctime of what it links. Whoever writes changes the mtime, too: while that is
    as it was, the bytes are those that were read.
    """
    before = source.stat()
    identity = cache.identity(_state(before))
    link_or_copy(source, target)
    after = source.stat()
    if identity is not None and after.st_mtime_ns == before.st_mtime_ns:
        cache.remember(replace(_state(after), settled=True), identity)


def link_or_copy(source: Path, target: Path) -> None:
    """Puts ``source`` at ``target`` by a hard link, or whole or not at all by a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with unfinished_folder(target.parent) as unfinished:
        try:
            os.link(source, unfinished / target.name)
        except OSError:
            shutil.copyfile(source, unfinished / target.name)
        (unfinished / target.name).replace(target)


def archive_identity(
    ready: Path, cache: Cache, advance: Callable[[int], None] | None = None
) -> str:
    """The sha256 of a file's bytes, which are read only when they may have changed.

    ``advance`` is told how many bytes each step has read.
    """
    state = _state(ready.stat())
    identity = cache.identity(state)
    if identity is None:
        identity = _sha256(ready, advance)
        cache.remember(state, identity)
    return identity


def known_identity(ready: Path, cache: Cache) -> str | None:
    """The same, where no byte has to be read for it."""
    return cache.identity(_state(ready.stat()))


def _state(status: os.stat_result) -> Stamp:
    return stamp([("", status)], "archive")


def _sha256(path: Path, advance: Callable[[int], None] | None = None) -> str:
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(_BLOCK))
    with path.open("rb", buffering=0) as stream:
        while count := stream.readinto(buffer):
            digest.update(buffer[:count])
            if advance is not None:
                advance(count)
    return digest.hexdigest()
