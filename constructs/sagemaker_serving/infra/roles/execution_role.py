"""The role that SageMaker's containers act under: empty at first, grown by grants."""

from __future__ import annotations

from functools import cache

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.synth.collecting import CollectingRole


class ExecutionRole(CollectingRole):
    """A role that SageMaker assumes for its own account; it holds only what it was granted.

    SageMaker acting for another account is not let in (developer guide,
    "Cross-service confused deputy prevention"). Model data,
    images, buckets and keys grant it what they need as they are bound. No
    managed policy is attached.

    Its policy is made as the app is synthesized, and named by its content. CloudFormation changes a
    policy in place before an endpoint
    moves; another one comes beside the old one, which goes when all else has been updated. So the
    version that serves can start instances until it has been left, and after SageMaker went back
    to it. One that is retained is changed in place: each of another name would stay for ever. So
    it has such a one beside it. A role's inline policies have 10,240 characters in all (IAM user
    guide, "IAM and AWS STS quotas"); what takes more at once is changed in place alone.
    """

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(
            scope,
            construct_id,
            assumed_by=_sagemaker(),
            description="Runs models on SageMaker; holds only what was granted",
        )


@cache
def _sagemaker() -> iam.ServicePrincipal:
    return iam.ServicePrincipal(
        "sagemaker.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
    )
