"""What services do by a role that they are given, so that the role has to allow it."""

from __future__ import annotations

MANAGED_RULE = ("events:DescribeRule", "events:PutRule", "events:PutTargets")
"""For Step Functions to hear of the end of a job that a task waits for.

Source: Step Functions developer guide, IAM policies for SageMaker, "Run a Job (.sync)"; read
2026-11-24.
"""

PULL_IMAGE = ("ecr:BatchGetImage", "ecr:GetAuthorizationToken", "ecr:GetDownloadUrlForLayer")
"""For SageMaker to get a container's image from a private repository.

Source: SageMaker developer guide, SageMaker roles, "CreateModel API: Execution Role Permissions";
read 2026-11-24.
"""

JOIN_NETWORK = (
    "ec2:CreateNetworkInterface",
    "ec2:CreateNetworkInterfacePermission",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
)
"""For SageMaker to put a model's instances into a VPC; the source is that of `PULL_IMAGE`."""

PASS_ROLE = "iam:PassRole"
READ_OBJECT = "s3:GetObject"
WRITE_OBJECT = "s3:PutObject"

_HEARD_OF = frozenset({"CreateProcessingJob", "CreateTrainingJob", "CreateTransformJob"})


def task_needs(action: str, *, waits: bool, passes: bool) -> tuple[str, ...]:
    """What a task that calls ``action`` of SageMaker needs of its state machine's role.

    ``waits`` is whether it waits for the job's end (``.sync``), ``passes`` whether its arguments
    name a role. What only some calls need, as for tags, is not here.
    """
    heard = MANAGED_RULE if waits and action in _HEARD_OF else ()
    return (f"sagemaker:{action}", *((PASS_ROLE,) if passes else ()), *heard)
