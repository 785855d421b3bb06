"""JSONata with Step Functions' own functions."""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.services.stepfunctions.engine import jsonata


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$sum([1, 2.5])", 3.5),
        ("null", None),
        ('{"a": null, "b": [null]}', {"a": None, "b": [None]}),
        ("$partition([1,2,3,4,5], 2)", [[1, 2], [3, 4], [5]]),
        ("$range(0, 10, 5)", [0, 5, 10]),
        ("$range(3, 1, -1)", [3, 2, 1]),
        ('$hash("a", "MD5")', "0cc175b9c0f1b6a831c399e269772661"),
        ('$parse("{\\"a\\": [1, 2]}").a', [1, 2]),
        ("$random(7) = $random(7)", True),
        ("$length($uuid())", 36),
        ("$exists($nothing)", False),
    ],
)
def test_expressions_have_their_values(expression: str, value: Any) -> None:
    assert jsonata.evaluate(expression) == value


@pytest.mark.parametrize(
    "expression", ["$error('no')", "1 +", "$partition([1], 0)", "$range(1, 2, 0)", "$hash('a','X')"]
)
def test_expressions_that_fail_say_so(expression: str) -> None:
    with pytest.raises(jsonata.JsonataError):
        jsonata.evaluate(expression)


def test_only_expressions_that_cannot_be_read_have_a_problem() -> None:
    assert jsonata.problem("$a + 1") is None
    assert jsonata.problem("$a +") is not None
