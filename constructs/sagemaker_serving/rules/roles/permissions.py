"""Rules on what a role may do, and on when it may."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.role_needs import READ_OBJECT
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts.roles import (
    ByArnFacts,
    NamedFacts,
    OtherNameFacts,
    RolePermissionFacts,
)
from sagemaker_serving.rules.roles.reading import (
    allows,
    known_policies,
    may_allow,
    most_permissive,
    shown,
)


@warning(
    source="aws-cdk-lib 2.275.0, what its tasks for SageMaker and its repositories grant; "
    "aws/aws-cdk issues 11594, 26012",
    example="Resource: arn:aws:states:::sagemaker:createTransformJob.sync   # no events:PutRule",
)
def role_permission(facts: RolePermissionFacts) -> Iterator[Finding]:
    """A role may do what the template uses it for, on the resources that it uses.

    Without, the deploy, the state machine or the endpoint is refused. A role counts whose policies
    all stand in the template: with a managed policy of AWS, it passes unjudged. Resources are
    compared as far as the template tells them.
    """
    known = known_policies(facts.policies)
    if known is None:
        return
    needs = [need for need in facts.needs if need.only_role]
    missing = [need for need in needs if not any(may_allow(one, need) for one in known)]
    if missing:
        named = sorted({need.action for need in missing})
        on = shown(missing[0].resource) if len(named) == 1 else ""
        yield facts.given.finding(
            f"no policy of the role {facts.role} allows "
            f"{', '.join(named)}{f' on {on}' if on else ''}, which this needs; add a statement to "
            "its policies that allows it"
        )


@note(
    source="AWS managed policy reference, AmazonSageMakerFullAccess; SageMaker developer guide, "
    "SageMaker roles; rstudio/vetiver-r#215",
    example="AmazonSageMakerFullAccess, and ModelDataUrl: s3://models/digits.tar.gz",
)
def role_bucket(facts: RolePermissionFacts) -> Iterator[Finding]:
    """A role that has AmazonSageMakerFullAccess may read the model.

    That policy is for buckets and keys with "sagemaker" in their names, and for objects that are
    tagged ``SageMaker: true``. "Could not access model data" is what others end with.
    """
    known = [most_permissive(one.document) for one in facts.policies]
    if not any(one.of_aws for one in facts.policies) or None in known:
        return
    for need in facts.needs:
        allowed = any(one is not None and may_allow(one, need) for one in known)
        public = need.resource.startswith(_PUBLIC)
        if need.action == READ_OBJECT and not (allowed or public):
            name = shown(need.resource).removeprefix("arn:aws:s3:::")
            yield facts.given.finding(
                f"no policy of the role {facts.role} that is known here allows "
                f"{need.action}{f' on {name}' if name else ''}: AmazonSageMakerFullAccess is for "
                "buckets and keys with sagemaker in their names; unless the bucket's own policy "
                "lets the role in, add a statement that allows it"
            )


_PUBLIC = "arn:aws:s3:::jumpstart-"
"""How SageMaker JumpStart's buckets begin, which everybody may read."""


@warning(
    source="philschmid/cdk-samples issue 7; aws/aws-cdk issue 10064; "
    "aws/amazon-sagemaker-examples issue 4461; awslabs/aiops-modules pull request 420",
    example="an AWS::IAM::Policy with s3:GetObject, and a Model without DependsOn",
)
def role_policy_order(facts: RolePermissionFacts) -> Iterator[Finding]:
    """What is made with a role waits for the policies that let the role do what it needs.

    A role is there before a policy that is a resource of its own. SageMaker looks for the model's
    files and its image as it creates a Model, and for topics as it creates an Endpoint. So the
    deploy fails at times: "Could not access model data", "does not have BatchGetImage permission".
    """
    early = [most_permissive(policy.document) for policy in facts.policies if not policy.late]
    late: dict[str, list[str]] = {}
    for need in facts.needs if None not in early else ():
        if need.at_once and not any(one is not None and may_allow(one, need) for one in early):
            for policy in facts.policies:
                read = most_permissive(policy.document) if policy.late else None
                if read is not None and allows(read, need):
                    late.setdefault(policy.late, []).append(need.action)
    follows = {policy.late: policy.follows for policy in facts.policies}
    for policy_id, actions in late.items():
        yield facts.given.finding(
            f"the role {facts.role} gets {' and '.join(dict.fromkeys(actions))} by {policy_id}, "
            f"and {facts.user} does not wait for it, so SageMaker may look before it is there; "
            + (
                f"{policy_id} waits for {facts.user}, so put these into a policy that does not, "
                "or into the role's own Policies"
                if follows[policy_id]
                else f"{_waiting(facts.user, policy_id)}, or put these into the role's own Policies"
            )
        )


@warning(
    source="CloudFormation user guide, DependsOn attribute",
    example="ModelName: digits   # as the Model's own ModelName says, without a reference",
)
def reference_order(named: NamedFacts) -> Iterator[Finding]:
    """What names another resource of the template waits for it.

    CloudFormation makes at the same time what does not refer to one another. A name as text is no
    reference, so that the deploy fails at times: "Could not find model".
    """
    yield named.name.says(
        f"names {named.named} by its text, and {named.user} does not wait for it, so it may be "
        f"looked for before it is there; write {named.reference}, or "
        f"{_waiting(named.user, named.named)}"
    )


@rule(
    source="CloudFormation template reference, return values of SageMaker's types; "
    "go-to-k/cdk-real-drift issue 1527",
    example="EndpointConfigName: !Ref Config",
)
def reference_arn(facts: ByArnFacts) -> Iterator[Finding]:
    """What takes a resource's name is not given its ARN.

    ``Ref`` of a model, an endpoint or its configuration is the ARN; in CDK it is ``ref``. SageMaker
    refuses it as a name, and an alarm on it never has data.
    """
    if not facts.takes_arn:
        yield facts.name.says(
            f"takes a name, and this is the ARN of {facts.named}; write {facts.reference}"
        )


@rule(
    source="SageMaker API reference, InvokeEndpoint, EndpointName; "
    "ministryofjustice/modernisation-platform-environments pull request 19041",
    example="ResourceId: !Sub endpoint/${Config.EndpointConfigName}/variant/blue",
)
def reference_other(facts: OtherNameFacts) -> Iterator[Finding]:
    """What takes an endpoint's name is not given its configuration's, nor a model's.

    Each of them has a name of its own. The deploy is refused, or, as of a function that calls the
    endpoint and of an alarm, what was made never works.
    """
    yield facts.name.says(
        f"takes the name of the {facts.wanted}, and this is that of the {facts.kind} "
        f"{facts.named}; write {facts.reference or f'the name of the {facts.wanted}'}"
    )


@rule(
    source="IAM user guide, JSON policy elements: Resource; CloudFormation template reference, "
    "return values of SageMaker's types; trussworks/terraform-aws-s3-anti-virus#21",
    example="Action: sagemaker:InvokeEndpoint, Resource: !GetAtt Endpoint.EndpointName",
)
def reference_name(facts: ByArnFacts) -> Iterator[Finding]:
    """A policy's resource and a role are given by ARN, and not by name alone.

    IAM refuses the policy: "Resource … must be in ARN format or "*"". ``Ref`` of a role is its
    name, and SageMaker, Lambda and others refuse it.
    """
    if facts.takes_arn:
        yield facts.name.says(
            f"takes an ARN, and this is the name of {facts.named}; write {facts.reference}, which "
            "is its ARN"
        )


def _waiting(user: str, other: str) -> str:
    """What lets one wait for another: in a template, or in Terraform, whose addresses have dots."""
    if "." in other:
        return f"add {other} to depends_on of {user}"
    return f"add DependsOn: {other} to {user}"
