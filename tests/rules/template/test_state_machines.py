"""SageMaker's tasks are found wherever a state machine has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagemaker_serving.errors import Problem
from tests.rules.templates import problems

SYNC = "arn:aws:states:::sagemaker:createTransformJob.sync"
SDK = "arn:${AWS::Partition}:states:::aws-sdk:sagemaker:createTransformJob"
WRONG = {"MaxPayloadInMB": 500}


def task(arguments: dict[str, Any], resource: str = SYNC, **state: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": resource, "Parameters": arguments, **state}


def found(definition: Any, name: str = "Definition") -> list[Problem]:
    properties = {name: definition}
    return problems(
        {"Machine": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}}
    )


def machine(**states: Any) -> dict[str, Any]:
    return {"StartAt": next(iter(states)), "States": states}


@pytest.mark.parametrize(
    "definition",
    [
        machine(Run=task(WRONG)),
        machine(Each={"Type": "Map", "ItemProcessor": machine(Run=task(WRONG))}),
        machine(Each={"Type": "Map", "Iterator": machine(Run=task(WRONG))}),
        machine(Both={"Type": "Parallel", "Branches": [machine(Run=task(WRONG))]}),
    ],
    ids=["top", "item processor", "iterator", "branch"],
)
def test_a_task_is_judged_at_any_depth(definition: dict[str, Any]) -> None:
    (problem,) = found(definition)
    assert problem.rule == "transform-ranges"
    assert "MaxPayloadInMB is 500" in problem.message
    assert str(problem).startswith("template.json Machine.Definition.States.")


def test_a_definition_in_text_is_joined_around_its_tokens() -> None:
    text = json.dumps(machine(Run=task(WRONG, resource=SDK))).replace(
        '"MaxPayloadInMB"', '"ModelName": "${Model.ModelName}", "MaxPayloadInMB"'
    )
    (problem,) = found({"Fn::Sub": text}, "DefinitionString")
    assert problem.where.trail == "Machine.DefinitionString.States.Run.Parameters.MaxPayloadInMB"


def test_arguments_of_jsonata_are_judged_but_for_its_expressions() -> None:
    state = {"Type": "Task", "Resource": SYNC}
    arguments = {"MaxPayloadInMB": "{% $states.input.size %}", "BatchStrategy": "Multi"}
    (problem, *_) = found(machine(Run={**state, "Arguments": arguments}))
    assert {p.rule for p in found(machine(Run={**state, "Arguments": arguments}))} == {
        "transform-choices",
        "transform-strategy",
    }
    assert problem.where.path[-1] == "BatchStrategy"


def test_values_from_the_executions_data_pass_unjudged() -> None:
    assert found(machine(Run=task({"MaxPayloadInMB.$": "$.size"}))) == []


@pytest.mark.parametrize(
    "definition",
    ["{", {"Ref": "Text"}, {"Fn::Join": ["", ["{", {"Ref": "Rest"}]]}, 3, [], {"States": [1]}],
)
def test_what_is_no_state_machine_is_passed_over(definition: Any) -> None:
    assert found(definition, "DefinitionString") == []


def test_other_tasks_are_none_of_ours() -> None:
    assert (
        found(machine(Run=task({"Anything": 1}, resource="arn:aws:states:::lambda:invoke"))) == []
    )
