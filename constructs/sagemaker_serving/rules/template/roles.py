"""Roles of a template as facts: to which services they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from local_aws.policies.grammar import Kind
from local_aws.template import Unknown
from sagemaker_serving.catalog.role_users import role_users
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.roles import PolicyDocumentFacts, RoleTrustFacts
from sagemaker_serving.rules.template.marks import MARK, MARKED, text_with_marks
from sagemaker_serving.rules.template.resources import Resource, Resources

ROLE = "AWS::IAM::Role"
_NAME_IN_ARN = re.compile(rf":role/(?:[^{MARK}]*/)?({MARKED.pattern}|[A-Za-z0-9_+=,.@-]+)")


def role_trust(kind: str, given: Fact, resources: Resources) -> Iterator[RoleTrustFacts]:
    """Each role of the template that a resource of type ``kind``, or an action, is given."""
    for path, service in role_users(kind).items():
        for named in at(given, path.split(".")):
            role = referred_role(named, resources)
            if role is not None:
                yield RoleTrustFacts(
                    role=role.logical_id,
                    service=service,
                    trust=role.properties.get("AssumeRolePolicyDocument"),
                    region=resources.region,
                )


def policy_documents(kind: str, properties: Fact) -> Iterator[PolicyDocumentFacts]:
    """The policy documents of a resource, but for those that are text or not known."""
    for path, whose in _DOCUMENTS.get(kind, {}).items():
        for document in at(properties, path.split(".")):
            if document.given and not isinstance(document.value, str):
                yield PolicyDocumentFacts(document=document, kind=whose)


_INLINE: Mapping[str, Kind] = {"Policies.*.PolicyDocument": "identity"}
_OWN: Mapping[str, Kind] = {"PolicyDocument": "identity"}
_OF_RESOURCE: Mapping[str, Kind] = {"PolicyDocument": "resource"}
_DOCUMENTS: Mapping[str, Mapping[str, Kind]] = {
    ROLE: {"AssumeRolePolicyDocument": "trust", **_INLINE},
    "AWS::IAM::User": _INLINE,
    "AWS::IAM::Group": _INLINE,
    **dict.fromkeys(
        (
            *("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy"),
            *("AWS::IAM::UserPolicy", "AWS::IAM::GroupPolicy"),
        ),
        _OWN,
    ),
    **dict.fromkeys(
        (
            *("AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy"),
            *("AWS::EC2::VPCEndpoint", "AWS::SQS::QueueInlinePolicy"),
        ),
        _OF_RESOURCE,
    ),
    "AWS::KMS::Key": {"KeyPolicy": "resource"},
    "AWS::KMS::ReplicaKey": {"KeyPolicy": "resource"},
    "AWS::ECR::Repository": {"RepositoryPolicyText": "resource"},
    "AWS::SecretsManager::ResourcePolicy": {"ResourcePolicy": "resource"},
    "AWS::SageMaker::ModelPackageGroup": {"ModelPackageGroupPolicy": "resource"},
}
"""Where a type has policy documents, and of which kind (CloudFormation template reference, each
type's page)."""


def referred_role(given: Fact, resources: Resources) -> Resource | None:
    """The role of this template that a property means: by reference, name, or ARN."""
    role = resources.referred(given, ROLE)
    found = _NAME_IN_ARN.search(text_with_marks(given.value) or "") if role is None else None
    if found is None:
        return role
    name = found[1] if found[2] is None else Unknown(found[2])
    return resources.referred(Fact(name, given.where), ROLE)


def at(fact: Fact, path: list[str]) -> Iterator[Fact]:
    """The values that a dotted path leads to; ``*`` is each entry of a list."""
    if not path:
        yield fact
        return
    for inner in fact.items() if path[0] == "*" else (fact.get(path[0]),):
        yield from at(inner, path[1:])
