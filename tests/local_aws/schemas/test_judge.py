"""What is certain of a value of which not all is known, and which keyword it breaks."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.schemas import Judge, settled
from local_aws.template import NO_VALUE, Evaluator, Names, Unknown

GIVEN, DECIDED = Unknown("Parameter"), Unknown(branches=(1, NO_VALUE))
EITHER = {"oneOf": [{"required": ["A"]}, {"required": ["B"]}]}
BIG = {
    "if": {"properties": {"Size": {"const": "big"}}, "required": ["Size"]},
    "then": {"required": ["Disk"], "properties": {"Spot": False}},
}


def broken(schema: Any, value: Any) -> list[str]:
    judge = Judge(lambda each: each)
    return [fault.keyword for fault in judge.faults(schema, value)]


@pytest.mark.parametrize(
    ("schema", "value", "keywords"),
    [
        # a number is written with the digits 0 to 9, a truth value as such
        ({"type": "integer"}, "12", []),
        ({"type": "integer"}, "1_2", ["type"]),
        ({"type": "integer"}, "\u0663", ["type"]),
        ({"type": "number"}, "nan", ["type"]),
        ({"type": "number"}, "-1.5e3", []),
        ({"type": "integer", "minimum": 1}, "0", ["minimum"]),
        ({"type": "boolean"}, "True", []),
        ({"type": "boolean"}, "yes", ["type"]),
        ({"type": "string", "enum": ["1"]}, 1, []),
        ({"type": "string"}, None, ["type"]),
        ({"type": "string", "format": "json", "maxLength": 7}, '{"a":\n  1}', []),
        ({"type": "string", "format": "json", "maxLength": 6}, '{"a": 1}', ["maxLength"]),
        # one of two: what a function gives is there, what a condition decides may not be
        (EITHER, {}, ["oneOf"]),
        (EITHER, {"A": GIVEN}, []),
        (EITHER, {"A": GIVEN, "B": 1}, ["oneOf"]),
        (EITHER, {"A": DECIDED, "B": 1}, []),
        ({"requiredXor": ["A", "B"]}, {"A": GIVEN, "B": GIVEN}, ["requiredXor"]),
        ({"requiredXor": ["A", "B"]}, {"A": DECIDED, "B": GIVEN}, []),
        ({"requiredXor": ["A", "B"]}, {}, ["requiredXor"]),
        ({"requiredOr": ["A", "B"]}, {"A": DECIDED}, []),
        ({"dependentExcluded": {"A": ["B"]}}, {"A": GIVEN, "B": GIVEN}, ["dependentExcluded"]),
        ({"dependentExcluded": {"A": ["B"]}}, {"A": GIVEN, "B": DECIDED}, []),
        ({"dependentRequired": {"A": ["B"]}}, {"A": DECIDED}, []),
        ({"required": ["A"]}, {"A": DECIDED}, []),
        # what depends on another value
        (BIG, {"Size": "big"}, ["required"]),
        (BIG, {"Size": "big", "Disk": GIVEN, "Spot": GIVEN}, ["false"]),
        (BIG, {"Size": "big", "Disk": GIVEN, "Spot": DECIDED}, []),
        (BIG, {"Size": GIVEN}, []),
        (BIG, {"Size": DECIDED}, []),
        (BIG, {"Size": "small", "Other": GIVEN}, []),
        ({"not": {"required": ["A"]}}, {"A": GIVEN}, ["not"]),
        ({"not": {"required": ["A"]}}, {"A": DECIDED}, []),
        # counts
        ({"maxItems": 1}, [GIVEN, GIVEN], ["maxItems"]),
        ({"maxItems": 1}, [GIVEN, DECIDED], []),
        ({"minItems": 2}, [DECIDED], ["minItems"]),
        ({"uniqueItems": True}, ["a", GIVEN, "a"], ["uniqueItems"]),
        ({"uniqueItems": True}, [GIVEN, GIVEN], []),
        ({"uniqueKeys": ["K"]}, [{"K": 1, "V": 1}, {"K": 1, "V": 2}], ["uniqueKeys"]),
        ({"maxUniqueItems": 1}, ["a", "a"], []),
        ({"maxUniqueItems": 1}, ["a", "b"], ["maxUniqueItems"]),
        ({"maxProperties": 1}, {"A": 1, "B": DECIDED}, []),
        ({"propertyNames": {"not": {"enum": ["A"]}}}, {"A": 1, "B": 1}, ["propertyNames"]),
        ({"type": "string", "maxLength": 3}, "{{resolve:ssm:name}}", []),
    ],
)  # fmt: skip
def test_what_is_certain_is_named_and_what_is_not_passes(
    schema: Any, value: Any, keywords: list[str]
) -> None:
    assert broken(schema, value) == keywords


def test_what_a_condition_decides_may_be_absent_and_what_a_parameter_gives_is_there() -> None:
    evaluator = Evaluator(
        Names({}), mappings={}, conditions={"Big": {"Fn::Equals": [{"Ref": "Size"}, "big"]}}
    )
    decided = evaluator.evaluate({"Fn::If": ["Big", 1, {"Ref": "AWS::NoValue"}]})
    assert (decided.may_be_absent, evaluator.evaluate({"Ref": "Size"}).may_be_absent) == (
        True,
        False,
    )


def test_a_choice_says_what_is_wrong_with_each_alternative() -> None:
    judge = Judge(lambda each: each)
    schema = {"anyOf": [{"required": ["A"]}, {"required": ["B", "C"]}]}
    (fault,) = judge.faults(schema, {"B": 1}, ("Place", 0))
    assert [[each.names for each in some] for some in fault.alternatives] == [[("A",)], [("C",)]]
    assert str(fault) == "#/Place/0: #: no subschema matched out of the total 2 subschemas"


def test_each_branch_of_a_condition_is_judged_with_what_the_condition_settles() -> None:
    big = {"Fn::Equals": [{"Ref": "Size"}, "big"]}
    conditions = {"Big": big, "Small": {"Fn::Not": [{"Condition": "Big"}]}}
    evaluator = Evaluator(Names({}), mappings={}, conditions=conditions, tolerant=True)
    inner = {"Fn::If": ["Small", "unreachable", 3]}
    decided = evaluator.evaluate({"Fn::If": ["Big", {"Count": inner}, {"Count": "many"}]})
    assert decided.branches == ({"Count": 3}, {"Count": "many"})
    schema = {"type": "object", "properties": {"Count": {"type": "integer"}}}
    judge = Judge(lambda each: each)
    assert [fault.value for fault in judge.faults(schema, decided)] == ["many"]


def test_a_choice_is_not_made_for_two_branches_at_once() -> None:
    decided = Unknown(branches=("1", "word"))
    choice = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[a-z]+$"}]}
    assert broken({"properties": {"A": choice}}, {"A": decided}) == []
    assert broken({"anyOf": [{"properties": {"A": {"type": "integer"}}}]}, {"A": decided}) == []


def test_a_fault_is_told_once_and_a_choice_by_its_nearest_alternative() -> None:
    judge = Judge(lambda each: each)
    text = {"type": "string", "minLength": 3, "pattern": "^[a-z]{3}$"}
    (fault,) = settled(judge.faults({"allOf": [text, text]}, "A"))
    assert fault.keyword == "minLength"
    schema = {
        "oneOf": [
            {"type": "object", "properties": {"A": text}, "required": ["A"]},
            {"type": "object", "properties": {"B": {}}, "required": ["B", "C"]},
        ]
    }
    (fault,) = settled(judge.faults(schema, {"A": "x"}))
    assert (fault.path, fault.keyword) == (("A",), "minLength")


@pytest.mark.parametrize(
    ("name", "text", "has_it"),
    [
        ("AWS::EC2::VPC.Id", "vpc-0123456789abcdef0", True),
        ("AWS::EC2::VPC.Id", "vpc-1", False),
        ("AWS::IAM::Role.Arn", "arn:aws-cn:iam::111122223333:role/a/b", True),
        ("AWS::IAM::Role.Arn", "arn:aws:iam:::role/a", False),
        ("AWS::S3::Bucket.Name", "a.bucket-1", True),
        ("AWS::S3::Bucket.Name", "a..bucket", False),
        ("ipv4-network", "10.0.0.1/24", True),
        ("ipv4-network", "10.0.0.0", False),
        ("ipv6-network", "::/0", True),
        ("date-time", "whatever", True),
    ],
)
def test_ids_arns_and_networks_have_their_forms(name: str, text: str, has_it: bool) -> None:
    judge = Judge(lambda each: each, formats=True)
    assert (list(judge.faults({"format": name}, text)) == []) == has_it
    assert broken({"format": name}, text) == []
