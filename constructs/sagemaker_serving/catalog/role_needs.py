"""What services do by a role that they are given, so that the role has to allow it."""

from __future__ import annotations

PULL_IMAGE = ("ecr:BatchGetImage", "ecr:GetAuthorizationToken", "ecr:GetDownloadUrlForLayer")
"""For SageMaker to get a container's image from a private repository.

Source: aws-cdk-lib 2.275.0, ``Repository.grantPull``, but for BatchCheckLayerAvailability, which a
pull does not need.
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
"""For SageMaker to put a model's instances into a VPC.

Source: aws-cdk-lib 2.275.0, the role that ``SageMakerCreateModel`` makes.
"""

PASS_ROLE = "iam:PassRole"
READ_OBJECT = "s3:GetObject"
WRITE_OBJECT = "s3:PutObject"

_WAITED_FOR = frozenset({"CreateTrainingJob", "CreateTransformJob"})
_WAITING = ("events:DescribeRule", "events:PutRule", "events:PutTargets", "sagemaker:AddTags")
"""For Step Functions to tag a job that a task waits for, and to hear of its end.

Source: aws-cdk-lib 2.275.0, ``SageMakerCreateTrainingJob`` and ``SageMakerCreateTransformJob``;
aws/aws-cdk issue 26012. Of other jobs, no source was found that says so.
"""


def task_needs(action: str, *, waits: bool, passes: bool) -> tuple[str, ...]:
    """What a task that calls ``action`` of SageMaker needs of its state machine's role.

    ``waits`` is whether it waits for the job's end (``.sync``), ``passes`` whether its arguments
    name a role. What only some calls need, as for tags of one's own, is not here.
    """
    waiting = _WAITING if waits and action in _WAITED_FOR else ()
    return (f"sagemaker:{action}", *((PASS_ROLE,) if passes else ()), *waiting)
