from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from local_aws.protocol import AwsError
from local_aws.services.cloudformation.engine.parameters import Parameter, resolve
from local_aws.services.cloudformation.engine.template import Template, parse

SSM = {"/cdk-bootstrap/version": "33", "/zones": "a, b"}


def _template(**parameters: dict[str, Any]) -> Template:
    return parse(json.dumps({"Resources": {"A": {"Type": "T"}}, "Parameters": parameters}))


def _fetch(names: Sequence[str]) -> dict[str, str]:
    return {name: SSM[name] for name in names if name in SSM}


def _resolve(
    template: Template,
    given: dict[str, str] | None = None,
    previous: dict[str, Parameter] | None = None,
    keep: Sequence[str] = (),
) -> dict[str, Any]:
    entries: list[dict[str, Any]] = [
        {"ParameterKey": key, "ParameterValue": value} for key, value in (given or {}).items()
    ]
    entries += [{"ParameterKey": key, "UsePreviousValue": True} for key in keep]
    found = resolve(template, entries, previous or {}, _fetch)
    return {key: parameter.reference for key, parameter in found.items()}


def test_a_default_stands_where_nothing_is_given() -> None:
    assert _resolve(_template(P={"Type": "Number", "Default": 0})) == {"P": "0"}


def test_an_empty_value_is_a_value() -> None:
    assert _resolve(_template(P={"Type": "String", "Default": "x"}), {"P": ""}) == {"P": ""}


def test_the_previous_value_is_kept_when_asked_for() -> None:
    template = _template(P={"Type": "String", "Default": "new"})

    assert _resolve(template, previous={"P": Parameter("P", "old")}, keep=["P"]) == {"P": "old"}


def test_the_default_wins_over_the_previous_value_when_it_is_not_asked_for() -> None:
    template = _template(P={"Type": "String", "Default": "new"})

    assert _resolve(template, previous={"P": Parameter("P", "old")}) == {"P": "new"}


@pytest.mark.parametrize("kind", ["CommaDelimitedList", "List<Number>"])
def test_lists_are_split(kind: str) -> None:
    assert _resolve(_template(P={"Type": kind}), {"P": "1, 2"}) == {"P": ["1", "2"]}


def test_an_empty_list_has_no_members() -> None:
    assert _resolve(_template(P={"Type": "CommaDelimitedList", "Default": ""})) == {"P": []}


def test_an_ssm_parameter_is_resolved() -> None:
    template = _template(
        V={"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/cdk-bootstrap/version"},
        Z={"Type": "AWS::SSM::Parameter::Value<List<String>>", "Default": "/zones"},
    )

    assert _resolve(template) == {"V": "33", "Z": ["a", "b"]}


def test_a_no_echo_value_is_not_shown() -> None:
    template = _template(P={"Type": "String", "NoEcho": True})

    parameter = resolve(template, [{"ParameterKey": "P", "ParameterValue": "x"}], {}, _fetch)["P"]

    assert (parameter.reference, parameter.shown) == ("x", "****")


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        ({"Type": "String", "AllowedValues": ["a", 1]}, "b", r"AllowedValues \[a, 1\], not 'b'"),
        ({"Type": "String", "AllowedPattern": "[a-z]+"}, "A", r"must match pattern \[a-z\]\+"),
        ({"Type": "String", "MinLength": 2}, "a", "at least 2 characters"),
        ({"Type": "String", "MaxLength": "1"}, "ab", "at most 1 characters"),
        ({"Type": "Number"}, "x", "'P' must be a number"),
        ({"Type": "Number", "MinValue": 0}, "-1", "not less than 0"),
        ({"Type": "Number", "MaxValue": 3}, "3.5", "not greater than 3"),
        ({"Type": "List<Number>"}, "1,x", "'P' must be a number"),
        (
            {"Type": "String", "AllowedValues": ["a"], "ConstraintDescription": "be a"},
            "b",
            "P failed to satisfy constraint: be a",
        ),
        (
            {"Type": "AWS::SSM::Parameter::Value<String>"},
            "/none",
            "Parameter P should either have input value or default value",
        ),
    ],
)
def test_a_value_outside_its_constraints_is_refused(
    declared: dict[str, Any], value: str, message: str
) -> None:
    with pytest.raises(AwsError, match=message):
        _resolve(_template(P=declared), {"P": value})


def test_every_missing_value_is_named_at_once() -> None:
    template = _template(A={"Type": "String"}, B={"Type": "String"})

    with pytest.raises(AwsError, match=r"Parameters: \[A, B\] must have values"):
        _resolve(template)


def test_a_parameter_that_is_not_declared_is_refused() -> None:
    with pytest.raises(AwsError, match=r"\[X\] do not exist in the template"):
        _resolve(_template(), {"X": "1"})
