"""What services do by a role that they are given, so that the role has to allow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GET_IMAGE = "ecr:BatchGetImage"
PULL_IMAGE = (
    *("ecr:BatchCheckLayerAvailability", GET_IMAGE),
    *("ecr:GetAuthorizationToken", "ecr:GetDownloadUrlForLayer"),
)
"""For SageMaker to get a container's image from a private repository.

Source: SageMaker developer guide, "CreateModel API: Execution Role Permissions"; aws-cdk-lib
2.275.0, ``Repository.grantPull``.
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

OPEN_SHELL = (
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
)
"""For Session Manager to reach a container. Source: SageMaker developer guide, "Access containers
through SSM"."""

LOOK_AT_ALARMS = "cloudwatch:DescribeAlarms"
"""For SageMaker to roll an update back by alarms. Source: SageMaker developer guide, "Auto-Rollback
Configuration and Monitoring"."""

PASS_ROLE = "iam:PassRole"
READ_OBJECT = "s3:GetObject"
LIST_BUCKET = "s3:ListBucket"
WRITE_OBJECT = "s3:PutObject"
PUBLISH = "sns:Publish"

_WAITED_FOR = frozenset({"CreateTrainingJob", "CreateTransformJob"})
_WAITING = ("events:DescribeRule", "events:PutRule", "events:PutTargets", "sagemaker:AddTags")
"""For Step Functions to tag a job that a task waits for, and to hear of its end.

Source: aws-cdk-lib 2.275.0, ``SageMakerCreateTrainingJob`` and ``SageMakerCreateTransformJob``;
aws/aws-cdk issue 26012. Of other jobs, no source was found that says so.
"""


_CONFIGURATIONS = "arn:aws:sagemaker:*:*:endpoint-config/*"
_SECOND = {"CreateEndpoint": _CONFIGURATIONS, "UpdateEndpoint": _CONFIGURATIONS}
"""The second resource that an action is judged on.

Source: AWS's service authorization reference, SageMaker; aws/aws-cdk issue 11594.
"""


def task_needs(
    action: str, *, waits: bool, passes: bool, tags: bool
) -> tuple[tuple[str, str], ...]:
    """What a task that calls ``action`` of SageMaker needs of its state machine's role: actions of
    IAM, each with the ARN that it is done on.

    ``waits`` is whether it waits for the job's end (``.sync``), ``passes`` whether its arguments
    name a role, ``tags`` whether they have tags, by which an action needs AddTags too (service
    authorization reference, SageMaker; quickstart-aws-utility-meter-data-analytics-platform#53).
    """
    waiting = _WAITING if waits and action in _WAITED_FOR else ()
    tagging = ("sagemaker:AddTags",) if tags else ()
    also = ((f"sagemaker:{action}", _SECOND[action]),) if action in _SECOND else ()
    others = dict.fromkeys((*((PASS_ROLE,) if passes else ()), *waiting, *tagging))
    return ((f"sagemaker:{action}", "*"), *also, *((name, "*") for name in others))


def _allows(*statements: tuple[tuple[str, ...], tuple[str, ...]]) -> Mapping[str, Any]:
    return {
        "Statement": [
            {"Effect": "Allow", "Action": list(actions), "Resource": list(on)}
            for actions, on in statements
        ]
    }


_ANY = ("*",)
_SAGEMAKER = ("*SageMaker*", "*Sagemaker*", "*sagemaker*")
MANAGED_POLICIES: Mapping[str, Mapping[str, Any]] = {
    "AWSLambdaBasicExecutionRole": _allows((("logs:*",), _ANY)),
    "AWSLambdaVPCAccessExecutionRole": _allows((("logs:*", "ec2:*"), _ANY)),
    "AWSLambdaSQSQueueExecutionRole": _allows((("logs:*", "sqs:*"), _ANY)),
    "AWSXRayDaemonWriteAccess": _allows((("xray:*",), _ANY)),
    "AmazonS3FullAccess": _allows((("s3:*", "s3-object-lambda:*"), _ANY)),
    "AmazonS3ReadOnlyAccess": _allows((("s3:Get*", "s3:List*", "s3:Describe*"), _ANY)),
    "AmazonEC2ContainerRegistryFullAccess": _allows((("ecr:*",), _ANY)),
    "AmazonEC2ContainerRegistryPowerUser": _allows((("ecr:*",), _ANY)),
    "AmazonEC2ContainerRegistryReadOnly": _allows((("ecr:*",), _ANY)),
    "AmazonSageMakerFullAccess": _allows(
        (
            (
                "sagemaker:*",
                "ecr:*",
                "logs:*",
                "cloudwatch:*",
                "ec2:*",
                "application-autoscaling:*",
                "iam:*",
                "lambda:*",
                "kms:*",
                "events:*",
                "states:*",
            ),
            _ANY,
        ),
        (
            ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"),
            (*(f"arn:aws:s3:::{name}" for name in _SAGEMAKER), "arn:aws:s3:::*aws-glue*"),
        ),
        (("s3:ListBucket", "s3:GetBucketLocation"), _ANY),
        (("sns:*",), tuple(f"arn:aws:sns:*:*:{name}" for name in _SAGEMAKER)),
    ),
}
"""What policies of AWS's let a role do that matters here, at least as much as they do.

One that is not here may allow anything. Source: AWS managed policy reference, each policy's page.
"""

OF_ONE_PURPOSE = frozenset(name for name in MANAGED_POLICIES if name.startswith(("AWSL", "AWSX")))
"""Those of them that will not let a role do something else one day."""
