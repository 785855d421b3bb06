"""Roles that collect what they are granted: one policy, whoever grants, and whenever."""

from __future__ import annotations

import json
from typing import Any

import aws_cdk as cdk
import jsii
import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk.assertions import Template
from constructs import Construct, IConstruct

from sagemaker_serving.infra import ContainerImage, ExecutionRole, Model, ModelData
from sagemaker_serving.infra.synth.granting import grant
from tests.infra.conftest import Bench


def test_what_cdk_s_constructs_and_our_own_grant_is_one_policy_in_order(bench: Bench) -> None:
    bucket = s3.Bucket.from_bucket_name(bench.stack, "Theirs", "theirs")
    grant(bench.role, ["s3:GetObject"], "arn:aws:s3:::ours/first")
    bucket.grant_delete(bench.role)
    grant(bench.role, ["s3:GetObject"], "arn:aws:s3:::ours/last")
    assert [each["Action"] for each in _statements(bench.stack)] == [
        "s3:GetObject",
        "s3:DeleteObject*",
        "s3:GetObject",
    ]


def test_a_grant_is_cdk_s_where_more_is_asked_of_it_and_stands_once(bench: Bench) -> None:
    first = grant(bench.role, ["s3:GetObject"], "arn:aws:s3:::ours/first")
    given = first.combine(grant(bench.role, ["s3:ListBucket"], "arn:aws:s3:::ours"))
    grant(bench.role, ["kms:Decrypt"], "arn:aws:kms:eu-west-1:111122223333:key/k")
    waiting = sqs.Queue(bench.stack, "Waiting")
    waiting.node.add_dependency(given)
    assert given.success
    assert [each.actions for each in given.principal_statements] == [
        ["s3:GetObject"],
        ["s3:ListBucket"],
    ]
    said = [each["Action"] for each in _statements(bench.stack)]
    assert said == ["s3:GetObject", "s3:ListBucket", "kms:Decrypt"]
    (queue,) = Template.from_stack(bench.stack).find_resources("AWS::SQS::Queue").values()
    assert queue["DependsOn"] == list(_policies(bench.stack))


@pytest.mark.parametrize("stabilized", [False, True])
def test_what_an_aspect_grants_is_in_the_policy_and_in_its_name(stabilized: bool) -> None:
    names = []
    for granted in (["s3:GetObject"], ["s3:GetObject", "s3:PutObject"]):
        app = cdk.App(context={"@aws-cdk/core:aspectStabilization": stabilized})
        stack = cdk.Stack(app, "Stack")
        role = ExecutionRole(stack, "Role")
        grant(role, ["s3:ListBucket"], "arn:aws:s3:::ours")
        queue = sqs.Queue(stack, "Later")
        cdk.Aspects.of(queue).add(_Granting(role, granted))
        assert [each["Action"] for each in _statements(stack)] == [
            "s3:ListBucket",
            granted if len(granted) > 1 else granted[0],
        ]
        names += list(_policies(stack))
    assert names[0] != names[1]


def test_a_policy_that_an_aspect_retains_is_changed_in_place_and_has_one_beside_it(
    bench: Bench,
) -> None:
    """Each of another name would stay for ever."""
    cdk.RemovalPolicies.of(bench.stack).retain()
    Model(
        bench.stack,
        "Model",
        role=bench.role,
        instance_type="ml.c5.large",
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_s3("s3://models/model.tar.gz"),
    )
    found = _policies(bench.stack)
    (kept, beside) = found
    assert kept == "RoleDefaultPolicy5FFB7DAB"
    assert found[kept]["UpdateReplacePolicy"] == "Retain"
    assert found[beside]["Properties"]["PolicyDocument"] == _document(found[kept])
    (model,) = Template.from_stack(bench.stack).find_resources("AWS::SageMaker::Model").values()
    assert {*model["DependsOn"]} == {kept, beside}


def test_what_is_too_long_for_one_policy_is_divided_by_cdk(bench: Bench) -> None:
    for number in range(300):
        grant(bench.role, ["s3:GetObject"], f"arn:aws:s3:::models/of-{number}/model.tar.gz")
    template = Template.from_stack(bench.stack)
    found = [
        *template.find_resources("AWS::IAM::Policy").values(),
        *template.find_resources("AWS::IAM::ManagedPolicy").values(),
    ]
    assert len(found) > 2
    allowed = json.dumps([each["Properties"]["PolicyDocument"] for each in found])
    assert all(f"of-{number}/" in allowed for number in range(300))


@pytest.mark.parametrize("place", ["", "Models", "Default", "Role", "A Place/Below"])
def test_it_is_called_as_cdk_calls_it(place: str) -> None:
    names = []
    for own in (False, True):
        stack = cdk.Stack(cdk.App(), "Stack")
        scope = Construct(stack, place) if place else stack
        if own:
            grant(ExecutionRole(scope, "Role"), ["s3:ListBucket"], "arn:aws:s3:::ours")
        else:
            cdks = iam.Role(scope, "Role", assumed_by=iam.AnyPrincipal())
            cdks.add_to_policy(iam.PolicyStatement(actions=["s3:ListBucket"], resources=["*"]))
        names += list(_policies(stack))
    assert names[1][:-10] == names[0]


def _policies(stack: cdk.Stack) -> dict[str, Any]:
    return dict(Template.from_stack(stack).find_resources("AWS::IAM::Policy"))


def _statements(stack: cdk.Stack) -> list[Any]:
    (policy,) = _policies(stack).values()
    found: list[Any] = _document(policy)["Statement"]
    return found


def _document(policy: Any) -> Any:
    return policy["Properties"]["PolicyDocument"]


@jsii.implements(cdk.IAspect)
class _Granting:
    def __init__(self, role: ExecutionRole, actions: list[str]) -> None:
        self._role = role
        self._actions = actions

    def visit(self, node: IConstruct) -> None:
        if isinstance(node, sqs.Queue):
            grant(self._role, self._actions, "arn:aws:s3:::ours/*")
