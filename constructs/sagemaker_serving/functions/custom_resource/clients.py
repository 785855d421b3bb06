"""boto3's clients, made once per process, and what their errors say."""

from __future__ import annotations

from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError


@cache
def client(service: str) -> Any:
    """A client that tries again when it is throttled."""
    return boto3.client(service, config=Config(retries={"mode": "standard", "max_attempts": 5}))


def code_of(error: ClientError) -> str:
    """The error's code, such as ``AccessDeniedException``."""
    return str(error.response.get("Error", {}).get("Code", ""))


def is_missing(error: ClientError) -> bool:
    """Whether SageMaker says that there is no such thing."""
    return code_of(error) in ("ResourceNotFound", "ResourceNotFoundException") or (
        code_of(error) == "ValidationException" and "could not find" in str(error).lower()
    )


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
