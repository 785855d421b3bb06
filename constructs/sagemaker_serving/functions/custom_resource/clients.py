"""boto3's clients, made once per process, and what their errors say."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from . import refusals

NO_TAGS = {"TaggingDirective": "REPLACE"}
"""Of a copy in S3: without it the source's tags go along, which takes s3:GetObjectTagging and
s3:PutObjectTagging (AWS's knowledge center, "s3-troubleshoot-copy-between-buckets", as
Seagate/cortx-prvsnr#3033 quotes it)."""

_AGAIN_SECONDS = 3.0


@cache
def client(service: str) -> Any:
    """A client that tries again when it is throttled, and for a minute where `refusals` says so."""
    made = boto3.client(service, config=Config(retries={"mode": "standard", "max_attempts": 5}))
    made.meta.events.register("needs-retry", _OfRefused().delay)
    return made


class _OfRefused:
    """Botocore's question whether a call is made again, asked of those that were refused.

    Each operation has one minute in all: what is refused for good is told at the next try. A
    refusal a minute and more after the last one has a minute anew: Lambda keeps this process for
    the next deploy, whose policy is as new as that of the first.
    """

    def __init__(self) -> None:
        self._refused: dict[str, tuple[float, float]] = {}

    def delay(self, response: Any, operation: Any, **_: Any) -> float | None:
        """The seconds to wait; None for no further try of this kind."""
        error = {} if response is None else response[1].get("Error", {})
        if not refusals.may_pass(error.get("Code", ""), error.get("Message", "")):
            self._refused.pop(operation.name, None)
            return None
        now = time.monotonic()
        since, last = self._refused.get(operation.name, (now, now))
        since = now if now - last > refusals.PATIENCE_SECONDS else since
        self._refused[operation.name] = since, now
        return _AGAIN_SECONDS if now - since < refusals.PATIENCE_SECONDS else None


def code_of(error: ClientError) -> str:
    """The error's code, such as ``AccessDeniedException``."""
    return str(error.response.get("Error", {}).get("Code", ""))


def is_missing(error: ClientError) -> bool:
    """Whether SageMaker says that there is no such thing."""
    return code_of(error) in ("ResourceNotFound", "ResourceNotFoundException") or (
        code_of(error) == "ValidationException" and "could not find" in str(error).lower()
    )


def described(operation: str, **named: str) -> Mapping[str, Any] | None:
    """What one of SageMaker's ``describe_…`` answers; None where there is no such thing."""
    try:
        found: Mapping[str, Any] = getattr(client("sagemaker"), operation)(**named)
    except ClientError as error:
        if is_missing(error):
            return None
        raise
    return found


def tags_of(arn: str) -> dict[str, str]:
    """The tags of a resource of SageMaker; none where it has gone meanwhile."""
    try:
        pages = client("sagemaker").get_paginator("list_tags")
        return {
            tag["Key"]: tag["Value"]
            for page in pages.paginate(ResourceArn=arn)
            for tag in page["Tags"]
        }
    except ClientError as error:
        if is_missing(error):
            return {}
        raise
