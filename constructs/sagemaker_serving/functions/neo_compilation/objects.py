"""Archives in S3: found, copied, read as they stream by."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sagemaker_serving.functions.custom_resource.clients import NO_TAGS, client

WITH_CODE = "with-code/"
"""Below a content's prefix: what Neo compiled, and the user's code beside it."""


@dataclass(frozen=True)
class Place:
    """An object, or a prefix with a slash at its end."""

    bucket: str
    key: str

    @classmethod
    def of(cls, url: str) -> Place:
        """The place that ``s3://bucket/key`` names."""
        bucket, _, key = url.removeprefix("s3://").partition("/")
        return cls(bucket, key)

    @property
    def url(self) -> str:
        """As ``s3://bucket/key``."""
        return f"s3://{self.bucket}/{self.key}"

    @property
    def name(self) -> str:
        """The key's last part."""
        return PurePosixPath(self.key).name

    def below(self, name: str) -> Place:
        """A place under this prefix."""
        return Place(self.bucket, f"{self.key}{name}")

    def holds(self, other: Place) -> bool:
        """Whether ``other`` is under this prefix."""
        return self.bucket == other.bucket and other.key.startswith(self.key)


def find_archive(prefix: Place) -> Place | None:
    """The finished archive under a content's prefix: the one with code, if there is one.

    S3 shows an object only when all of it is written. What Neo calls its archive is not
    documented as a promise, so any ``.tar.gz`` counts.
    """
    pages = client("s3").get_paginator("list_objects_v2")
    keys = [
        entry["Key"]
        for page in pages.paginate(Bucket=prefix.bucket, Prefix=prefix.key)
        for entry in page.get("Contents", [])
        if entry["Key"].endswith(".tar.gz")
    ]
    with_code = [key for key in keys if key.startswith(f"{prefix.key}{WITH_CODE}")]
    found = with_code or keys
    return Place(prefix.bucket, found[0]) if found else None


def copy(source: Place, target: Place) -> None:
    """Copies an object of any size."""
    taken = {"Bucket": source.bucket, "Key": source.key}
    client("s3").copy(taken, target.bucket, target.key, ExtraArgs=NO_TAGS)


@contextmanager
def archive(place: Place) -> Iterator[tarfile.TarFile]:
    """An archive to be read from its beginning to its end."""
    body: Any = client("s3").get_object(Bucket=place.bucket, Key=place.key)["Body"]
    with body, tarfile.open(fileobj=body, mode="r|gz") as opened:
        yield opened


def files_in(place: Place) -> list[str]:
    """The names of an archive's files."""
    with archive(place) as opened:
        return [str(PurePosixPath(member.name)) for member in opened if member.isfile()]


def is_code(name: str) -> bool:
    """Whether a file of an archive is the user's code, and none of the model's."""
    return PurePosixPath(name).parts[:1] == ("code",)
