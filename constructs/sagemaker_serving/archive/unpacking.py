"""Unpacks an archive into a folder, and nothing outside of it."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.archive.inflate import Inflated, Readable
from sagemaker_serving.archive.limits import Limits
from sagemaker_serving.archive.members import Kind, read_members
from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact, shown

_CHUNK = 1 << 20


def unpack(stream: Readable, folder: Path, name: str, limits: Limits | None = None) -> None:
    """Writes the files of the ``.tar.gz`` in ``stream`` below ``folder``, made if need be.

    ``name`` is what messages call the archive. Modes, owners and times are
    left out. Raises `UnreadableArtifact` for whatever `Refusal` names and for
    links of any kind, which SageMaker does not take; then some files may have
    been written already, all below ``folder``.
    """
    allowed = limits if limits is not None else Limits.of_this_shell()
    folder.mkdir(parents=True, exist_ok=True)
    for member in read_members(Inflated(stream, name, allowed), allowed):
        target = folder / member.name
        if member.kind is Kind.LINK:
            raise UnreadableArtifact(
                f"{shown(member.name)} is neither a file nor a folder; "
                "SageMaker takes no links: put the file itself there",
                Refusal.SPECIAL_FILE,
            )
        if member.kind is Kind.FOLDER:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            while part := member.content.read(_CHUNK):
                file.write(part)
