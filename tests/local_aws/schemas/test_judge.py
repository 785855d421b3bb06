"""What is certain of a value of which not all is known, and which keyword it breaks."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.schemas import Judge
from local_aws.template import Evaluator, Names, Unknown

GIVEN, DECIDED = Unknown("Parameter"), Unknown(may_be_absent=True)
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
