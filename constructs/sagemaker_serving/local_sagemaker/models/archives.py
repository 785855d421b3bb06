"""Fetch a model's archive from S3 and unpack it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.s3_location import S3Location
from sagemaker_serving.archive import UnreadableArtifact, unpack


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
    """What S3 answers to a listing of what begins with ``url``; 404 when nothing does."""
    try:
        location = S3Location.parse(url)
        found = s3.list_objects_v2(Bucket=location.bucket, Prefix=location.key, MaxKeys=1)
    except ValueError:
        return 404
    except ClientError as error:
        return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
    return 200 if found.get("KeyCount") else 404


def fetch_and_unpack(
    s3: Any, url: str, *, region: str, folder: Path, account_s3: Any | None = None
) -> None:
    """Unpack the ``.tar.gz`` at ``url`` into ``folder``, as the model's container would see it.

    The bucket must be in ``region``, and the archive may hold regular files
    and folders only, none of them outside of it (SageMaker developer guide,
    "Use your own inference code", read 2026-11-21: no symbolic links).
    ``s3`` reads the object, in the role's name; ``account_s3`` finds out where
    the bucket is, which SageMaker knows without asking; absent, ``s3`` does.
    Raises `ArchiveRefused`.
    """
    try:
        location = S3Location.parse(url)
        account_s3 = s3 if account_s3 is None else account_s3
        found = account_s3.get_bucket_location(Bucket=location.bucket)
        home = found["LocationConstraint"] or "us-east-1"
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
        unpack(body, folder, url)
    except (UnreadableArtifact, OSError) as error:
        raise ArchiveRefused(
            'Failed to extract model data archive for container "container_1" from URL '
            f'"{url}". Please ensure that the object located at the URL is a valid tar.gz '
            f"archive. ({error})"
        ) from None
