"""Rules on what a role may do."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.policies.documents import Policy
from local_aws.policies.patterns import matches_action
from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.roles import RolePermissionFacts
from sagemaker_serving.rules.roles.reading import most_permissive


@rule(
    "role-permission",
    source="aws-cdk-lib 2.275.0, what its tasks for SageMaker and its repositories grant; "
    "aws/aws-cdk issue 26012",
    severity=Severity.WARNING,
    example="Resource: arn:aws:states:::sagemaker:createTransformJob.sync   # no events:PutRule",
)
def role_permission(facts: RolePermissionFacts) -> Iterator[Finding]:
    """A role may do what the template uses it for.

    Without, the deploy, the state machine or the endpoint is refused. A role counts whose policies
    all stand in the template: with a managed policy of AWS, it passes unjudged. An action that is
    allowed on any resource counts as allowed.
    """
    policies = [most_permissive(document) for document in facts.policies]
    known = [policy for policy in policies if policy is not None]
    if len(known) < len(policies):
        return
    missing = [need for need in facts.needs if not any(_allows(one, need) for one in known)]
    if missing:
        yield (
            facts.given.where,
            f"no policy of the role {facts.role} allows {', '.join(missing)}, which this needs; "
            f"add a statement to its policies that allows it",
        )


def _allows(policy: Policy, action: str) -> bool:
    """Whether it allows the action on some resource."""
    return any(
        any(matches_action(pattern, action) for pattern in one.actions) != one.not_actions
        for one in policy.statements
        if one.effect == "Allow"
    )
