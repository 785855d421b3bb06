"""Machines as AWS describes them, and its refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.services.stepfunctions.machines import PASS, ROLE

ARN = f"arn:aws:states:{REGION}:123456789012"
OFF = {"level": "OFF", "includeExecutionData": False}
PLAIN = {
    "roleArn": ROLE,
    "status": "ACTIVE",
    "type": "STANDARD",
    "loggingConfiguration": OFF,
    "tracingConfiguration": {"enabled": False},
    "encryptionConfiguration": {"type": "AWS_OWNED_KEY"},
}


def commented(comment: str) -> str:
    return json.dumps({**PASS, "Comment": comment})


def described(aws: Aws, machine: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = aws.client("stepfunctions").describe_state_machine(
        stateMachineArn=machine, **more
    )
    return {name: answer[name] for name in answer if name != "ResponseMetadata"}


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        call()
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]
