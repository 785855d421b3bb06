"""What a refusal looks like that a policy may be too young for; such a call is made again.

A policy, a role or its trust that CloudFormation has just written takes seconds until every
service knows it (IAM user guide, "Troubleshoot IAM", "Changes that I make are not always
immediately visible"). Each function of this project asks here, and tries for a minute.
"""

from __future__ import annotations

import os

PATIENCE_SECONDS = float(os.environ.get("ACCESS_DENIED_PATIENCE_SECONDS", "60"))
"""How long what is refused is tried again."""

_DENIED = ("AccessDenied", "UnauthorizedOperation")
_OF_A_ROLE = (
    "Could not assume role",
    "trust relationship policy allows the action",
    "Could not access model data at",
    "Unauthorized to List objects under S3 URL",
    "Access denied to OutputDataConfig S3 bucket",
    "Access denied for repository",
    "no identity-based policy allows",
    "role passed to CreateModel has permissions to download",
    "execution role used to create the model has permissions",
)
"""SageMaker refuses what the *role* of a call may not with a ValidationException: these are what
Terraform takes for a role that is not known yet (hashicorp/terraform-provider-aws,
internal/service/sagemaker: training_job.go, endpoint.go; model.go tries every one again), and
CreateModel's (philschmid/llm-sagemaker-sample#2). An endpoint tells the last two as it fails
(aws-samples/cvat-on-aws-china#3, aws/amazon-sagemaker-examples#275)."""


def may_pass(code: str, message: str) -> bool:
    """Whether an error of AWS's may be one of time. 403 is S3's answer to HeadObject, which has no
    body."""
    if code == "ValidationException":
        return any(said in message for said in _OF_A_ROLE)
    return code == "403" or code.startswith(_DENIED)


def is_told_in(text: str) -> bool:
    """The same, of an error as a state machine or a status tells it, in a text of any shape."""
    return is_denied(text) or any(said in text for said in _OF_A_ROLE)


def is_denied(text: str) -> bool:
    """Whether the *caller* was refused, by such a text."""
    return any(code in text for code in _DENIED) or "not authorized" in text
