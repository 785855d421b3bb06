"""Calls in the name of a state machine's role."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from local_aws.context import LocalContext
from local_aws.protocol import AwsError

_SESSION = "StepFunctions"
"""AWS makes up an opaque session name per execution. One name here lets executions of
a role share their boto3 clients, whose making takes tens of milliseconds each."""


class Roles:
    """Clients on the gateway that call, and are judged, as a role."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def client(self, role_arn: str, service: str, region: str) -> Any:
        """A boto3 client in the role's name."""
        session = self._context.sessions.assume(role_arn, _SESSION)
        return self._context.client_as(session, service, region)

    def refusal_to_assume(self, role_arn: str, other: str, region: str) -> str | None:
        """Why the role may not take another one; None when it may."""
        try:
            self.client(role_arn, "sts", region).assume_role(
                RoleArn=other, RoleSessionName=_SESSION
            )
        except ClientError as refused:
            return str(refused.response["Error"]["Message"])
        return None

    def refusal(self, role_arn: str, action: str, resource: str) -> str | None:
        """Why the role may not do this, as AWS words it; None when it may."""
        session = self._context.sessions.assume(role_arn, _SESSION)
        try:
            self._context.evaluator.require(session, action, resource)
        except AwsError as refused:
            return refused.message
        return None
