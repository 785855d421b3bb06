"""State machines of templates, however their definitions are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_template, read_template
from tests.rules.state_machines.machine_cases import CASES, PASS, machine, task
from tests.rules.templates import problems
from tests.today import TODAY

SYNC = "arn:aws:states:::sagemaker:createTransformJob.sync"
SDK = "arn:${AWS::Partition}:states:::aws-sdk:sagemaker:createTransformJob"
WRONG: dict[str, Any] = {
    "TransformJobName.$": "$.name",
    "ModelName": "model",
    "TransformInput": {
        "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://bucket/in/"}}
    },
    "TransformOutput": {"S3OutputPath": "s3://bucket/out/"},
    "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
    "MaxPayloadInMB": 500,
}
RUN = task(WRONG, SYNC)


def of(properties: dict[str, Any], kind: str = "StepFunctions") -> list[Problem]:
    return problems({"Machine": {"Type": f"AWS::{kind}::StateMachine", "Properties": properties}})


def found(definition: Any, name: str = "Definition") -> list[Problem]:
    return of({name: definition})


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_wrong_is_named_once_and_the_nearest_right_passes(
    rule: str, wrong: dict[str, Any], said: str, right: dict[str, Any]
) -> None:
    (message,) = [each.message for each in of(wrong) if each.rule == rule]
    assert said in message
    assert [each for each in of(right) if each.rule == rule] == []


@pytest.mark.parametrize(
    "definition",
    [
        machine(Run=RUN),
        machine(Each={"Type": "Map", "ItemProcessor": machine(Run=RUN), "End": True}),
        machine(Each={"Type": "Map", "Iterator": machine(Run=RUN), "End": True}),
        machine(Both={"Type": "Parallel", "Branches": [machine(Run=RUN)], "End": True}),
    ],
    ids=["top", "item processor", "iterator", "branch"],
)
def test_a_task_is_judged_at_any_depth_by_one_rule(definition: dict[str, Any]) -> None:
    (problem,) = found(definition)
    assert problem.rule == "transform-ranges"
    assert "MaxPayloadInMB is 500" in problem.message
    assert str(problem).startswith("template.json Machine.Definition.States.")


def test_a_definition_in_text_is_joined_around_its_tokens() -> None:
    text = json.dumps(machine(Run=task(WRONG, SDK))).replace('"model"', '"${Model.ModelName}"')
    (problem,) = found({"Fn::Sub": text}, "DefinitionString")
    assert problem.where.trail == "Machine.DefinitionString.States.Run.Parameters.MaxPayloadInMB"


def test_arguments_of_jsonata_are_judged_but_for_its_expressions() -> None:
    read = dict.fromkeys(("MaxPayloadInMB", "TransformJobName"), "{% $states.input.value %}")
    arguments = {**WRONG, **read, "BatchStrategy": "Multi"}
    del arguments["TransformJobName.$"]
    state = {"Type": "Task", "Resource": SYNC, "Arguments": arguments, "End": True}
    definition = {**machine(Run=state), "QueryLanguage": "JSONata"}
    (problem, *_) = found(definition)
    assert {p.rule for p in found(definition)} == {"transform-choices", "transform-strategy"}
    assert problem.where.path[-1] == "BatchStrategy"


def test_values_from_the_executions_data_pass_unjudged() -> None:
    arguments = {**WRONG, "MaxPayloadInMB.$": "$.size"}
    del arguments["MaxPayloadInMB"]
    assert found(machine(Run=task(arguments, SYNC))) == []


@pytest.mark.parametrize(
    "definition",
    [{"Ref": "Text"}, {"Fn::Join": ["", ["{", {"Ref": "Rest"}]]}, 3, [], {"States": [1]}],
)
def test_a_text_of_which_nothing_is_known_passes(definition: Any) -> None:
    assert found(definition, "DefinitionString") == []


@pytest.mark.parametrize(
    "name",
    [{"Fn::Sub": "${Name}"}, {"Fn::Sub": "${Name}-x"}],
)
def test_a_state_whose_name_is_not_known_leaves_the_others_unjudged(name: Any) -> None:
    text = '{"StartAt": "A", "States": {"%s": {"Type": "Pass", "End": true}}}'
    assert found({"Fn::Sub": text % name["Fn::Sub"]}, "DefinitionString") == []


def test_other_tasks_are_none_of_ours() -> None:
    assert found(machine(Run=task({"Anything": 1}))) == []


SAM = """
Transform: AWS::Serverless-2016-10-31
Resources:
  Machine:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: machines/{name}
      DefinitionSubstitutions: {{Seconds: 5, Other: !Ref AWS::AccountId}}
"""


def in_a_file(tmp_path: Path, name: str, text: str) -> list[Problem]:
    """The problems of a SAM template beside the file ``machines/<name>``."""
    template = tmp_path / "template.yaml"
    template.write_text(SAM.format(name=name))
    (tmp_path / "machines").mkdir()
    (tmp_path / "machines" / name).write_text(text)
    found = check_template(read_template(template), "eu-west-1", today=TODAY)
    return [each for each in found if each.rule.startswith("state-machine")]


BARE = '"${Most}"'


@pytest.mark.parametrize("name", ["machine.asl.json", "machine.yaml"])
def test_a_definition_alone_is_judged_as_the_file_of_a_template(tmp_path: Path, name: str) -> None:
    arguments = {**WRONG, "ModelName": "${Model}", "MaxConcurrentTransforms": "${Most}"}
    loading = task({}, "${Loader}")
    loading["Next"] = "Run"
    del loading["End"]
    text = json.dumps(machine(Load=loading, Run=task(arguments, SYNC)), indent=1)
    is_yaml = name.endswith("yaml")
    path = tmp_path / name
    path.write_text(yaml.safe_dump(json.loads(text)) if is_yaml else text.replace(BARE, BARE[1:-1]))
    (problem,) = check_template(read_template(path), "eu-west-1", today=TODAY)
    assert problem.rule == "transform-ranges"
    assert f"{path}:" in str(problem)
    assert "States.Run.Parameters.MaxPayloadInMB" in str(problem)


YAML = """
StartAt: A
States:
  A: {Type: Wait, Seconds: ${Seconds}, Next: B}
  B: {Type: Wait, Seconds: ${Other}, Next: %s}
  Done: {Type: Pass, End: true}
"""


def test_a_definition_in_a_file_beside_the_template_is_read(tmp_path: Path) -> None:
    (problem,) = in_a_file(tmp_path, "a.asl.yaml", YAML % "Dne")
    assert problem.rule == "state-machine-transition"
    assert str(problem.where) == (
        f"{tmp_path / 'machines' / 'a.asl.yaml'}:5 Machine.DefinitionUri.States.B.Next"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", YAML % "Done"),
        ("a.json", json.dumps({**PASS, "Comment": "${Seconds} ${Other}"})),
    ],
)
def test_a_right_definition_in_a_file_passes(tmp_path: Path, name: str, text: str) -> None:
    assert in_a_file(tmp_path, name, text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"StartAt": "${Seconds}", "States": {', "this is not JSON that can be read"),
        ('{"Comment": "${Seconds}${Other}", "StartAt": "A",\n"StartAt": "A"}', "given twice"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    (problem, *_) = in_a_file(tmp_path, "a.json", text.replace("${Other}", ""))
    assert said in problem.message
    assert str(problem.where).startswith(f"{tmp_path / 'machines' / 'a.json'}:")


def test_a_file_that_is_elsewhere_passes(tmp_path: Path) -> None:
    template = tmp_path / "template.yaml"
    for name in ("none.json", "s3://bucket/machine.json"):
        template.write_text(SAM.format(name=name))
        found = check_template(read_template(template), "eu-west-1", today=TODAY)
        assert [each for each in found if each.rule.startswith("state-machine")] == []
