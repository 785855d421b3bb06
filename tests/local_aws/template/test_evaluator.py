"""Intrinsic functions give what CloudFormation gives; what is not known yet stays unknown."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from threading import Barrier
from typing import Any

import pytest

from local_aws.template import Evaluator, Names, TemplateError, Unknown, region_names
from local_aws.template.parameters import broken

MAPPINGS = {"Regions": {"eu-west-1": {"Account": "763", "Zones": ["a", "b"]}}}
CONDITIONS = {
    "Yes": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]},
    "No": {"Fn::Not": [{"Condition": "Yes"}]},
    "Either": {"Fn::Or": [{"Condition": "No"}, {"Condition": "Yes"}]},
    "Both": {"Fn::And": [{"Condition": "No"}, {"Condition": "Yes"}]},
    "Loop": {"Fn::Not": [{"Condition": "Loop"}]},
    "Later": {"Fn::Equals": [{"Ref": "Bucket"}, "b-1"]},
    "NotLater": {"Fn::Not": [{"Condition": "Later"}]},
    "YesOrLater": {"Fn::Or": [{"Condition": "Later"}, {"Condition": "Yes"}]},
    "NoAndLater": {"Fn::And": [{"Condition": "Later"}, {"Condition": "No"}]},
    "YesAndLater": {"Fn::And": [{"Condition": "Later"}, {"Condition": "Yes"}]},
}
URI = "763104351884.dkr.ecr.${AWS::Region}.${AWS::URLSuffix}/x:1"


class _Deployed(Names):
    """Names of which all are known."""

    def attribute(self, logical_id: str, name: str) -> Any:
        return {"Arn": "arn:b", "N.A": 1}[name]

    def imported(self, name: str) -> Any:
        return {"exported": "shared"}[name]

    def zones(self, region: str) -> Any:
        return [f"{region}{zone}" for zone in "abc"]


PARAMETERS = {
    **region_names("eu-west-1"),
    "Stage": "prod",
    "List": ["x", "y"],
    "Number": "3",
    "Absent": "AWS::NoValue",
}


def _evaluator(*, deployed: bool = True, tolerant: bool = False) -> Evaluator:
    names = _Deployed({**PARAMETERS, "Bucket": "b-1"}) if deployed else Names(PARAMETERS)
    return Evaluator(names, mappings=MAPPINGS, conditions=CONDITIONS, tolerant=tolerant)


def _of_a_template_alone(region: str | None) -> Evaluator:
    return Evaluator(Names(region_names(region)), mappings={}, conditions={}, tolerant=True)


def _ref(name: str) -> dict[str, str]:
    return {"Ref": name}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("text", "text"),
        (_ref("Stage"), "prod"),
        (_ref("Bucket"), "b-1"),
        (_ref("AWS::Region"), "eu-west-1"),
        (_ref("AWS::Partition"), "aws"),
        (_ref("AWS::URLSuffix"), "amazonaws.com"),
        ({"Fn::GetAtt": ["Bucket", "Arn"]}, "arn:b"),
        ({"Fn::GetAtt": "Bucket.N.A"}, 1),
        ({"Fn::Join": ["-", ["a", _ref("Stage"), 1, True]]}, "a-prod-1-true"),
        ({"Fn::Join": [",", _ref("List")]}, "x,y"),
        ({"Fn::Join": ["", []]}, ""),
        ({"Fn::Sub": "${AWS::Region}/${Bucket}/${Bucket.Arn}"}, "eu-west-1/b-1/arn:b"),
        ({"Fn::Sub": "${!Literal} ${Stage}"}, "${Literal} prod"),
        ({"Fn::Sub": "${} $ {Stage} ${"}, "${} $ {Stage} ${"),
        ({"Fn::Sub": ["${A}", {"A": "${!Stage} ${Stage}"}]}, "${!Stage} ${Stage}"),
        ({"Fn::Sub": ["${A}-${ Stage }", {"A": _ref("Number")}]}, "3-prod"),
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
        ({"Keep": 1, "Drop": _ref("Absent")}, {"Keep": 1}),
        ([1, {"Fn::If": ["No", 2, _ref("AWS::NoValue")]}], [1]),
        ({"Ref": "two", "keys": "are data"}, {"Ref": "two", "keys": "are data"}),
        ({"Condition": {"StringEquals": 1}}, {"Condition": {"StringEquals": 1}}),
    ],
)
def test_functions_give_what_cloudformation_gives(value: Any, result: Any) -> None:
    assert _evaluator().evaluate(value) == result
    assert _evaluator(tolerant=True).evaluate(value) == result


UNREADABLE = [
    ({"Fn::Select": [5, _ref("List")]}, "Fn::Select requires a list argument"),
    ({"Fn::Select": ["²", _ref("List")]}, "Fn::Select requires a list argument"),
    ({"Fn::FindInMap": ["Regions", "mars", "x"]}, "Unable to get mapping for Regions::mars::x"),
    ({"Fn::FindInMap": ["Regions", "mars", "x", 3]}, "Unable to get mapping"),
    ({"Fn::If": ["Missing", 1, 2]}, "unresolved condition dependency Missing in Fn::If"),
    ({"Fn::If": ["Loop", 1, 2]}, r"Circular dependency between conditions: \[Loop\]"),
    ({"Fn::If": [{"a": 1}, 1, 2]}, "every condition must be a function that gives true or false"),
    ({"Ref": 3}, "every Ref object requires a string"),
    ({"Fn::GetAtt": []}, "every Fn::GetAtt object requires"),
    ({"Fn::Join": ["", "text"]}, "every Fn::Join object requires"),
    ({"Fn::Join": ["", [{"a": 1}]]}, "a string is expected"),
    ({"Fn::Sub": {}}, "every Fn::Sub object requires"),
    ({"Fn::Sub": ["text"]}, "every Fn::Sub object requires"),
    ({"Fn::Split": ["", "text"]}, "every Fn::Split object requires"),
    ({"Fn::Length": 3}, "every Fn::Length object requires a list"),
    ({"Fn::Contains": [3, 3]}, "every Fn::Contains object requires a list"),
    ({"Fn::Cidr": ["10.0.0.0/31", 9, 1]}, "10.0.0.0/31 has not 9 subnets"),
    ({"Fn::Transform": {}}, "Fn::Transform is not a function"),
    ({"Fn::Transform": {}, "Other": 1}, "Fn::Transform is not a function"),
    ({"Fn::ForEach::Topics": [], "Other": 1}, "Fn::ForEach::Topics is not a function"),
    ({"Fn::Unheard": 1}, "Fn::Unheard is not a function"),
]


@pytest.mark.parametrize(("value", "message"), UNREADABLE)
def test_a_value_that_cannot_be_had_is_named(value: Any, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        _evaluator().evaluate(value)


@pytest.mark.parametrize("value", [value for value, _ in UNREADABLE])
def test_a_tolerant_reader_does_not_know_it_and_knows_its_neighbours(value: Any) -> None:
    found = _evaluator(tolerant=True).evaluate({"a": value, "b": [_ref("Stage")]})

    assert found == {"a": Unknown(), "b": ["prod"]}


@pytest.mark.parametrize(
    "value",
    [
        _ref("Bucket"),
        {"Fn::GetAtt": ["Bucket", "Arn"]},
        {"Fn::GetAtt": ["Bucket", _ref("Bucket")]},
        {"Fn::Sub": "x-${Bucket}"},
        {"Fn::Join": ["", ["a", _ref("Bucket")]]},
        {"Fn::Join": ["", _ref("Bucket")]},
        {"Fn::Base64": _ref("Bucket")},
        {"Fn::Split": [",", _ref("Bucket")]},
        {"Fn::Select": [0, _ref("Bucket")]},
        {"Fn::Select": [0, [_ref("Bucket"), 1]]},
        {"Fn::FindInMap": ["Regions", _ref("Bucket"), "Account"]},
        {"Fn::ToJsonString": {"a": _ref("Bucket")}},
        {"Fn::Length": _ref("Bucket")},
        {"Fn::Contains": [[1, _ref("Bucket")], 2]},
        {"Fn::EachMemberIn": [_ref("List"), _ref("Bucket")]},
        {"Fn::Equals": [_ref("Bucket"), "b-1"]},
        {"Fn::If": ["Later", 1, 2]},
        {"Fn::If": ["NotLater", 1, 2]},
        {"Fn::If": ["YesAndLater", 1, 2]},
        {"Fn::ImportValue": "exported"},
        {"Fn::GetAZs": ""},
        {"Fn::Cidr": [_ref("Bucket"), 2, 5]},
    ],
)
def test_what_is_built_from_the_unknown_is_unknown(value: Any) -> None:
    assert isinstance(_evaluator(deployed=False).evaluate(value), Unknown)


@pytest.mark.parametrize(("condition", "holds"), [("YesOrLater", True), ("NoAndLater", False)])
def test_a_condition_is_known_where_the_unknown_changes_nothing(
    condition: str, holds: bool
) -> None:
    assert _evaluator(deployed=False).condition(condition) is holds


def test_a_condition_may_be_asked_for_by_several_threads_at_once() -> None:
    both_judge = Barrier(2, timeout=60)

    class Waiting(Names):
        def ref(self, name: str) -> Any:
            both_judge.wait()
            return "prod"

    evaluator = Evaluator(Waiting({}), mappings={}, conditions=CONDITIONS)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(evaluator.condition, ["Yes", "Yes"])) == [True, True]


def test_the_neighbours_of_the_unknown_are_known() -> None:
    value = {"a": _ref("Stage"), "b": [_ref("Bucket"), 1]}

    found = _evaluator(deployed=False).evaluate(value)

    assert found == {"a": "prod", "b": [Unknown("Bucket"), 1]}


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ({"Fn::Sub": URI}, "763104351884.dkr.ecr.cn-north-1.amazonaws.com.cn/x:1"),
        ({"Fn::Sub": ["${A}-${AWS::Partition}", {"A": "b"}]}, "b-aws-cn"),
        ({"Fn::Join": ["-", ["a", 1, _ref("AWS::Region")]]}, "a-1-cn-north-1"),
        ({"a": _ref("AWS::NoValue"), "b": [_ref("AWS::NoValue"), 1]}, {"b": [1]}),
        (_ref("Parameter"), Unknown("Parameter")),
        (_ref("AWS::AccountId"), Unknown("AWS::AccountId")),
        ({"Fn::GetAtt": ["Model", "ModelName"]}, Unknown("Model")),
        ({"Fn::GetAtt": "Model.ModelName"}, Unknown("Model")),
        ({"Fn::Sub": "${Model.ModelName}"}, Unknown("Model")),
        ({"Fn::Sub": "${Bucket}/k"}, Unknown()),
        ({"Fn::If": ["C", "a", "b"]}, Unknown()),
        ({"Fn::Join": ["", _ref("List")]}, Unknown()),
    ],
)
def test_a_template_alone_tells_what_a_value_stands_for(value: Any, known: Any) -> None:
    assert _of_a_template_alone("cn-north-1").evaluate(value) == known


@pytest.mark.parametrize("value", [_ref("AWS::Region"), {"Fn::Sub": URI}, _ref("AWS::URLSuffix")])
def test_without_a_region_its_names_are_unknown(value: Any) -> None:
    assert isinstance(_of_a_template_alone(None).evaluate(value), Unknown)


@pytest.mark.parametrize(
    "value",
    [
        {"Fn::Sub": "s3://${Bucket}/${AWS::Region}/${Model.Name}"},
        {
            "Fn::Join": [
                "/",
                [
                    {"Fn::Sub": "s3://${Bucket}"},
                    _ref("AWS::Region"),
                    {"Fn::GetAtt": "Model.Name"},
                ],
            ]
        },
    ],
)
def test_of_an_unknown_text_the_known_pieces_are_kept(value: Any) -> None:
    found = _of_a_template_alone("eu-west-1").evaluate(value)

    rest = [piece for piece in found.pieces if isinstance(piece, Unknown)]
    known = "".join(piece if isinstance(piece, str) else "*" for piece in found.pieces)
    assert known == "s3://*/eu-west-1/*"
    assert rest == [Unknown("Bucket"), Unknown("Model")]


def test_a_pattern_that_only_java_reads_is_not_judged_and_the_rest_is() -> None:
    declared = {"Type": "String", "AllowedPattern": r"\p{Alpha}+", "MaxLength": 3}
    assert list(broken(declared, "abc")) == []
    assert list(broken(declared, "abcd")) == ["must contain at most 3 characters"]
    assert list(broken({**declared, "AllowedPattern": "[a-c]+"}, "abd")) == [
        "must match pattern [a-c]+"
    ]


def test_every_region_has_the_partition_and_suffix_that_botocore_knows() -> None:
    partitions = json.loads(files("botocore").joinpath("data/partitions.json").read_text())
    for partition in partitions["partitions"]:
        for region in partition["regions"]:
            if re.match(partition["regionRegex"], region):
                assert region_names(region) == {
                    "AWS::Region": region,
                    "AWS::Partition": partition["id"],
                    "AWS::URLSuffix": partition["outputs"]["dnsSuffix"],
                }
