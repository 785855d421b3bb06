"""Fetch a model's archive from S3 and unpack it."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError


class ArchiveRefused(Exception):
    """The archive cannot become a model's folder; the message is a FailureReason in AWS's words."""


@dataclass(frozen=True)
class S3Location:
    """A bucket and a key, or a prefix of keys."""

    bucket: str
    key: str

    @classmethod
    def parse(cls, url: str) -> S3Location:
        """Read ``s3://bucket/key``; raises ValueError for any other address."""
        parts = urlsplit(url)
        if parts.scheme != "s3" or not parts.netloc:
            raise ValueError(f"'{url}' is not an s3://bucket/key address")
        return cls(parts.netloc, url.removeprefix("s3://").partition("/")[2])

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


def exists(s3: Any, url: str) -> bool:
    """Whether there is an object at ``url``."""
    try:
        location = S3Location.parse(url)
        s3.head_object(Bucket=location.bucket, Key=location.key)
    except (ValueError, ClientError):
        return False
    return True


def fetch_and_unpack(s3: Any, url: str, *, region: str, folder: Path) -> None:
    """Unpack the ``.tar.gz`` at ``url`` into ``folder``, as the model's container would see it.

    The bucket must be in ``region``, and the archive may hold regular files
    and folders only, none of them outside of it (SageMaker developer guide,
    "Use your own inference code", read 2026-11-21: no symbolic links).
    Raises `ArchiveRefused`.
    """
    try:
        location = S3Location.parse(url)
        home = s3.get_bucket_location(Bucket=location.bucket)["LocationConstraint"] or "us-east-1"
        if home != region:
            raise ArchiveRefused(
                f'Failed to download model data for container "container_1" from URL: "{url}". '
                f"The bucket is in {home}; it must be in the endpoint's region, {region}."
            )
        body = s3.get_object(Bucket=location.bucket, Key=location.key)["Body"]
    except (ValueError, ClientError, BotoCoreError) as error:
        raise ArchiveRefused(
            f'Failed to download model data for container "container_1" from URL: "{url}". '
            "Please ensure that there is an object located at the URL and that the role passed "
            f"to CreateModel has permissions to download the object. ({error})"
        ) from None
    try:
        _unpack(body, folder)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise ArchiveRefused(
            'Failed to extract model data archive for container "container_1" from URL '
            f'"{url}". Please ensure that the object located at the URL is a valid tar.gz '
            f"archive. ({error})"
        ) from None


def _unpack(stream: Any, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=stream, mode="r|gz") as archive:
        for member in archive:
            if not (member.isfile() or member.isdir()):
                raise tarfile.TarError(f"'{member.name}' is neither a file nor a folder")
            archive.extract(member, folder, filter="data")
