"""boto3's clients, made once per process."""

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


def is_missing(error: ClientError) -> bool:
    """Whether SageMaker says that there is no such endpoint, or config."""
    return "could not find" in str(error).lower()
