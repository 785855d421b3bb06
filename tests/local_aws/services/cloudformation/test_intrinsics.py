from __future__ import annotations

import json
from typing import Any

import pytest

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.blueprint import Existing
from local_aws.services.cloudformation.engine.stacks import Resource
from local_aws.template.intrinsics import Evaluator, References, Surroundings
from local_aws.template.template import parse
from local_aws.template.values import UNKNOWN

TEMPLATE = {
    "Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}},
    "Mappings": {"Regions": {"eu-west-1": {"Account": "763", "Zones": ["a", "b"]}}},
    "Conditions": {
        "Yes": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]},
        "No": {"Fn::Not": [{"Condition": "Yes"}]},
        "Either": {"Fn::Or": [{"Condition": "No"}, {"Condition": "Yes"}]},
        "Both": {"Fn::And": [{"Condition": "No"}, {"Condition": "Yes"}]},
        "Loop": {"Fn::Not": [{"Condition": "Loop"}]},
    },
}
SURROUNDINGS = Surroundings("mine", "arn:stack", "eu-west-1", "123456789012", ("arn:topic",))


class _NothingYet:
    def ref(self, logical_id: str) -> Any:
        return UNKNOWN

    def attribute(self, logical_id: str, name: str) -> Any:
        return UNKNOWN


def _evaluator(references: References | None = None) -> Evaluator:
    bucket = Resource(
        "Bucket", "AWS::S3::Bucket", "b-1", attributes={"Arn": "arn:b", "N": {"A": 1}}
    )
    return Evaluator(
        parse(json.dumps(TEMPLATE)),
        {"Stage": "prod", "List": ["x", "y"], "Number": "3"},
        SURROUNDINGS,
        references or Existing({"Bucket": bucket}),
        {"exported": "shared"}.__getitem__,
    )


def _ref(name: str) -> dict[str, str]:
    return {"Ref": name}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (_ref("Stage"), "prod"),
        (_ref("Bucket"), "b-1"),
        (_ref("AWS::Region"), "eu-west-1"),
        (_ref("AWS::Partition"), "aws"),
        (_ref("AWS::URLSuffix"), "amazonaws.com"),
        (_ref("AWS::StackName"), "mine"),
        (_ref("AWS::NotificationARNs"), ["arn:topic"]),
        ({"Fn::GetAtt": ["Bucket", "Arn"]}, "arn:b"),
        ({"Fn::GetAtt": "Bucket.N.A"}, 1),
        ({"Fn::Join": ["-", ["a", _ref("Stage"), 1, True]]}, "a-prod-1-true"),
        ({"Fn::Join": [",", _ref("List")]}, "x,y"),
        ({"Fn::Sub": "${AWS::Region}/${Bucket}/${Bucket.Arn}"}, "eu-west-1/b-1/arn:b"),
        ({"Fn::Sub": "${!Literal} ${Stage}"}, "${Literal} prod"),
        ({"Fn::Sub": ["${A}-${Stage}", {"A": _ref("Number")}]}, "3-prod"),
        ({"Fn::Select": ["1", _ref("List")]}, "y"),
        ({"Fn::Select": [0, {"Fn::Split": ["|", "a|b"]}]}, "a"),
        ({"Fn::Split": [",", "a,b,"]}, ["a", "b", ""]),
        ({"Fn::FindInMap": ["Regions", _ref("AWS::Region"), "Account"]}, "763"),
        ({"Fn::FindInMap": ["Regions", "mars", "Account", {"DefaultValue": "1"}]}, "1"),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
        ({"Fn::If": ["No", 1, 2]}, 2),
        ({"Fn::If": ["Either", "y", "n"]}, "y"),
        ({"Fn::If": ["Both", "y", "n"]}, "n"),
        ({"Fn::Base64": "hello"}, "aGVsbG8="),
        ({"Fn::GetAZs": ""}, ["eu-west-1a", "eu-west-1b", "eu-west-1c"]),
        ({"Fn::Cidr": ["10.0.0.0/24", 2, 5]}, ["10.0.0.0/27", "10.0.0.32/27"]),
        ({"Fn::ImportValue": {"Fn::Sub": "exported"}}, "shared"),
        ({"Fn::Length": _ref("List")}, 2),
        ({"Fn::ToJsonString": {"a": _ref("Number")}}, '{"a":"3"}'),
        ({"Fn::Contains": [["1", "2"], _ref("Number")]}, False),
        ({"Fn::EachMemberIn": [_ref("List"), ["x", "y", "z"]]}, True),
        ({"Fn::EachMemberEquals": [_ref("List"), "x"]}, False),
        ({"Fn::Equals": [3, _ref("Number")]}, True),
        ({"Keep": 1, "Drop": _ref("AWS::NoValue")}, {"Keep": 1}),
        ([1, {"Fn::If": ["No", 2, _ref("AWS::NoValue")]}], [1]),
        ({"Ref": "two", "keys": "are data"}, {"Ref": "two", "keys": "are data"}),
        ({"Condition": {"StringEquals": 1}}, {"Condition": {"StringEquals": 1}}),
    ],
)
def test_functions_give_what_cloudformation_gives(value: Any, result: Any) -> None:
    assert _evaluator().evaluate(value) == result


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"Fn::Select": [5, _ref("List")]}, "cannot select nonexistent value at index 5"),
        ({"Fn::FindInMap": ["Regions", "mars", "x"]}, "Unable to get mapping for Regions::mars::x"),
        ({"Fn::If": ["Missing", 1, 2]}, "Unresolved condition dependency Missing"),
        ({"Fn::If": ["Loop", 1, 2]}, r"Circular dependency between conditions: \[Loop\]"),
        ({"Fn::GetAtt": ["Bucket", "Nope"]}, "Bucket does not support attribute type Nope"),
        (_ref("Nobody"), r"Unresolved resource dependencies \[Nobody\]"),
        ({"Fn::Join": ["", "text"]}, "every Fn::Join object requires"),
        ({"Fn::Join": ["", [{"a": 1}]]}, "a string is expected"),
        ({"Fn::Cidr": ["10.0.0.0/31", 9, 1]}, "10.0.0.0/31 has not 9 subnets"),
        ({"Fn::Transform": {}}, "Fn::Transform is not a function"),
    ],
)
def test_a_value_that_cannot_be_had_is_named(value: Any, message: str) -> None:
    with pytest.raises(AwsError, match=message):
        _evaluator().evaluate(value)


@pytest.mark.parametrize(
    "value",
    [
        _ref("Bucket"),
        {"Fn::GetAtt": ["Bucket", "Arn"]},
        {"Fn::Sub": "x-${Bucket}"},
        {"Fn::Join": ["", ["a", _ref("Bucket")]]},
        {"Fn::Base64": _ref("Bucket")},
        {"Fn::Split": [",", _ref("Bucket")]},
        {"Fn::ToJsonString": {"a": _ref("Bucket")}},
    ],
)
def test_what_is_built_from_the_unknown_is_unknown(value: Any) -> None:
    assert _evaluator(_NothingYet()).evaluate(value) is UNKNOWN


def test_the_neighbours_of_the_unknown_are_known() -> None:
    value = {"a": _ref("Stage"), "b": [_ref("Bucket"), 1]}

    assert _evaluator(_NothingYet()).evaluate(value) == {"a": "prod", "b": [UNKNOWN, 1]}


@pytest.mark.parametrize(
    ("region", "partition", "suffix"),
    [
        ("cn-north-1", "aws-cn", "amazonaws.com.cn"),
        ("us-gov-west-1", "aws-us-gov", "amazonaws.com"),
    ],
)
def test_partitions_follow_the_region(region: str, partition: str, suffix: str) -> None:
    pseudo = Surroundings("s", "id", region, "1").pseudo_parameters()

    assert (pseudo["AWS::Partition"], pseudo["AWS::URLSuffix"]) == (partition, suffix)
