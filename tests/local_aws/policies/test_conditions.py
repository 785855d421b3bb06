"""Every operator of conditions: when it holds, and what a key that is not there means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.policies.conditions import (
    NEGATIONS,
    OPERATORS,
    Condition,
    UnknownOperator,
    parse_conditions,
)

ARN = "arn:aws:sns:eu-west-1:1:topic"


@pytest.mark.parametrize(
    ("operator", "wanted", "given_value", "expected"),
    [
        ("StringEquals", "a", "a", True),
        ("StringEquals", "a", "A", False),
        ("StringEquals", "a*", "ab", False),
        ("StringNotEquals", "a", "b", True),
        ("StringEqualsIgnoreCase", "a", "A", True),
        ("StringNotEqualsIgnoreCase", "a", "A", False),
        ("StringLike", "a*", "ab", True),
        ("StringLike", "a?", "abc", False),
        ("StringNotLike", "a*", "ab", False),
        ("ArnLike", "arn:aws:sns:*:1:t*", ARN, True),
        ("ArnEquals", "arn:aws:sns:*:1:t*", ARN, True),
        ("ArnLike", "arn:aws:s*::1:topic", ARN, False),
        ("ArnNotLike", "arn:aws:sns:*:2:*", ARN, True),
        ("ArnNotEquals", "arn:aws:sns:*:1:*", ARN, False),
        ("Bool", "true", "True", True),
        ("Bool", "false", "true", False),
        ("BinaryEquals", "aGk=", "aGk=", True),
        ("BinaryEquals", "aGk=", "aGE=", False),
        ("NumericEquals", "10", "10.0", True),
        ("NumericNotEquals", "10", "11", True),
        ("NumericLessThan", "10", "9", True),
        ("NumericLessThan", "10", "10", False),
        ("NumericLessThanEquals", "10", "10", True),
        ("NumericGreaterThan", "10", "11", True),
        ("NumericGreaterThan", "10", "10", False),
        ("NumericGreaterThanEquals", "10", "9", False),
        ("NumericGreaterThanEquals", "10", "10", True),
        ("NumericEquals", "10", "ten", False),
        ("DateEquals", "2026-11-21T00:00:00Z", "1795219200", True),
        ("DateNotEquals", "2026-11-21", "2026-11-22", True),
        ("DateLessThan", "2026-11-21T00:00:00Z", "2026-11-20T23:59:59Z", True),
        ("DateLessThanEquals", "2026-11-21", "2026-11-21", True),
        ("DateGreaterThan", "2026-11-21", "2026-11-21", False),
        ("DateGreaterThanEquals", "2026-11-21", "2026-11-21", True),
        ("IpAddress", "127.0.0.0/8", "127.0.0.1", True),
        ("IpAddress", "10.0.0.0/8", "127.0.0.1", False),
        ("IpAddress", "no address", "127.0.0.1", False),
        ("NotIpAddress", "10.0.0.0/8", "127.0.0.1", True),
        ("Null", "true", "here", False),
        ("Null", "false", "here", True),
    ],
)
def test_an_operator_compares(operator: str, wanted: str, given_value: str, expected: bool) -> None:
    condition = Condition.parse(operator, "Key", [wanted])
    assert condition.holds({"key": (given_value,)}) is expected


@pytest.mark.parametrize("operator", [name for name in OPERATORS if name != "Null"])
def test_a_missing_key_fails_what_asks_for_it_and_meets_what_rules_it_out(operator: str) -> None:
    negated = operator.lower() in NEGATIONS
    assert Condition.parse(operator, "key", ["1"]).holds({}) is negated
    assert Condition.parse(f"{operator}IfExists", "key", ["1"]).holds({})


def test_null_asks_whether_the_key_is_there() -> None:
    assert Condition.parse("Null", "key", ["true"]).holds({})
    assert not Condition.parse("Null", "key", ["false"]).holds({})


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        ("StringEquals", ("x", "y"), False),
        ("StringNotEquals", ("x", "y"), True),
        ("StringNotEquals", ("a", "y"), False),
        ("ForAnyValue:StringEquals", ("x", "a"), True),
        ("ForAnyValue:StringEquals", ("x",), False),
        ("ForAnyValue:StringEquals", (), False),
        ("ForAnyValue:StringNotEquals", ("a", "x"), True),
        ("ForAnyValue:StringNotEquals", ("a", "b"), False),
        ("ForAnyValue:StringNotEquals", (), False),
        ("ForAllValues:StringEquals", ("a", "b"), True),
        ("ForAllValues:StringEquals", ("a", "x"), False),
        ("ForAllValues:StringEquals", (), True),
        ("ForAllValues:StringNotEquals", ("x", "y"), True),
        ("ForAllValues:StringNotEquals", ("x", "a"), False),
        ("forallvalues:stringlikeifexists", ("a",), True),
    ],
)
def test_keys_of_several_values(operator: str, values: tuple[str, ...], expected: bool) -> None:
    assert Condition.parse(operator, "key", ["a", "b"]).holds({"key": values}) is expected


def test_a_variable_in_a_value_stands_for_the_calls_own() -> None:
    condition = Condition.parse("StringEquals", "aws:PrincipalAccount", ["${aws:ResourceAccount}"])
    assert condition.holds({"aws:principalaccount": ("1",), "aws:resourceaccount": ("1",)})
    assert not condition.holds({"aws:principalaccount": ("1",), "aws:resourceaccount": ("2",)})
    assert not condition.holds({"aws:principalaccount": ("1",)})


@pytest.mark.parametrize("operator", ["StringIs", "NullIfexists:", "ForSome:StringEquals", ""])
def test_an_operator_that_iam_does_not_have_is_said(operator: str) -> None:
    with pytest.raises(UnknownOperator, match=f"'{operator}' is no condition operator; IAM has"):
        Condition.parse(operator, "key", ["a"])


def test_all_of_a_block_must_hold_and_one_of_the_values() -> None:
    block: dict[str, dict[str, Any]] = {
        "StringEquals": {"a": ["1", "2"], "B": "3"},
        "Bool": {"aws:SecureTransport": True},
    }
    conditions = parse_conditions(block)
    assert [(each.key, each.values) for each in conditions] == [
        ("a", ("1", "2")),
        ("b", ("3",)),
        ("aws:securetransport", ("true",)),
    ]


@given(
    st.sampled_from([name for name in OPERATORS if name.lower() in NEGATIONS]),
    st.lists(st.sampled_from(["1", "2"]), min_size=1),
    st.sampled_from(["1", "2", "3"]),
)
def test_a_negation_is_the_opposite(operator: str, wanted: list[str], value: str) -> None:
    plain = NEGATIONS[operator.lower()]
    context = {"key": (value,)}
    negated = Condition.parse(operator, "key", wanted).holds(context)
    assert negated is not Condition.parse(plain, "key", wanted).holds(context)
