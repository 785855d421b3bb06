"""Every permission that constructs give passes here, so that none is dropped without a word.

CDK drops what is granted to a role that takes no policies from the app: one that was imported with
``mutable=False``, that is another account's, or ``without_policy_updates``. It says nothing of it,
and a deploy fails, or a model never starts. So what such a role has to hold is a warning, with the
statements. The same goes for the policy of a key or a topic that was made elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_iam as iam
from aws_cdk.region_info import RegionInfo
from constructs import Construct, IConstruct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.tokens import as_text, is_token, remembered, stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns

ROLE_WARNING = "sagemaker-serving:role-takes-no-policies"
KEY_WARNING = "sagemaker-serving:policy-of-key"
TOPIC_WARNING = "sagemaker-serving:policy-of-topic"
"""What `aws_cdk.Annotations.acknowledge_warning` takes where the policy is known to be right."""


Allowed = tuple[Sequence[str], str]
"""Actions, and the ARN of what they may be done on."""


def grant(
    grantee: iam.IGrantable,
    actions: Sequence[str],
    *resources: str,
    conditions: Mapping[str, Any] | None = None,
) -> iam.Grant:
    """Lets ``grantee`` do ``actions`` on ``resources``, ARNs, or warns of what it has to hold.

    Raises `Mistake` for a principal that is no identity of the app's, such as an account or a
    service: CDK can give it no policy.
    """
    given = iam.Grant.add_to_principal(
        grantee=grantee,
        actions=list(actions),
        resource_arns=list(resources),
        conditions=None if conditions is None else dict(conditions),
    )
    if isinstance(grantee, cdk.Resource):
        return given
    if not hasattr(grantee.grant_principal, "node") and not given.success:
        raise Mistake(
            f"{type(grantee).__name__} is a principal without policies, so that nothing can be "
            f"granted to it ({', '.join(actions)}); grant it to a role that it assumes"
        )
    if not takes_policies(grantee):
        warn_of(grantee, actions, *resources, conditions=conditions)
    return given


def grant_key_grants(grantee: iam.IGrantable, key_arn: str) -> iam.Grant:
    """Lets ``grantee`` make grants of a key for what AWS encrypts with it in its name."""
    of_aws = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    return grant(grantee, ["kms:CreateGrant"], key_arn, conditions=of_aws)


def grant_apart(
    scope: Construct,
    construct_id: str,
    role: iam.IRole,
    *statements: Allowed,
) -> iam.Policy | None:
    """Lets ``role`` do what the statements say, by a policy of its own.

    It is for what is made with the role, so waits for the role's other policy. None where the role
    takes no policies, and where an existing one stands for it: CDK reports what that must hold.
    """
    if isinstance(role, iam.Role) and role.node.default_child is None:
        for actions, resource in statements:
            grant(role, actions, resource)
        return None
    if takes_policies(role):
        return iam.Policy(
            scope,
            construct_id,
            roles=[role],
            statements=[
                iam.PolicyStatement(actions=list(actions), resources=[resource])
                for actions, resource in statements
            ],
        )
    for actions, resource in statements:
        warn_of(role, actions, resource)
    return None


def grant_within(
    scope: Construct, construct_id: str, role: iam.IRole, *statements: Allowed
) -> iam.Policy | None:
    """The same for what ``scope`` makes; a role that it made as well has one policy for all.

    A role that was given may be that of what the statements are about.
    """
    if not role.node.path.startswith(f"{scope.node.path}/"):
        return grant_apart(scope, construct_id, role, *statements)
    for actions, resource in statements:
        grant(role, actions, resource)
    return None


def takes_policies(grantee: iam.IGrantable) -> bool:
    """Whether something granted to ``grantee`` already is in the template.

    What takes none lets itself be granted all the same, but nothing comes of it.
    """
    if isinstance(grantee, cdk.Resource):
        return True
    principal = grantee.grant_principal
    if isinstance(principal, cdk.Resource) or not hasattr(principal, "node"):
        return True
    return any(isinstance(child, iam.Policy) for child in principal.node.children)


def warn_of(
    grantee: iam.IGrantable,
    actions: Sequence[str],
    *resources: str,
    conditions: Mapping[str, Any] | None = None,
) -> None:
    """Says, once all is known, that the role of ``grantee`` has to hold this."""
    role: Any = grantee.grant_principal
    unmet: dict[str, _Unmet] = remembered(stack_of(role), "unmet", dict)
    path = role.node.path
    if path not in unmet:
        unmet[path] = _Unmet(role)
        cdk.Aspects.of(role).add(unmet[path])
    unmet[path].statements.append(
        iam.PolicyStatement(
            actions=list(actions),
            resources=list(resources),
            conditions=None if conditions is None else dict(conditions),
        )
    )


def add_to_policy_of(
    resource: kms.IKey | sns.ITopic, scope: Construct, statement: iam.PolicyStatement
) -> None:
    """Adds to the policy of a key or a topic of this app; of any other, says that it is needed."""
    if resource.add_to_resource_policy(statement).statement_added:
        return
    stack, id_ = stack_of(scope), KEY_WARNING if hasattr(resource, "key_arn") else TOPIC_WARNING
    arn = resource.key_arn if hasattr(resource, "key_arn") else resource.topic_arn
    cdk.Annotations.of(scope).add_warning_v2(
        id_,
        f"the policy of {_shown(stack, arn)} is not this app's to change; unless it lets this "
        f"already, add to it:\n{_document(stack, [statement])}",
    )


@jsii.implements(cdk.IAspect)
class _Unmet:
    """What a role was granted in vain."""

    def __init__(self, role: iam.IRole) -> None:
        self._role = role
        self.statements: list[iam.PolicyStatement] = []

    def visit(self, node: IConstruct) -> None:
        stack = stack_of(self._role)
        cdk.Annotations.of(node).add_warning_v2(
            ROLE_WARNING,
            f"the role {_shown(stack, self._role.role_arn)} takes no policies from this app; "
            "unless it holds these permissions already, add them, and let the service that runs "
            f"as it assume it:\n{_document(stack, self.statements)}",
        )


def _shown(stack: cdk.Stack, arn: str) -> str:
    return str(_plain(stack, stack.resolve(arn)))


def _document(stack: cdk.Stack, statements: Sequence[iam.PolicyStatement]) -> str:
    document = iam.PolicyDocument(statements=list(statements), minimize=True)
    return json.dumps(_plain(stack, stack.resolve(document)), indent=2)


def _plain(stack: cdk.Stack, value: Any) -> Any:
    """Resolved policies without CloudFormation's functions, which IAM does not know."""
    if isinstance(value, list):
        return [_plain(stack, each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and re.match("Ref$|Fn::", next(iter(value))):
        return as_text(value, lambda name: _known(stack, name))
    return {key: _plain(stack, each) for key, each in value.items()}


def _known(stack: cdk.Stack, name: str) -> str:
    """What a reference stands for, if the app says it; else as ``Fn::Sub`` takes it."""
    known = {"AWS::Region": stack.region, "AWS::AccountId": stack.account}
    if name == "AWS::Partition" and not is_token(stack.region):
        return str(RegionInfo.get(stack.region).partition)
    value = known.get(name)
    return value if value is not None and not is_token(value) else f"${{{name}}}"
