"""boto3's clients, made once per process."""

from __future__ import annotations

from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

_PATIENT = Config(retries={"mode": "standard", "max_attempts": 5})


@cache
def client(service: str) -> Any:
    """A client that tries again when it is throttled."""
    return boto3.client(service, config=_PATIENT)


def code_of(error: ClientError) -> str:
    """The error's code, such as ``AccessDeniedException``."""
    return str(error.response.get("Error", {}).get("Code", ""))
