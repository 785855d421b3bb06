"""Roles that tests call in the name of, and what they are answered."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws

ACCOUNT = "123456789012"
numbers = count(1)


class Caller:
    """A role of its own with exactly these statements, and clients in its name."""

    def __init__(self, aws: Aws, *statements: Mapping[str, Any], service: str = "lambda") -> None:
        self.aws = aws
        self.name = f"caller-{next(numbers)}"
        self.arn = aws.role(self.name, service, *(statements or (allow("none:None"),)))
        self.session = aws.gateway.context.sessions.assume(self.arn, "session")

    def client(self, service: str) -> Any:
        return self.aws.gateway.context.client_as(self.session, service, REGION)


def allow(action: str | list[str], resource: str | list[str] = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def refusal(call: Callable[..., Any], **parameters: Any) -> tuple[int, str, str]:
    """Status, code and message of the error that a call must end in."""
    with pytest.raises(ClientError) as refused:
        call(**parameters)
    answer = refused.value.response
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    return status, answer["Error"]["Code"], answer["Error"].get("Message", "")


def unsigned(aws: Aws, path: str) -> int:
    """The status of a GET that nobody has signed."""
    connection = http.client.HTTPConnection("localhost", urlsplit(aws.url).port or 0)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status
