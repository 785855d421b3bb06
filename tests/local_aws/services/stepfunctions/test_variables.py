"""What states assign, when it holds, and how texts of a definition are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import Aws
from tests.local_aws.services.stepfunctions.machines import (
    begin,
    create,
    events,
    of,
    output,
    result,
    start,
    task,
)

JSONATA = {"QueryLanguage": "JSONata"}


def passing(**fields: Any) -> dict[str, Any]:
    return {"Type": "Pass", "End": True, **fields}


def then(name: str, **fields: Any) -> dict[str, Any]:
    return {"Type": "Pass", "Next": name, **fields}


@pytest.mark.parametrize(
    "adds",
    [
        then("Last", **JSONATA, Assign={"x": "{% $x + 1 %}"}, Output="{% $x %}"),
        {
            "Type": "Pass",
            "Assign": {"x.$": "States.MathAdd($x, 1)"},
            "Parameters": {"x.$": "$x"},
            "OutputPath": "$.x",
            "Next": "Last",
        },
        then("Last", **JSONATA, Assign={"x": 2, "y": "{% $x %}"}, Output="{% $x %}"),
    ],
    ids=["JSONata", "JSONPath", "several"],
)
def test_what_a_state_assigns_holds_from_the_next_state_on(aws: Aws, adds: dict[str, Any]) -> None:
    """The developer guide, "Passing data between states with variables"."""
    states = {
        "First": then("Adds", Assign={"x": 1}),
        "Adds": adds,
        "Last": passing(**JSONATA, Output={"was": "{% $states.input %}", "is": "{% $x %}"}),
    }
    assert output(aws, states) == {"was": 1, "is": 2}


@pytest.mark.parametrize("text", ['"', "\\", "\n", "é", "😀", "a/b", "{}"])
def test_a_text_is_the_same_wherever_a_definition_has_it(aws: Aws, text: str) -> None:
    """Recorded by LocalStack's suite, 2025; however JSON writes it."""
    name = f"the {text}state"
    states = {
        "First": then(name, Assign={"x": text}),
        name: {"Type": "Pass", **JSONATA, "Next": "Last", "Output": [text, "{% $x %}"]},
        "Last": passing(**JSONATA, Output=f"{{% [$states.input, $x = {json.dumps(text)}] %}}"),
    }
    execution = start(aws, states)
    assert json.loads(result(aws, execution)["output"]) == [text, text, True]
    told = events(aws, execution)
    (assigned,) = [
        event["stateExitedEventDetails"]["assignedVariables"]
        for event in told
        if "assignedVariables" in event.get("stateExitedEventDetails", {})
    ]
    assert json.loads(assigned["x"]) == text
    assert name in [event.get("stateEnteredEventDetails", {}).get("name") for event in told]


@pytest.mark.parametrize("key", ['"', "a\\b", '\\"', "é", "a b"])
def test_a_path_finds_a_key_of_any_text(aws: Aws, key: str) -> None:
    """Recorded by LocalStack's suite, 2025."""
    states = {"Only": passing(Parameters={"found.$": f"$['{key}']"})}
    assert output(aws, states, {key: 1}) == {"found": 1}


def test_functions_read_texts_that_were_assigned(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2024."""
    states = {
        "First": then("Last", Assign={"text": '{"key": "value"}'}),
        "Last": passing(Parameters={"read.$": "States.StringToJson($text)"}),
    }
    assert output(aws, states) == {"read": {"key": "value"}}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ("{% $none %}", "Arguments"),
        ({"FunctionName": "{% $none %}"}, "Arguments/FunctionName"),
        ({"FunctionName": "f", "Payload": {"a": "{% $none %}"}}, "Arguments/Payload/a"),
    ],
)
def test_an_expression_that_finds_nothing_is_told_once_with_its_place(
    aws: Aws, arguments: Any, field: str
) -> None:
    """Recorded by LocalStack's suite, 2024."""
    asks = task("lambda:invoke", {}) | {"Arguments": arguments}
    del asks["Parameters"]
    execution = begin(aws, create(aws, of({"Ask": asks}, **JSONATA)))
    assert result(aws, execution)["error"] == "States.QueryEvaluationError"
    told = events(aws, execution)
    assert [event["type"] for event in told] == [
        *("ExecutionStarted", "TaskStateEntered", "EvaluationFailed", "ExecutionFailed")
    ]
    assert told[2]["previousEventId"] == told[1]["previousEventId"]
    details = told[2]["evaluationFailedEventDetails"]
    assert (details["state"], details["location"]) == ("Ask", field)
    assert details["cause"] == (
        "An error occurred while executing the state 'Ask' (entered at the event id #2). The "
        f"JSONata expression '$none' specified for the field '{field}' returned nothing "
        "(undefined)."
    )


def test_an_expression_that_fails_can_be_caught(aws: Aws) -> None:
    """The developer guide, "Transforming data with JSONata"."""
    catch = [{"ErrorEquals": ["States.QueryEvaluationError"], "Next": "Caught"}]
    asks = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Arguments": {"FunctionName": "{% 1 + 'a' %}"},
        "Catch": catch,
        "Next": "Caught",
    }
    caught = passing(Output="{% $states.input.Cause %}")
    machine = create(aws, of({"Ask": asks, "Caught": caught}, **JSONATA))
    ended = result(aws, begin(aws, machine))
    begins = (
        "The JSONata expression '1 + 'a'' specified for the field 'Arguments/FunctionName' threw "
        "an error during evaluation. "
    )
    assert json.loads(ended["output"]).startswith(begins)


@pytest.mark.parametrize("expression", ["$f := function($x) {$x}", "$sum", "/a/"])
def test_a_function_is_no_value(aws: Aws, expression: str) -> None:
    """Recorded by LocalStack's suite, 2024."""
    states = {"Only": passing(Output=f"{{% {expression} %}}")}
    ended = result(aws, begin(aws, create(aws, of(states, **JSONATA))))
    assert ended["error"] == "States.QueryEvaluationError"
    assert ended["cause"].endswith(" for the field 'Output' returned an unsupported result type.")


@pytest.mark.parametrize("around", ["Map", "Parallel"])
def test_a_failure_says_once_where_it_was(aws: Aws, around: str) -> None:
    """Recorded by LocalStack's suite, 2024."""
    inner = of({"Inner": passing(Output="{% $none %}")})
    within: dict[str, Any] = {"Map": {"ItemProcessor": inner}, "Parallel": {"Branches": [inner]}}
    outer = {"Type": around, "End": True, **within[around]}
    machine = create(aws, of({"Outer": outer}, **JSONATA))
    ended = result(aws, begin(aws, machine, input="[1]"))
    assert ended["cause"].count("An error occurred while executing the state") == 1
    assert "'Inner'" in ended["cause"]
