"""SageMaker's calls in a role's name."""

from __future__ import annotations

from typing import Any

from local_aws.context import LocalContext

SESSION_NAME = "SageMaker"
"""What SageMaker calls its sessions: ``assumed-role/<role>/SageMaker``, as error messages on AWS
name the caller (github.com/aws/amazon-sagemaker-feedback/issues/61)."""


def role_client(context: LocalContext, role_arn: str | None, service: str, region: str) -> Any:
    """A client that calls, and is judged, in the role's name; in the account's without a role."""
    if role_arn is None:
        return context.client(service, region)
    return context.client_as(context.sessions.assume(role_arn, SESSION_NAME), service, region)


def credentials(context: LocalContext, role_arn: str | None) -> dict[str, str]:
    """The variables that give a container the role's credentials; none without a role."""
    if role_arn is None:
        return {}
    session = context.sessions.assume(role_arn, SESSION_NAME)
    return {
        "AWS_ACCESS_KEY_ID": session.access_key_id,
        "AWS_SECRET_ACCESS_KEY": session.secret_access_key,
        "AWS_SESSION_TOKEN": session.session_token,
    }
