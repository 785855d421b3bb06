"""The variables that states refer to. What counts was recorded of AWS by LocalStack's suite, 2024,
for JSONPath; for JSONata it follows from AWS's guide, "Passing data between states with variables".
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from local_aws.services.stepfunctions.engine.variable_references import variable_references
from tests.local_aws.services.stepfunctions.machines import of


def found(state: dict[str, Any], **definition: Any) -> Any:
    """Those of a state named A, after one that assigns x, y and z."""
    assigned = {"Type": "Pass", "Assign": {"x": 1, "y.$": "$.y", "z": 3}, "Next": "A"}
    return variable_references(json.dumps(of({"Set": assigned, "A": state}, **definition)))


@pytest.mark.parametrize(
    ("state", "names"),
    [
        ({"InputPath": "$y", "OutputPath": "$x.a[0]"}, ["x", "y"]),
        ({"Parameters": {"a": {"b.$": "$x"}, "c": "$y"}, "ResultPath": "$.z"}, ["x"]),
        ({"Parameters": {"a.$": "States.Format('$y {}', $z, $$.State.Name)"}}, ["z"]),
        ({"Assign": {"x.$": "States.MathAdd($x, 1)"}}, ["x"]),
        ({"Choices": [{"Variable": "$z", "StringEqualsPath": "$y", "Next": "B"}]}, ["y", "z"]),
        ({"ItemReader": {"ReaderConfig": {"MaxItemsPath": "$x"}}}, ["x"]),
        ({"Parameters": {"SecondsPath": "$x"}, "Result": {"a.b": "$x"}}, []),
        ({"QueryLanguage": "JSONata", "Output": "{% $states.input.a & $x & $sum($y) %}"}, "xy"),
        ({"QueryLanguage": "JSONata", "Output": "$x", "Arguments": {"a": "{% '$y' %}"}}, []),
    ],
)
def test_a_state_refers_to_the_variables_that_it_looks_up(
    state: dict[str, Any], names: list[str]
) -> None:
    assert found(state) == ({"A": list(names)} if names else {})


def test_states_within_states_are_told_by_themselves() -> None:
    inner = {"Type": "Pass", "Output": "{% $x %}", "End": True}
    processor = {"ItemProcessor": of({"Inner": inner}), "Items": "{% $z %}"}
    branches = {"Branches": [of({"Map": {"Type": "Map", **processor}})]}
    assert found({"Type": "Parallel", **branches}, QueryLanguage="JSONata") == {
        "Map": ["z"],
        "Inner": ["x"],
    }
