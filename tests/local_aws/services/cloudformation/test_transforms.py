"""AWS::LanguageExtensions: what is deployed, and what GetTemplate shows of it.

As recorded by LocalStack's suite (2024, 2025), and as the template reference has it under
"Fn::ForEach" and "AWS::LanguageExtensions transform".
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import get_att, parameter, ref, template

EXTENDED = {"Transform": "AWS::LanguageExtensions"}
CAPABILITIES = ["CAPABILITY_AUTO_EXPAND"]


def _create(aws: Aws, name: str, body: dict[str, Any], **given: str) -> dict[str, Any]:
    """What became of the template of a stack that is created."""
    aws.cloudformation.create_stack(
        StackName=name,
        TemplateBody=json.dumps(body),
        Capabilities=CAPABILITIES,
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in given.items()],
    )
    assert aws.done(aws.stack(name)["StackId"])["StackStatus"] == "CREATE_COMPLETE"
    original = aws.cloudformation.get_template(StackName=name, TemplateStage="Original")
    assert original["TemplateBody"] == body
    processed: dict[str, Any] = aws.cloudformation.get_template(StackName=name)["TemplateBody"]
    assert "Transform" not in processed
    return processed


def test_loops_make_resources_and_outputs(aws: Aws) -> None:
    body = {
        **EXTENDED,
        "Parameters": {"Teams": {"Type": "CommaDelimitedList"}},
        "Resources": {
            "Fn::ForEach::Teams": [
                "Team",
                ref("Teams"),
                {
                    "All&{Team}": parameter({"Fn::Sub": "all of ${Team}"}),
                    "Fn::ForEach::Stages": [
                        "Stage",
                        ["Dev", "Prod"],
                        {"One&{Team}${Stage}": parameter(ref("Stage"), "All&{Team}")},
                    ],
                },
            ]
        },
        "Outputs": {
            "Fn::ForEach::Told": [
                "Team",
                ref("Teams"),
                {"Of&{Team}": {"Value": get_att("All&{Team}", "Value")}},
            ]
        },
    }

    processed = _create(aws, "loops", body, Teams="a-1,b")

    assert sorted(aws.physical_ids("loops")) == [
        *("Alla1", "Allb", "Onea1Dev", "Onea1Prod", "OnebDev", "OnebProd")
    ]
    assert aws.outputs("loops") == {"Ofa1": "all of a-1", "Ofb": "all of b"}
    assert processed["Resources"]["Onea1Prod"] == parameter("Prod", "Alla1")
    assert processed["Outputs"]["Ofb"] == {"Value": get_att("Allb", "Value")}
    with pytest.raises(ClientError, match="No updates are to be performed"):
        aws.cloudformation.update_stack(
            StackName="loops",
            UsePreviousTemplate=True,
            Capabilities=CAPABILITIES,
            Parameters=[{"ParameterKey": "Teams", "UsePreviousValue": True}],
        )


def test_functions_that_need_no_resource_are_worked_out(aws: Aws) -> None:
    body = {
        **EXTENDED,
        "Parameters": {
            "List": {"Type": "CommaDelimitedList"},
            "Secret": {"Type": "String", "NoEcho": True},
        },
        "Resources": {
            "A": parameter({"Fn::Length": ref("List")}),
            "B": parameter({"Fn::Sub": "${AWS::StackName} ${Secret}"}),
            "C": parameter({"Fn::Join": ["-", [ref("A"), {"Fn::ToJsonString": {"a": 1}}]]}),
        },
    }

    processed = _create(aws, "functions", body, List="a,b,c", Secret="hidden")

    values = {name: each["Properties"]["Value"] for name, each in processed["Resources"].items()}
    assert values == {
        "A": 3,
        "B": {"Fn::Sub": "${AWS::StackName} ${Secret}"},
        "C": {"Fn::Join": ["-", [ref("A"), '{"a":1}']]},
    }


def test_a_change_set_shows_what_a_loop_adds(aws: Aws) -> None:
    loop = ["Name", ["One", "Two"], {"${Name}": parameter()}]
    answer = aws.cloudformation.create_change_set(
        StackName="planned",
        ChangeSetName="plan",
        ChangeSetType="CREATE",
        TemplateBody=json.dumps({**EXTENDED, "Resources": {"Fn::ForEach::All": loop}}),
    )

    described = aws.cloudformation.describe_change_set(ChangeSetName=answer["Id"])

    added = [each["ResourceChange"]["LogicalResourceId"] for each in described["Changes"]]
    assert added == ["One", "Two"]
    aws.cloudformation.execute_change_set(ChangeSetName=answer["Id"])
    aws.done(answer["StackId"])
    assert sorted(aws.physical_ids("planned")) == ["One", "Two"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"Resources": {"Fn::ForEach::A": []}}, "name Fn::ForEach::A is non alphanumeric"),
        ({**EXTENDED, "Resources": {"Fn::ForEach::A": []}}, "every Fn::ForEach::A object requires"),
        ({**EXTENDED, "Resources": {"Fn::ForEach::A": ["X", ref("B"), {}], "B": parameter()}},
         "a list that is known before the deployment"),
        ({**EXTENDED, "Resources": {"Fn::ForEach::A": ["X", ["1", "2"], {"B": parameter()}]}},
         "Fn::ForEach::A makes B a second time"),
        (template(A=parameter({"Fn::Transform": {"Name": "Mine", "Parameters": {}}})),
         "Transform Mine cannot be deployed on the local AWS"),
        ({**template(A=parameter()), "Transform": "AWS::Include"},
         "Transform AWS::Include cannot be deployed on the local AWS"),
    ],
)  # fmt: skip
def test_a_transform_that_cannot_be_carried_out_is_refused(
    aws: Aws, body: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClientError, match=message) as refusal:
        aws.cloudformation.create_stack(
            StackName="refused", TemplateBody=json.dumps(body), Capabilities=CAPABILITIES
        )
    assert refusal.value.response["Error"]["Code"] == "ValidationError"


def test_a_change_set_fails_by_its_transform(aws: Aws) -> None:
    loop = {"Fn::ForEach::A": ["X", ["1", "2"], {"B": parameter()}]}
    answer = aws.cloudformation.create_change_set(
        StackName="untransformed",
        ChangeSetName="plan",
        ChangeSetType="CREATE",
        TemplateBody=json.dumps({**EXTENDED, "Resources": loop}),
    )

    described = aws.cloudformation.describe_change_set(ChangeSetName=answer["Id"])

    assert (described["Status"], described["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert described["Changes"] == []
    assert described["StatusReason"] == (
        "Transform AWS::LanguageExtensions failed with: Template error: Fn::ForEach::A makes "
        "B a second time"
    )
    aws.cloudformation.delete_change_set(ChangeSetName=answer["Id"])
