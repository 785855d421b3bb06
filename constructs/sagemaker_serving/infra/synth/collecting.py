"""A role that collects what it is granted, and has its policy made once all of it is known.

A statement that CDK is given by itself is a message to Node, and a policy that is named by its
content is several more for each role. So what constructs grant stays here until the app is
synthesized; then the policies of all roles of a stack are made in one go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from hashlib import sha256
from typing import Any, cast

import aws_cdk as cdk
import jsii
from aws_cdk import aws_iam as iam
from constructs import Construct, DependencyGroup, IConstruct, IValidation

from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy
from sagemaker_serving.infra.synth.content_identity import id_by_path
from sagemaker_serving.infra.synth.tokens import arn_of, as_text, path_of, remembered, stands_in


class CollectingRole(iam.Role):
    """A role whose grants are collected, and whose policy is named by its content.

    `ExecutionRole` tells why. A policy that is too long to stand twice is CDK's, which divides what
    is too long for one. Where CDK takes a role that was there
    (`aws_cdk.aws_iam.Role.customize_roles`), nothing is collected.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, assumed_by: iam.IPrincipal, description: str
    ) -> None:
        super().__init__(scope, construct_id, assumed_by=assumed_by, description=description)
        stack = stands_in(self, scope, construct_id)
        self._statements: list[_Statement] = []
        self._waiting: list[cdk.CfnResource] = []
        self._group: DependencyGroup | None = None
        self._policy: iam.Policy | None = None
        self._resources: list[iam.CfnPolicy] = []
        self._plain_id = self._beside_id = ""
        self._keeps = False
        self.collects = re.fullmatch(r"\$\{Token\[[^]]*\]\}", arn_of(self)) is not None
        """Whether it is made here: the ARN of a role that was there is more than a token."""
        if self.collects:
            self._policies: _Policies = remembered(stack, "policies", lambda: _Policies(stack))
            self._policies.add(self)
        acknowledge_own_policy(self)

    def collect(
        self, actions: Sequence[str], resources: Sequence[str], conditions: Mapping[str, Any] | None
    ) -> iam.Grant:
        """Grants as `aws_cdk.aws_iam.Grant.add_to_principal` does."""
        statement: dict[str, Any] = {
            "Effect": "Allow",
            "Action": [*actions],
            "Resource": [*resources],
        }
        if conditions is not None:
            statement["Condition"] = dict(conditions)
        self._add(statement)
        return _collected(self, [statement])

    def add_to_principal_policy(
        self, statement: iam.PolicyStatement
    ) -> iam.AddToPrincipalPolicyResult:
        """What CDK's own constructs grant comes here, too."""
        if not self.collects:
            return super().add_to_principal_policy(statement)
        self._add(statement)
        return iam.AddToPrincipalPolicyResult(
            statement_added=True, policy_dependable=self._dependable()
        )

    def _last_instead_of(self, statement: _Statement) -> None:
        """Puts the statement that came last where ``statement`` is, which it says in CDK's form."""
        last = self._statements.pop()
        at = next(i for i, each in enumerate(self._statements) if each is statement)
        self._statements[at] = last

    def _let_wait(self, *constructs: IConstruct) -> None:
        """Makes ``constructs`` wait for the role's policy."""
        for construct in constructs:
            if not isinstance(construct, cdk.CfnResource):
                construct.node.add_dependency(self._dependable())
                continue
            self._waiting.append(construct)
            for policy in self._resources:
                construct.add_resource_dependency(policy)

    def keep_policy(self) -> None:
        """Keeps the policy when a deploy replaces it or the stack goes."""
        self._keeps = True

    def _add(self, statement: _Statement) -> None:
        self._statements.append(statement)
        if self._policy is not None:
            self._policy.add_statements(_of_cdk(statement))
        self._policies.changed(self)

    def _dependable(self) -> DependencyGroup:
        if self._group is None:
            self._group = DependencyGroup(*self._resources)
        return self._group

    def _document(self) -> iam.PolicyDocument | None:
        """What it was granted; None for nothing."""
        if not self._statements:
            return None
        if self._policy is not None:
            return self._policy.document
        if any(isinstance(each, iam.PolicyStatement) for each in self._statements):
            return iam.PolicyDocument(statements=[_of_cdk(each) for each in self._statements])
        return iam.PolicyDocument.from_json({"Statement": self._statements})

    def _policy_options(self) -> cdk.ICfnResourceOptions | None:
        """What aspects may have said of the policy; None where it is not ours to change."""
        return None if self._keeps or not self._resources else self._resources[0].cfn_options

    def _settle(self, stack: cdk.Stack, document: iam.PolicyDocument, said: Any, arn: Any) -> None:
        """Makes the policy of ``document``, which is ``said`` in the template, and names it.

        ``arn`` is the role's in the template.
        """
        length, most = len(_written(said)), _MOST_CHARACTERS // (3 if self._keeps else 2)
        if length > most:
            self._leave_to_cdk(length, most)
            return
        if self._policy is None:
            self._policy = iam.Policy(self, "DefaultPolicy", document=document, roles=[self])
            self._comes(cast("iam.CfnPolicy", self._policy.node.default_child))
            self._plain_id = id_by_path(
                stack, self._resources[0], (*path_of(self), "DefaultPolicy", "Resource")
            )
        named, plain = self._resources[0], self._plain_id
        if self._keeps:
            named.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
            named.override_logical_id(plain)
            if len(self._resources) == 1:
                self._comes(
                    iam.CfnPolicy(
                        self._policy,
                        "Beside",
                        policy_name="",
                        policy_document=document,
                        roles=[self.role_name],
                    )
                )
                self._beside_id = stack.get_logical_id(self._resources[1])
            named, plain = self._resources[1], self._beside_id
        content = [said, [{"Ref": arn["Fn::GetAtt"][0]}]]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        digest = sha256(text.encode()).hexdigest()[:10]
        named.override_logical_id(f"{plain}{digest}")
        if self._keeps or len(plain) > _NAMED_BY_CDK:
            named.policy_name = f"{plain[:_NAMED_BY_CDK]}{digest}"

    def _comes(self, resource: iam.CfnPolicy) -> None:
        self._resources.append(resource)
        for each in self._waiting:
            each.add_resource_dependency(resource)
        if self._group is not None:
            self._group.add(resource)

    def _leave_to_cdk(self, length: int, most: int) -> None:
        cdk.Annotations.of(self).add_warning_v2(
            LONG_POLICY,
            f"its policy has {length:,} characters; over {most:,} it is changed in place, "
            "so the version that serves loses what the new one does not name before the "
            f"endpoint moves; a deploy that leads over {most:,} has it twice, and IAM refuses "
            "10,240 together: lead first to a little more. Models below one prefix of S3, or "
            "in fewer stacks, need less",
        )
        if self._policy is not None:
            self._resources[0].override_logical_id(self._plain_id)
            return
        self.collects = False
        for statement in self._statements:
            super().add_to_principal_policy(_of_cdk(statement))
        # The first of a role's aspects is CDK's own, which makes managed policies of the rest.
        cdk.Aspects.of(self).all[0].visit(self)
        for child in self.node.children:
            if isinstance(child, iam.Policy | iam.ManagedPolicy):
                resource = cast("iam.CfnPolicy", child.node.default_child)
                if self._keeps:
                    resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
                self._comes(resource)


LONG_POLICY = "sagemaker-serving:long-policy"
"""What `aws_cdk.Annotations.acknowledge_warning` takes where that is known."""
_MOST_CHARACTERS = 10_000
"""Of what is there while an endpoint moves: the policy as it was and as it will be."""
_NAMED_BY_CDK = 100
"""Characters of a logical id up to which CDK's name of a policy is its whole logical id."""

_Statement = Mapping[str, Any] | iam.PolicyStatement


@jsii.implements(cdk.IAspect, IValidation)
class _Policies:
    """The policies of a stack's roles; the first role has CDK call it as the app is synthesized."""

    def __init__(self, stack: cdk.Stack) -> None:
        self._stack = stack
        self._roles: list[CollectingRole] = []
        self._made = False

    def add(self, role: CollectingRole) -> None:
        if not self._roles:
            cdk.Aspects.of(role).add(self, priority=cdk.AspectPriority.READONLY)
            role.node.add_validation(self)
        self._roles.append(role)

    def changed(self, role: CollectingRole) -> None:
        """What is granted by another aspect comes late."""
        if self._made:
            self._settle([role])

    def visit(self, node: IConstruct) -> None:
        """Called for the first role, and all that is below it."""
        if not self._made:
            self._made = True
            self._settle(self._roles)

    def validate(self) -> list[str]:
        """Called after all aspects: one may have retained policies."""
        options = [(role, given) for role in self._roles if (given := role._policy_options())]
        said = self._stack.resolve([given for _, given in options])
        retained = [
            role
            for (role, _), each in zip(options, said, strict=True)
            if each.get("updateReplacePolicy") is not None
        ]
        for role in retained:
            role.keep_policy()
        self._settle(retained)
        return []

    def _settle(self, roles: Sequence[CollectingRole]) -> None:
        given = [(role, document) for role in roles if (document := role._document()) is not None]
        said = self._stack.resolve([[document, arn_of(role)] for role, document in given])
        for (role, document), (plain, arn) in zip(given, said, strict=True):
            role._settle(self._stack, document, plain, arn)


class _Collected(iam.Grant):
    """A grant to a role that collects: to be waited for; CDK's as soon as more is asked of it."""

    role: CollectingRole
    given: Sequence[Mapping[str, Any]]

    def apply_before(self, *constructs: IConstruct) -> None:
        self.role._let_wait(*constructs)

    def combine(self, rhs: iam.Grant) -> iam.Grant:
        if isinstance(rhs, _Collected) and rhs.role is self.role:
            return _collected(self.role, [*self.given, *rhs.given])
        return super().combine(rhs)

    def __getattr__(self, name: str) -> Any:
        """Its reference in Node is asked for with all that CDK knows of a grant."""
        if name != "__jsii_ref__":
            raise AttributeError(name)
        granted: list[Any] = []
        for statement in self.given:
            granted.append(
                iam.Grant.add_to_principal(
                    grantee=self.role,
                    actions=statement["Action"],
                    resource_arns=statement["Resource"],
                    conditions=statement.get("Condition"),
                )
            )
            self.role._last_instead_of(statement)
        self.__jsii_ref__ = reduce(iam.Grant.combine, granted).__jsii_ref__
        return self.__jsii_ref__


def _collected(role: CollectingRole, given: Sequence[Mapping[str, Any]]) -> iam.Grant:
    """Made past jsii, which would make one in Node."""
    granted = object.__new__(_Collected)
    granted.role, granted.given = role, given
    return granted


def _of_cdk(statement: _Statement) -> iam.PolicyStatement:
    if isinstance(statement, iam.PolicyStatement):
        return statement
    return iam.PolicyStatement.from_json(statement)


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
