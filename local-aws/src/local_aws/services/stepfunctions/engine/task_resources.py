"""Which of AWS's services and actions a Task state names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from local_aws.integration import Integration, Integrations
from local_aws.protocol import models as api_models

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

_TOKEN = "waitForTaskToken"


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


def resource(arn: str, integrations: Integrations) -> Resource | None:
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
    _judge(read, api, integrations)
    return read


def _judge(read: Resource, api: str, integrations: Integrations) -> None:
    own = integrations.get(read.integration)
    if read.integration == "aws-sdk":
        known = bool(api) and read.operation is not None
    elif own is None:
        has = ", ".join(each.name for each in integrations)
        raise UnknownResource(
            f"{read.arn}: the local AWS has the integrations aws-sdk, {has}; "
            f"it has no '{read.integration}'"
        )
    else:
        known = read.operation is not None if own.actions is None else read.action in own.actions
    if not known:
        raise UnknownResource(_not_recognized(read.arn))
    _judge_pattern(read, own)


def _judge_pattern(read: Resource, own: Integration | None) -> None:
    if read.pattern == "":
        return
    if read.pattern == _TOKEN:
        if own is not None and not own.takes_token:
            raise UnknownResource(_not_recognized(read.arn))
        return
    if own is not None and read.pattern in own.waits_for.get(read.action, ()):
        return
    if own is not None and own.waits_only_for and read.pattern == "sync":
        raise UnknownResource(f"{read.arn}: the local AWS waits for {own.waits_only_for} only")
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
