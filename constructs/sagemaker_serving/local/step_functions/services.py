"""Which of AWS's services and actions a Task state names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from sagemaker_serving.local.protocol import models as api_models

_RESOURCE = re.compile(
    r"arn:(?P<partition>aws[a-z-]*):states:(?P<region>[a-z0-9-]*):(?P<account>\d*):"
    r"(?P<integration>[A-Za-z0-9-]+):(?P<rest>.+)"
)
_LAMBDA = re.compile(r"arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:[^:]+(:[^:]+)?")

_OF_JAVA = {
    "cloudwatchlogs": "logs",
    "eventbridge": "events",
    "sfn": "stepfunctions",
    "states": "stepfunctions",
}
"""boto3's names of services where the SDK for Java's own is quite another word."""

ACTIONS = {
    "dynamodb": frozenset({"getItem", "putItem", "updateItem", "deleteItem"}),
    "events": frozenset({"putEvents"}),
    "lambda": frozenset({"invoke"}),
    "sagemaker": None,
    "sns": frozenset({"publish"}),
    "sqs": frozenset({"sendMessage"}),
    "states": frozenset({"startExecution"}),
}
"""The optimised integrations of the local AWS, and their actions; None is any of the API."""

WAITED_FOR = {
    "sagemaker:createTransformJob": {"sync"},
    "states:startExecution": {"sync", "sync:2"},
}
"""The actions whose end a Task state can wait for, and by which suffixes."""
_TOKEN = "waitForTaskToken"
_WITH_TOKEN = frozenset({"aws-sdk", "events", "lambda", "sns", "sqs", "states"})


@dataclass(frozen=True, kw_only=True)
class Resource:
    """The ``Resource`` of a Task state: ``arn:aws:states:::<integration>:<service>:<action>``.

    ``service`` is boto3's name; ``pattern`` is ``sync``, ``sync:2``, ``waitForTaskToken`` or "".
    """

    arn: str
    integration: str
    service: str
    action: str
    pattern: str

    @property
    def operation(self) -> Any:
        """botocore's model of the action; None when the API has no such one."""
        return api_models.operation(self.service, self.action)


class UnknownResource(ValueError):
    """A Task state's Resource that neither AWS nor the local AWS can call."""


def resource(arn: str) -> Resource | None:
    """Read a Resource; None stands for a Lambda function's own ARN.

    Raises UnknownResource with what is wrong.
    """
    if _LAMBDA.fullmatch(arn):
        return None
    found = _RESOURCE.fullmatch(arn)
    if found is None:
        raise UnknownResource(_not_recognized(arn))
    integration = found["integration"]
    if integration == "activity":
        raise UnknownResource(f"{arn}: the local AWS has no activities; use a Lambda function")
    name, _, pattern = found["rest"].partition(".")
    api, _, action = name.rpartition(":")
    read = Resource(
        arn=arn,
        integration=integration,
        service=boto_name(api if integration == "aws-sdk" else integration),
        action=action,
        pattern=pattern,
    )
    _judge(read, api)
    return read


def _judge(read: Resource, api: str) -> None:
    if read.integration == "aws-sdk":
        if not api or read.operation is None:
            raise UnknownResource(_not_recognized(read.arn))
    elif read.integration not in ACTIONS:
        raise UnknownResource(
            f"{read.arn}: the local AWS has the integrations aws-sdk, "
            f"{', '.join(sorted(ACTIONS))}; it has no '{read.integration}'"
        )
    else:
        actions = ACTIONS[read.integration]
        known = read.operation is not None if actions is None else read.action in actions
        if not known:
            raise UnknownResource(_not_recognized(read.arn))
    _judge_pattern(read)


def _judge_pattern(read: Resource) -> None:
    if read.pattern == "":
        return
    if read.pattern == _TOKEN:
        if read.integration not in _WITH_TOKEN:
            raise UnknownResource(_not_recognized(read.arn))
        return
    waited = WAITED_FOR.get(f"{read.integration}:{read.action}", set())
    if read.pattern in waited:
        return
    if read.integration == "sagemaker" and read.pattern == "sync":
        raise UnknownResource(f"{read.arn}: the local AWS waits for transform jobs only")
    raise UnknownResource(_not_recognized(read.arn))


def _not_recognized(arn: str) -> str:
    return (
        f"The resource provided {arn} is not recognized. The value is not a valid resource ARN, "
        "or the resource is not available in this region."
    )


def boto_name(api: str) -> str:
    """boto3's name of a service by the SDK for Java's: ``sfn``, ``sagemakerruntime``."""
    return _OF_JAVA.get(api) or _by_letters().get(api.lower(), api)


def service_id(boto_service: str) -> str:
    """The service's own id (``CloudWatch Logs``), by boto3's name for it."""
    return str(api_models.service_model(boto_service).service_id)


@cache
def _by_letters() -> dict[str, str]:
    return {name.replace("-", ""): name for name in api_models.service_names()}
