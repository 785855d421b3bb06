"""Objects in S3, whole or as streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.whole import read_again, read_whole
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.s3_address import split_s3


@contextmanager
def open_object(aws: Aws, uri: str) -> Iterator[Any]:
    """The object at ``uri`` (``s3://bucket/key``) as a stream with ``read(size)``.

    What AWS refuses, or breaks off within the block, is raised as an error of
    this project: `Mistake` for an address that is none, `NotFound` when there
    is no such object, `Failure` else.
    """
    bucket, key = split_s3(uri)
    if not key:
        raise Mistake(f"{uri!r} is no address in S3; write s3://<bucket>/<key>")
    with aws_failures():
        try:
            body = aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"]
        except ClientError as error:
            if error.response["Error"].get("Code") in ("NoSuchKey", "NoSuchBucket"):
                raise NotFound(
                    f"there is nothing at {uri}; look with `aws s3 ls {uri.rpartition('/')[0]}/`"
                ) from None
            raise
        with body:
            yield body


def read_object(s3: Any, bucket: str, key: str) -> tuple[bytes, str]:
    """An object's bytes and its content type, asked for again when the connection breaks.

    ``s3`` is boto3's client, and what it raises before the body passes; `Failure` when the body
    broke off every time.
    """

    def read() -> tuple[bytes, str]:
        answer = s3.get_object(Bucket=bucket, Key=key)
        content_type = answer.get("ContentType", "application/octet-stream")
        return read_whole(answer["Body"]), content_type

    return read_again(read)
