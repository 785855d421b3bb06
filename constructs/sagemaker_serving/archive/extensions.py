"""Extension headers of a tar: what they say of the member after them, of bounded size."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass

from sagemaker_serving.archive.inflate import Inflated
from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact

EXTENSIONS = (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
"""Types of the headers that describe the member after them."""

_BLOCK = 512
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
