"""The role that SageMaker's containers act under: empty at first, grown by grants."""

from __future__ import annotations

import json
import re
from functools import cache
from hashlib import sha256
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_iam as iam
from constructs import Construct, IConstruct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy
from sagemaker_serving.infra.synth.tokens import as_text, stack_of, stands_in


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
        stands_in(self, scope)
        acknowledge_own_policy(self)
        self._beside: iam.CfnPolicy | None = None
        # The role is its own aspect: another object would cost a request to Node for each role.
        cdk.Aspects.of(self).add(self, priority=_last())

    def visit(self, node: IConstruct) -> None:
        """Names the policy by what it says, once all is granted; CDK calls it at synth."""
        if not isinstance(node, iam.CfnPolicy) or node is self._beside:
            return
        stack = stack_of(self)
        document, roles, plain, options = stack.resolve(
            [node.policy_document, node.roles, node.logical_id, node.cfn_options]
        )
        named = node
        retained = "updateReplacePolicy" in (options or {})
        most = _MOST_CHARACTERS // (3 if retained else 2)
        length = len(_written(document))
        if length > most:
            cdk.Annotations.of(self).add_warning_v2(
                LONG_POLICY,
                f"its policy has {length:,} characters; over {most:,} it is changed in place, "
                "so the version that serves loses what the new one does not name before the "
                f"endpoint moves; a deploy that leads over {most:,} has it twice, and IAM refuses "
                "10,240 together: lead first to a little more. Models below one prefix of S3, or "
                "in fewer stacks, need less",
            )
            return
        if retained:
            above = node.node.scope
            assert isinstance(above, Construct)
            named = self._beside = iam.CfnPolicy(
                above,
                "Beside",
                policy_name="",
                policy_document=node.policy_document,
                roles=node.roles,
            )
            plain = stack.resolve(named.logical_id)
        said = json.dumps([document, roles], sort_keys=True, separators=(",", ":"))
        digest = sha256(said.encode()).hexdigest()[:10]
        named.override_logical_id(f"{plain}{digest}")
        named.policy_name = f"{plain[:100]}{digest}"


LONG_POLICY = "sagemaker-serving:long-policy"
"""What `aws_cdk.Annotations.acknowledge_warning` takes where that is known."""
_MOST_CHARACTERS = 10_000
"""Of what is there while an endpoint moves: the policy as it was and as it will be."""


def _written(document: Any) -> str:
    """The policy about as long as IAM has it, to whom CloudFormation gives it worked out."""
    if isinstance(document, dict):
        if len(document) == 1 and re.match("Ref$|Fn::", next(iter(document))):
            return json.dumps(as_text(document, lambda name: _AS_LONG.get(name, "x" * 100)))
        members = (f"{json.dumps(key)}:{_written(each)}" for key, each in document.items())
        return f"{{{','.join(members)}}}"
    if isinstance(document, list):
        return f"[{','.join(map(_written, document))}]"
    return json.dumps(document)


_AS_LONG = {
    "AWS::Partition": "aws-us-gov",
    "AWS::Region": "ap-southeast-1",
    "AWS::AccountId": "123456789012",
}
"""What else a policy refers to are buckets, keys and topics, whose names and ARNs are shorter than
is counted."""


@cache
def _last() -> float:
    return cdk.AspectPriority.READONLY


@cache
def _sagemaker() -> iam.ServicePrincipal:
    return iam.ServicePrincipal(
        "sagemaker.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
    )
