"""Addresses in S3, as environment files, commands and SageMaker's own answers write them."""

from __future__ import annotations

from local_aws.s3_location import S3Location
from sagemaker_serving.errors import Mistake


def is_s3(text: str) -> bool:
    """Whether ``text`` is meant as an address in S3; otherwise it is a path on this machine."""
    return text.startswith(("s3://", "https://"))


def split_s3(uri: str) -> tuple[str, str]:
    """Bucket and key of any of S3's URLs; the key is empty where only a bucket is named.

    Raises `Mistake` for what is no address in S3.
    """
    found = S3Location.find(uri)
    if found is None:
        raise Mistake(f"{uri!r} is no address in S3; write s3://<bucket>/<key>")
    return found.bucket, found.key
