"""What a template uses its roles for, and every policy that can let them do it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.catalog.role_needs import (
    JOIN_NETWORK,
    PULL_IMAGE,
    READ_OBJECT,
    WRITE_OBJECT,
    task_needs,
)
from sagemaker_serving.catalog.role_users import role_users
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.roles import RolePermissionFacts
from sagemaker_serving.rules.facts.state_machines import TaskFacts
from sagemaker_serving.rules.template.marks import MARKED, text_with_marks
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.rules.template.roles import ROLE, at, referred_role
from sagemaker_serving.rules.template.state_machines import sagemaker_action

_MODEL = "AWS::SageMaker::Model"
_BUCKET, _BUCKET_POLICY = "AWS::S3::Bucket", "AWS::S3::BucketPolicy"
_REPOSITORY = "AWS::ECR::Repository"
_MANAGED = "AWS::IAM::ManagedPolicy"
_ATTACHED = {"AWS::IAM::Policy": "Roles", _MANAGED: "Roles", "AWS::IAM::RolePolicy": "RoleName"}
_IN_BUCKET = re.compile(rf"s3://(?:{MARKED.pattern}|([a-z0-9.-]+))(?:/.*)?", re.DOTALL)
_MADE_ELSEWHERE = ("AWS::CloudFormation::", "AWS::Serverless::Connector", "Custom::")
"""Types of resources that may give a policy to a role which they are told of."""
_TRANSFORMS = ("AWS::LanguageExtensions", "AWS::Serverless-2016-10-31", "AWS::SecretsManager")


def machine_needs(
    machine: Resource, tasks: Sequence[TaskFacts], resources: Resources
) -> Iterator[RolePermissionFacts]:
    """What the tasks of a state machine that call SageMaker need of its role."""
    needs: list[str] = []
    for task in tasks:
        action = sagemaker_action(task)
        if action is None or task.credentials.given:
            continue
        given = (at(task.arguments, path.split(".")) for path in role_users(action))
        passes = any(one.given for found in given for one in found)
        waits = task.text.endswith(".sync")
        known = not isinstance(task.arguments.value, Unknown)
        needs += task_needs(action, waits=waits, passes=passes and known)
    for path in role_users(machine.type):
        yield from _permissions(machine.properties.get(path), needs, resources)


def model_needs(model: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What a model's files, images and network need of its role."""
    properties = model.properties
    containers = (properties.get("PrimaryContainer"), *properties.get("Containers").items())
    needs: list[str] = list(
        JOIN_NETWORK if isinstance(properties.get("VpcConfig").value, dict) else ()
    )
    for container in containers:
        source = container.get("ModelDataSource").get("S3DataSource").get("S3Uri")
        for uri in (container.get("ModelDataUrl"), source):
            needs += [READ_OBJECT] if _in_own_bucket(uri, resources) else []
        needs += PULL_IMAGE if _of_own_repository(container.get("Image"), resources) else ()
    yield from _permissions(properties.get("ExecutionRoleArn"), needs, resources)


def capture_needs(config: Resource, resources: Resources) -> Iterator[RolePermissionFacts]:
    """What data capture needs of the roles of an endpoint configuration's models."""
    capture = config.properties.get("DataCaptureConfig")
    if capture.get("EnableCapture").flag is not True:
        return
    if not _in_own_bucket(capture.get("DestinationS3Uri"), resources):
        return
    seen = set()
    for variant in config.properties.get("ProductionVariants").items():
        model = resources.referred(variant.get("ModelName"), _MODEL, "ModelName")
        if model is not None and model.logical_id not in seen:
            seen.add(model.logical_id)
            given = model.properties.get("ExecutionRoleArn")
            yield from _permissions(given, [WRITE_OBJECT], resources)


def _permissions(
    given: Fact, needs: Sequence[str], resources: Resources
) -> Iterator[RolePermissionFacts]:
    role = referred_role(given, resources) if needs else None
    policies = None if role is None else _policies(role, resources)
    if role is not None and policies is not None:
        yield RolePermissionFacts(
            role=role.logical_id,
            given=given,
            needs=tuple(sorted(set(needs))),
            policies=(*policies, *_bucket_policies(resources)),
        )


def _policies(role: Resource, resources: Resources) -> list[Any] | None:
    """The documents of every policy that the role can have; None where others may have more."""
    if _may_have_more(role, resources):
        return None
    inline, managed = (role.properties.get(name) for name in ("Policies", "ManagedPolicyArns"))
    if isinstance(inline.value, Unknown) or isinstance(managed.value, Unknown):
        return None
    found = [one.get("PolicyDocument").value for one in inline.items()]
    for arn in managed.items():
        policy = resources.referred(arn, _MANAGED, "ManagedPolicyName")
        if policy is None:
            return None
        found.append(policy.properties.get("PolicyDocument").value)
    for resource in resources.of_types(*_ATTACHED):
        named = resource.properties.get(_ATTACHED[resource.type])
        several = list(named.items()) if isinstance(named.value, list) else [named]
        if any(_may_mean(one, role, resources) for one in several):
            found.append(resource.properties.get("PolicyDocument").value)
    return found


def _may_have_more(role: Resource, resources: Resources) -> bool:
    """Whether something else may give the role policies: a macro, a connector, a nested stack."""
    template = resources.template
    transforms = (template.document or {}).get("Transform", [])
    several = transforms if isinstance(transforms, list) else [transforms]
    if any(not str(one).startswith(_TRANSFORMS) for one in several):
        return True
    for name, declared in template.resources.items():
        if str(name).startswith("Fn::") or not isinstance(declared, Mapping):
            return True
        kind = str(declared.get("Type"))
        told = kind.startswith(_MADE_ELSEWHERE) or "Connectors" in declared
        if told and role.logical_id in repr(declared):
            return True
    return False


def _may_mean(named: Fact, role: Resource, resources: Resources) -> bool:
    """Whether a name of a role, perhaps unknown, may be that of ``role``."""
    if named.value is None:
        return False
    found = resources.referred(named, ROLE, "RoleName")
    if found is not None:
        return found.logical_id == role.logical_id
    return named.text is None or isinstance(role.properties.get("RoleName").value, Unknown)


def _bucket_policies(resources: Resources) -> list[Any]:
    """The policies of the template's buckets, which let roles of the account do something too."""
    return [
        resource.properties.get("PolicyDocument").value
        for resource in resources.of_types(_BUCKET_POLICY)
    ]


def _in_own_bucket(uri: Fact, resources: Resources) -> bool:
    """Whether an S3 URI leads into a bucket of the template."""
    found = _IN_BUCKET.fullmatch(text_with_marks(uri.value) or "")
    if found is None:
        return False
    bucket = found[2] if found[1] is None else Unknown(found[1])
    return resources.referred(Fact(bucket, uri.where), _BUCKET, "BucketName") is not None


def _of_own_repository(image: Fact, resources: Resources) -> bool:
    """Whether an image is of a repository of the template that has no policy of its own."""
    for name in MARKED.findall(text_with_marks(image.value) or ""):
        found = resources.referred(Fact(Unknown(name), image.where), _REPOSITORY, "RepositoryName")
        if found is not None:
            return not found.properties.get("RepositoryPolicyText").given
    return False
