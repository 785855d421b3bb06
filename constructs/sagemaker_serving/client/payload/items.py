"""Bodies that go as they are, each in a request of its own: images, files, bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.client.payload.batch import Joining, Piece, too_large
from sagemaker_serving.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class Items:
    """Bodies by themselves; ``content_type`` None: what each one looks like, see `type_of`."""

    items: Sequence[bytes | Path]
    content_type: str | None = None
    joining: Joining = "list"

    @property
    def records(self) -> int:
        """How many bodies there are."""
        return len(self.items)

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """One request each; files are read when their turn comes; see `Batch.pieces`."""
        for index, item in enumerate(self.items):
            size = size_of(item)
            if size > limits.most:
                raise too_large(
                    str(item) if isinstance(item, Path) else f"record {index}", size, limits
                )
        return (
            Piece(
                first=index,
                count=1,
                body=read(item),
                content_type=type_of(item) if self.content_type is None else self.content_type,
            )
            for index, item in enumerate(self.items)
        )


def size_of(item: bytes | Path) -> int:
    """Bytes of a body. Raises `Mistake` for a file that cannot be read."""
    if not isinstance(item, Path):
        return len(item)
    try:
        return item.stat().st_size
    except OSError as error:
        raise _unreadable(item, error) from None


def read(item: bytes | Path) -> bytes:
    """A body's bytes. Raises `Mistake` for a file that cannot be read."""
    if not isinstance(item, Path):
        return item
    try:
        return item.read_bytes()
    except OSError as error:
        raise _unreadable(item, error) from None


def type_of(item: bytes | Path) -> str:
    """What a body is by a file's suffix, or by how its bytes begin; octet-stream when neither says.

    Images are ``application/x-image``, as AWS's own examples send them
    (docs.aws.amazon.com/sagemaker/latest/dg/neo-requests-boto3.html).
    """
    if isinstance(item, Path):
        return _BY_SUFFIX.get(item.suffix.lower(), OCTET_STREAM)
    for start, content_type in _BY_START.items():
        if item.startswith(start):
            return content_type
    return IMAGE if item[:4] == b"RIFF" and item[8:12] == b"WEBP" else OCTET_STREAM


IMAGE = "application/x-image"
OCTET_STREAM = "application/octet-stream"
NPY = "application/x-npy"

_BY_SUFFIX = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".jsonlines": "application/jsonlines",
    ".ndjson": "application/jsonlines",
    ".csv": "text/csv",
    ".libsvm": "text/libsvm",
    ".npy": NPY,
    ".npz": "application/x-npz",
    ".txt": "text/plain",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"), IMAGE),
}
_BY_START = {
    b"\x89PNG\r\n\x1a\n": IMAGE,
    b"\xff\xd8\xff": IMAGE,
    b"GIF8": IMAGE,
    b"II*\x00": IMAGE,
    b"MM\x00*": IMAGE,
    b"\x93NUMPY": NPY,
}


def _unreadable(path: Path, error: OSError) -> Mistake:
    return Mistake(f"{path} cannot be read: {error.strerror}")
