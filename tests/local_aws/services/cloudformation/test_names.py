"""What the names of a stack's template stand for, and how others are refused."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.blueprint import Existing
from local_aws.services.cloudformation.engine.names import NoReferences, StackNames, Surroundings
from local_aws.services.cloudformation.engine.stacks import Resource
from local_aws.template import PSEUDO_PARAMETERS, Evaluator

SURROUNDINGS = Surroundings("mine", "arn:stack", "eu-west-1", "123456789012", ("arn:topic",))
BUCKET = Resource("Bucket", "AWS::S3::Bucket", "b-1", attributes={"Arn": "arn:b", "N": {"A": 1}})


def _evaluator() -> Evaluator:
    values = {**SURROUNDINGS.pseudo_parameters(), "Stage": "prod"}
    names = StackNames(values, Existing({"Bucket": BUCKET}), {"exported": "shared"}.__getitem__)
    return Evaluator(names, mappings={}, conditions={})


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ({"Ref": "Stage"}, "prod"),
        ({"Ref": "Bucket"}, "b-1"),
        ({"Ref": "AWS::StackName"}, "mine"),
        ({"Ref": "AWS::NotificationARNs"}, ["arn:topic"]),
        ({"Fn::GetAtt": ["Bucket", "Arn"]}, "arn:b"),
        ({"Fn::GetAtt": "Bucket.N.A"}, 1),
        ({"Fn::GetAZs": ""}, ["eu-west-1a", "eu-west-1b", "eu-west-1c"]),
        ({"Fn::ImportValue": "exported"}, "shared"),
    ],
)
def test_every_name_of_a_stack_is_known(value: Any, result: Any) -> None:
    assert _evaluator().evaluate(value) == result


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"Fn::GetAtt": ["Bucket", "Nope"]}, "Bucket does not support attribute type Nope"),
        ({"Ref": "Nobody"}, r"Unresolved resource dependencies \[Nobody\]"),
    ],
)
def test_a_name_that_nothing_has_is_refused(value: Any, message: str) -> None:
    with pytest.raises(AwsError, match=message):
        _evaluator().evaluate(value)


def test_conditions_see_no_resources() -> None:
    static = Evaluator(
        StackNames({}, NoReferences(), str),
        mappings={},
        conditions={"C": {"Fn::Equals": [{"Fn::GetAtt": ["Bucket", "Arn"]}, "x"]}},
    )
    with pytest.raises(AwsError, match="Cannot reference resources in the Conditions block"):
        static.condition("C")


def test_a_stack_has_every_pseudo_parameter() -> None:
    assert {*SURROUNDINGS.pseudo_parameters(), "AWS::NoValue"} == PSEUDO_PARAMETERS
