"""Fetch a model from S3: an archive to unpack, or files as they are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.s3_location import S3Location
from sagemaker_serving.archive import UnreadableArtifact, unpack


@dataclass(frozen=True, kw_only=True)
class ModelFiles:
    """Where a container's model lies; one that ``is_packed`` is an archive."""

    url: str
    is_packed: bool = True

    @property
    def is_prefix(self) -> bool:
        """Whether it is all that is below ``url``, and no single object."""
        return not self.is_packed and self.url.endswith("/")


def model_files(container: Mapping[str, Any]) -> ModelFiles | None:
    """What a container's definition names as its model; None for one that names nothing."""
    source = container.get("ModelDataSource", {}).get("S3DataSource")
    if source is not None:
        return ModelFiles(url=source["S3Uri"], is_packed=source["CompressionType"] == "Gzip")
    url = container.get("ModelDataUrl")
    return None if url is None else ModelFiles(url=url)


class ArchiveRefused(Exception):
    """The archive cannot become a model's folder; the message is a FailureReason in AWS's words."""


def head_status(s3: Any, url: str) -> int:
    """What S3 answers to a look at ``url``: 200, 403, 404; 404 for what is no address in S3."""
    try:
        location = S3Location.parse(url)
        s3.head_object(Bucket=location.bucket, Key=location.key)
    except ValueError:
        return 404
    except ClientError as error:
        return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
    return 200


def list_status(s3: Any, url: str) -> int:
    """What S3 answers to a listing of what begins with ``url``; 204 when nothing does."""
    try:
        location = S3Location.parse(url)
        found = s3.list_objects_v2(Bucket=location.bucket, Prefix=location.key, MaxKeys=1)
    except ValueError:
        return 404
    except ClientError as error:
        return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
    return 200 if found.get("KeyCount") else 204


def fetch_and_unpack(
    s3: Any, url: str, *, region: str, folder: Path, account_s3: Any | None = None
) -> None:
    """Unpack the ``.tar.gz`` at ``url`` into ``folder``, as the model's container would see it.

    The bucket must be in ``region``, and the archive may hold regular files
    and folders only, none of them outside of it (SageMaker developer guide,
    "Use your own inference code": no symbolic links).
    ``s3`` reads the object, in the role's name; ``account_s3`` finds out where
    the bucket is, which SageMaker knows without asking; absent, ``s3`` does.
    Raises `ArchiveRefused`.
    """
    with _downloading(url):
        location = _at_home(s3 if account_s3 is None else account_s3, url, region)
        body = s3.get_object(Bucket=location.bucket, Key=location.key)["Body"]
    try:
        unpack(body, folder, url)
    except (UnreadableArtifact, OSError) as error:
        raise ArchiveRefused(
            'Failed to extract model data archive for container "container_1" from URL '
            f'"{url}". Please ensure that the object located at the URL is a valid tar.gz '
            f"archive. ({error})"
        ) from None


def fetch_files(
    s3: Any, files: ModelFiles, *, region: str, folder: Path, account_s3: Any | None = None
) -> None:
    """Bring what is not packed into ``folder``, as the model's container would see it.

    An object has the last part of its key as its name, one below a prefix the rest of its key as
    its path. A name that is empty, "." or ".." or has over 255 bytes fails the deployment, and so
    does one of a file and a folder at once (botocore S3ModelDataSource.CompressionType); that is
    said in words of our own. ``s3`` and ``account_s3`` are as of
    `fetch_and_unpack`. Raises `ArchiveRefused`.
    """
    with _downloading(files.url):
        location = _at_home(s3 if account_s3 is None else account_s3, files.url, region)
        keys = _keys_below(s3, location) if files.is_prefix else [location.key]
        start = len(location.key) if files.is_prefix else location.key.rfind("/") + 1
        folder.mkdir(parents=True)
        for key in keys:
            target = folder / _path_of(key[start:], key)
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as file:
                    body = s3.get_object(Bucket=location.bucket, Key=key)["Body"]
                    shutil.copyfileobj(body, file)
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                raise ValueError(f"{key} names a file and a folder at once") from None


def _keys_below(s3: Any, location: S3Location) -> list[str]:
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=location.bucket, Prefix=location.key
    )
    keys = [found["Key"] for page in pages for found in page.get("Contents", ())]
    if not keys:
        raise ValueError("there is no object below it")
    return keys


def _path_of(rest: str, key: str) -> str:
    for name in rest.split("/"):
        if not name.strip() or name in (".", "..") or "\0" in name or len(name.encode()) > 255:
            raise ValueError(f"{key} is no path of a file: {name!r} in it cannot be a name")
    return rest


@contextmanager
def _downloading(url: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, ClientError, BotoCoreError) as error:
        raise ArchiveRefused(
            f'Failed to download model data for container "container_1" from URL: "{url}". '
            "Please ensure that there is an object located at the URL and that the role passed "
            f"to CreateModel has permissions to download the object. ({error})"
        ) from None


def _at_home(account_s3: Any, url: str, region: str) -> S3Location:
    """Where ``url`` leads, in a bucket of ``region``."""
    location = S3Location.parse(url)
    found = account_s3.get_bucket_location(Bucket=location.bucket)
    home = found["LocationConstraint"] or "us-east-1"
    if home != region:
        raise ArchiveRefused(
            f'Failed to download model data for container "container_1" from URL: "{url}". '
            f"The bucket is in {home}; it must be in the endpoint's region, {region}."
        )
    return location
