"""Objects in S3 as streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Mistake, NotFound


@contextmanager
def open_object(aws: Aws, uri: str) -> Iterator[Any]:
    """The object at ``uri`` (``s3://bucket/key``) as a stream with ``read(size)``.

    What AWS refuses, or breaks off within the block, is raised as an error of
    this project: `Mistake` for an address that is none, `NotFound` when there
    is no such object, `Failure` else.
    """
    parts = urlsplit(uri)
    key = uri.removeprefix("s3://").partition("/")[2]
    if parts.scheme != "s3" or not parts.netloc or not key:
        raise Mistake(f"{uri!r} is no address in S3; write s3://<bucket>/<key>")
    with aws_failures():
        try:
            body = aws.client("s3").get_object(Bucket=parts.netloc, Key=key)["Body"]
        except ClientError as error:
            if error.response["Error"].get("Code") in ("NoSuchKey", "NoSuchBucket"):
                raise NotFound(
                    f"there is nothing at {uri}; look with `aws s3 ls {uri.rpartition('/')[0]}/`"
                ) from None
            raise
        with body:
            yield body
