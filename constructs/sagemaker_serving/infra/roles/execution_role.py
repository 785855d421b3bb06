"""The role that SageMaker's containers act under: empty at first, grown by grants."""

from __future__ import annotations

from functools import cache

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy
from sagemaker_serving.infra.synth.tokens import stands_in


class ExecutionRole(iam.Role):
    """A role that SageMaker assumes for its own account; it holds only what it was granted.

    SageMaker acting for another account is not let in (developer guide,
    "Cross-service confused deputy prevention"). Model data,
    images, buckets and keys grant it what they need as they are bound. No
    managed policy is attached.
    """

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(
            scope,
            construct_id,
            assumed_by=_sagemaker(),
            description="Runs models on SageMaker; holds only what was granted",
        )
        stands_in(self, scope)
        acknowledge_own_policy(self)


@cache
def _sagemaker() -> iam.ServicePrincipal:
    return iam.ServicePrincipal(
        "sagemaker.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
    )
