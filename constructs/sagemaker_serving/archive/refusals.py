"""Why a model on disk or an archive is refused: one error, its kind, its message."""

from __future__ import annotations

from enum import StrEnum

from sagemaker_serving.errors import Mistake


class Refusal(StrEnum):
    """The kinds of refusal; each is the id of the rule that reports it (docs/archives.md)."""

    UNREADABLE = "artifact-readable"
    NOT_AN_ARCHIVE = "archive-format"
    ZIP = "archive-zip"
    DAMAGED = "archive-damaged"
    ABSOLUTE_PATH = "archive-absolute-path"
    OUTSIDE_PATH = "archive-outside-path"
    OUTSIDE_LINK = "archive-outside-link"
    SPECIAL_FILE = "archive-special-file"
    DUPLICATE = "archive-duplicate"
    NAME = "archive-name"
    BOMB = "archive-bomb"


class UnreadableArtifact(Mistake):
    """A model on disk or in a stream that cannot be read or may not be packed.

    ``refusal`` is the kind of refusal.
    """

    def __init__(self, message: str, refusal: Refusal = Refusal.UNREADABLE) -> None:
        super().__init__(message)
        self.refusal = refusal


POINTER = b"version https://git-lfs.github.com/spec/"
"""What stands for a file that Git LFS has not fetched begins so (git-lfs/docs/spec.md)."""


def absent(head: bytes) -> str | None:
    """What a file that begins with ``head`` is where its content never came, and what brings it.

    None where there is content.
    """
    if not head:
        return (
            "empty (0 bytes), as a copy that broke off leaves it; copy or save it again, or get it "
            "with `git lfs pull` or `dvc pull`"
        )
    if head.startswith(POINTER):
        return "a pointer of Git LFS, and `git lfs pull` gets the file"
    return None


def shown(name: str) -> str:
    """A member's name as it may be printed: quoted, control characters escaped, not too long."""
    quoted = ascii(name) if not name.isprintable() else repr(name)
    return quoted if len(quoted) <= 120 else f"{quoted[:100]}…{quoted[-16:]}"
