"""The members of a tar, one after the other, each refused if unpacking it could do harm.

Python's tarfile takes a damaged header for the archive's end and reads a
header of any length into memory; here the first is an error and the second
bounded. Fields of a header are parsed by tarfile.
"""

from __future__ import annotations

import posixpath
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sagemaker_serving.archive.inflate import Inflated
from sagemaker_serving.archive.limits import Limits, how_to_raise
from sagemaker_serving.archive.names import must_lead_inside, safe_name
from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact, shown

EXTENSIONS = (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
"""Types of the headers that describe the member after them."""

_LONGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What extension headers say of the member after them."""

    path: str | None = None
    link: str | None = None
    size: int | None = None

    def joined(self, later: Extension) -> Extension:
        """Both, the ``later`` one winning."""
        return Extension(
            path=self.path if later.path is None else later.path,
            link=self.link if later.link is None else later.link,
            size=self.size if later.size is None else later.size,
        )


def read_extension(stream: Inflated, header: tarfile.TarInfo) -> Extension:
    """What ``header``, of a type in `EXTENSIONS`, says; its content is next in ``stream``.

    Raises `UnreadableArtifact` for damage and for members that are stored sparse.
    """
    payload = _payload(stream, header)
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return Extension(path=_gnu_text(payload))
    if header.type == tarfile.GNUTYPE_LONGLINK:
        return Extension(link=_gnu_text(payload))
    records = _records(stream, payload)
    if any(key.startswith(b"GNU.sparse") for key in records):
        raise UnreadableArtifact(
            "a file in the archive is stored sparse; pack without --sparse", Refusal.SPECIAL_FILE
        )
    size = records.get(b"size")
    if size is not None and not (size.isdigit() and len(size) < 20):
        raise stream.damaged("a size in it is no number")
    return Extension(
        path=_pax_text(records.get(b"path")),
        link=_pax_text(records.get(b"linkpath")),
        size=int(size) if size is not None else None,
    )


def pass_global(stream: Inflated, header: tarfile.TarInfo) -> None:
    """Passes over a comment for the whole archive.

    Raises `UnreadableArtifact` for a name or size that every member would have.
    """
    records = _records(stream, _payload(stream, header))
    if records.keys() & {b"path", b"linkpath", b"size"}:
        raise stream.damaged("it gives all its members one name or size")


def _payload(stream: Inflated, header: tarfile.TarInfo) -> bytes:
    if header.size > _LONGEST:
        raise stream.damaged(f"a header in it has {header.size} bytes")
    payload = stream.read(header.size)
    padding = -header.size % _BLOCK
    if len(payload) < header.size or stream.skip(padding) < padding:
        raise stream.damaged("it ends within a header")
    return payload


def _records(stream: Inflated, payload: bytes) -> dict[bytes, bytes]:
    """The records of a pax header: ``<length> <key>=<value>\\n``, the length in decimal."""
    records = {}
    start = 0
    while start < len(payload):
        digits, space, _ = payload[start : start + 12].partition(b" ")
        end = start + int(digits) if space and digits.isdigit() else 0
        key, equals, value = payload[start + len(digits) + 1 : end - 1].partition(b"=")
        if end <= start or end > len(payload) or payload[end - 1 : end] != b"\n" or not equals:
            raise stream.damaged("an extended header in it is wrong")
        records[key] = value
        start = end
    return records


def _pax_text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _gnu_text(payload: bytes) -> str:
    return payload.partition(b"\0")[0].decode("utf-8", "surrogateescape")


_BLOCK = 512
_ALL_NAMES = 16 << 20


class Kind(StrEnum):
    """What a member is."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"


_KINDS = {
    **dict.fromkeys((tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE), Kind.FILE),
    **dict.fromkeys((tarfile.SYMTYPE, tarfile.LNKTYPE), Kind.LINK),
    tarfile.DIRTYPE: Kind.FOLDER,
}


@dataclass(frozen=True, kw_only=True)
class Member:
    """One member: its name from the archive's top, with ``/`` and without ``./``.

    ``size`` is 0 for all but files; ``content`` holds exactly that many bytes
    and can be read until the next member is asked for.
    """

    name: str
    kind: Kind
    size: int
    content: Content


class Content:
    """The bytes of one member, as a stream."""

    def __init__(self, stream: Inflated, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; none at the end."""
        wanted = min(size, self._left)
        part = self._stream.read(wanted)
        if len(part) < wanted:
            raise self._stream.damaged("it ends within a file")
        self._left -= len(part)
        return part

    def skip(self, size: int) -> None:
        """Passes over at most ``size`` bytes."""
        wanted = min(size, self._left)
        if self._stream.skip(wanted) < wanted:
            raise self._stream.damaged("it ends within a file")
        self._left -= wanted

    def skip_rest(self) -> None:
        """Passes over what was not read."""
        self.skip(self._left)


def read_members(stream: Inflated, limits: Limits) -> Iterator[Member]:
    """Every member of the tar in ``stream``, to the last byte of the gzip.

    Raises `UnreadableArtifact` for damage and for whatever `Refusal` names:
    absolute names, ``..``, links out of the archive, devices, duplicates,
    names that are not UTF-8, too many members.
    """
    names = _Names(limits)
    extension = Extension()
    while True:
        block = stream.read(_BLOCK)
        if block in (b"", bytes(_BLOCK)):
            break
        header = _header(stream, block)
        if header.type in EXTENSIONS:
            extension = extension.joined(read_extension(stream, header))
            continue
        if header.type == tarfile.XGLTYPE:
            pass_global(stream, header)
            continue
        member = _member(stream, header, extension)
        extension = Extension()
        names.add(member)
        yield member
        member.content.skip_rest()
        stream.skip(-member.size % _BLOCK)
    if extension != Extension():
        raise stream.damaged("its last header describes nothing")
    if names.count == 0 and block == b"":
        raise stream.damaged("it is empty")
    _must_end(stream)


def _header(stream: Inflated, block: bytes) -> tarfile.TarInfo:
    if len(block) < _BLOCK:
        raise stream.damaged("it ends within a header")
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError, OverflowError) as error:
        raise stream.damaged(f"a header in it is wrong: {str(error).lower()}") from None
    if header.size < 0:
        raise stream.damaged("a header in it has a negative size")
    return header


def _member(stream: Inflated, header: tarfile.TarInfo, extension: Extension) -> Member:
    raw = header.name if extension.path is None else extension.path
    target = header.linkname if extension.link is None else extension.link
    size = header.size if extension.size is None else extension.size
    kind = _KINDS.get(header.type)
    if kind is None:
        raise UnreadableArtifact(
            f"{shown(raw)} in the archive is {_SPECIAL.get(header.type, 'no file')}; "
            "SageMaker unpacks files and folders only: leave it out",
            Refusal.SPECIAL_FILE,
        )
    name = safe_name(raw)
    if kind is Kind.LINK:
        must_lead_inside(name, target, hard=header.type == tarfile.LNKTYPE)
    if kind is not Kind.FILE and size != 0:
        raise stream.damaged(f"{shown(name)} is a {kind} with content")
    if kind is not Kind.FOLDER and name == "":
        raise stream.damaged("a file in it has no name")
    return Member(name=name, kind=kind, size=size, content=Content(stream, size))


class _Names:
    """The names so far: no two alike, no file that is a folder too, not too many."""

    def __init__(self, limits: Limits) -> None:
        self.count = 0
        self._limits = limits
        self._bytes = 0
        self._kinds: dict[str, Kind] = {}

    def add(self, member: Member) -> None:
        self.count += 1
        self._bytes += len(member.name)
        if self.count > self._limits.max_members or self._bytes > _ALL_NAMES:
            raise UnreadableArtifact(
                f"the archive has more than {self.count - 1} members; "
                f"{how_to_raise('max_members')}",
                Refusal.BOMB,
            )
        before = self._kinds.get(member.name)
        if before is not None and (before, member.kind) != (Kind.FOLDER, Kind.FOLDER):
            self._refuse(member.name)
        if member.name:
            self._kinds[member.name] = member.kind
        parent = posixpath.dirname(member.name)
        while parent:
            kind = self._kinds.setdefault(parent, Kind.FOLDER)
            if kind is not Kind.FOLDER:
                self._refuse(parent)
            parent = posixpath.dirname(parent)

    def _refuse(self, name: str) -> None:
        raise UnreadableArtifact(
            f"{shown(name)} is in the archive twice; pack the folder again",
            Refusal.DUPLICATE,
        )


def _must_end(stream: Inflated) -> None:
    """After the end comes padding and nothing else; reading it checks the gzip's CRC."""
    while True:
        rest = stream.read(1 << 16)
        if not rest:
            return
        if rest.strip(b"\0"):
            raise stream.damaged("there is something after its end")


_SPECIAL = {
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a FIFO",
    tarfile.GNUTYPE_SPARSE: "stored sparse",
}
