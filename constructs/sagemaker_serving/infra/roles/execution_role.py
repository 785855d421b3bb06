"""The role that SageMaker's containers act under: empty at first, grown by grants."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256

import aws_cdk as cdk
import jsii
from aws_cdk import aws_iam as iam
from constructs import Construct, IConstruct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy
from sagemaker_serving.infra.synth.tokens import stands_in


@jsii.implements(cdk.IAspect)
class ExecutionRole(iam.Role):
    """A role that SageMaker assumes for its own account; it holds only what it was granted.

    SageMaker acting for another account is not let in (developer guide,
    "Cross-service confused deputy prevention"). Model data,
    images, buckets and keys grant it what they need as they are bound. No
    managed policy is attached.

    Its policy is named by its content. CloudFormation changes a policy in place before an endpoint
    moves; another one comes beside the old one, which goes when all else has been updated. So the
    version that serves can start instances until it has been left, and after SageMaker went back
    to it. A policy of more than 5,000 characters is changed in place, as is one that is retained.
    A role's inline policies have 10,240 in all (IAM user guide, "IAM and AWS STS quotas").
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
        # The role is its own aspect: another object would cost a request to Node for each role.
        cdk.Aspects.of(self).add(self, priority=_last())

    def visit(self, node: IConstruct) -> None:
        """Names the policy by what it says, once all is granted; CDK calls it at synth."""
        if not isinstance(node, iam.CfnPolicy):
            return
        if node.cfn_options.update_replace_policy is not None:
            return  # retained, each would stay for ever
        stack = cdk.Stack.of(node)
        said = json.dumps(
            stack.resolve([node.policy_document, node.roles]),
            sort_keys=True,
            separators=(",", ":"),
        )
        if len(said) > _MOST_CHARACTERS:
            return
        digest = sha256(said.encode()).hexdigest()[:10]
        plain = stack.resolve(node.logical_id)
        node.override_logical_id(f"{plain}{digest}")
        node.policy_name = f"{plain[:100]}{digest}"


_MOST_CHARACTERS = 5000


@cache
def _last() -> float:
    return cdk.AspectPriority.READONLY


@cache
def _sagemaker() -> iam.ServicePrincipal:
    return iam.ServicePrincipal(
        "sagemaker.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
    )
