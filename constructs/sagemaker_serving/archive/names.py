"""Names of members and targets of links: inside the archive, and writable everywhere."""

from __future__ import annotations

import posixpath

from sagemaker_serving.archive.refusals import Refusal, UnreadableArtifact, shown

_LONGEST_NAME = 1024
_LONGEST_PART = 255
_DEEPEST = 64


def safe_name(raw: str) -> str:
    """A member's name without ``./``.

    Raises `UnreadableArtifact` for one that leads out of the archive or that
    cannot be written everywhere.
    """
    try:
        length = len(raw.encode("utf-8"))
    except UnicodeEncodeError:
        raise UnreadableArtifact(
            f"the name {shown(raw)} in the archive is not UTF-8; rename the file", Refusal.NAME
        ) from None
    if raw.startswith("/"):
        raise UnreadableArtifact(
            f"{shown(raw)} in the archive is an absolute path; pack with `tar -C FOLDER .`",
            Refusal.ABSOLUTE_PATH,
        )
    parts = [part for part in raw.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UnreadableArtifact(
            f"{shown(raw)} in the archive leads out of it; pack from inside the folder",
            Refusal.OUTSIDE_PATH,
        )
    if (
        "\0" in raw
        or length > _LONGEST_NAME
        or len(parts) > _DEEPEST
        or any(len(part.encode()) > _LONGEST_PART for part in parts)
    ):
        raise UnreadableArtifact(
            f"the name {shown(raw)} in the archive cannot be written to every disk; names take "
            f"{_LONGEST_PART} bytes, paths {_LONGEST_NAME} bytes and {_DEEPEST} folders: "
            "shorten it",
            Refusal.NAME,
        )
    return "/".join(parts)


def must_lead_inside(name: str, target: str, *, hard: bool) -> None:
    """Raises `UnreadableArtifact` when the link ``name`` leads out of the archive.

    The target of a ``hard`` link counts from the archive's top, that of a
    symbolic one from its folder.
    """
    start = "" if hard else posixpath.dirname(name)
    end = posixpath.normpath(posixpath.join(start, target))
    if target.startswith("/") or end == ".." or end.startswith("../"):
        raise UnreadableArtifact(
            f"{shown(name)} in the archive is a link out of it, to {shown(target)}; "
            "put the file itself there",
            Refusal.OUTSIDE_LINK,
        )
