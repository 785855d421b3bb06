"""Versions and aliases of state machines as CloudFormation deploys them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.stepfunctions.machines import ROLE, begin, result

STACK = "released"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=600)


def template(comment: str, **alias: Any) -> str:
    """A machine, the version of it that is current, and an alias."""
    definition = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Result": comment, "End": True}}}
    return json.dumps(
        {
            "Resources": {
                "Machine": {
                    "Type": "AWS::StepFunctions::StateMachine",
                    "Properties": {"RoleArn": ROLE, "Definition": definition},
                },
                "Version": {
                    "Type": "AWS::StepFunctions::StateMachineVersion",
                    "DeletionPolicy": "Retain",
                    "UpdateReplacePolicy": "Retain",
                    "Properties": {
                        "StateMachineArn": {"Ref": "Machine"},
                        "StateMachineRevisionId": {
                            "Fn::GetAtt": ["Machine", "StateMachineRevisionId"]
                        },
                    },
                },
                "Alias": {
                    "Type": "AWS::StepFunctions::StateMachineAlias",
                    "Properties": {"Name": "live", **alias},
                },
            },
            "Outputs": {
                "Machine": {"Value": {"Ref": "Machine"}},
                "Version": {"Value": {"Fn::GetAtt": ["Version", "Arn"]}},
                "Alias": {"Value": {"Ref": "Alias"}},
            },
        }
    )


def routed(comment: str) -> str:
    route = {"StateMachineVersionArn": {"Ref": "Version"}, "Weight": 100}
    return template(comment, RoutingConfiguration=[route])


def shifted(comment: str, **preference: Any) -> str:
    wanted = {"StateMachineVersionArn": {"Ref": "Version"}, **preference}
    return template(comment, DeploymentPreference=wanted)


def deploy(aws: Aws, text: str, *, update: bool = False) -> tuple[str, dict[str, str]]:
    """The status that a stack comes to, and its outputs."""
    client = aws.client("cloudformation")
    change = client.update_stack if update else client.create_stack
    change(StackName=STACK, TemplateBody=text)

    def look() -> Any:
        (stack,) = client.describe_stacks(StackName=STACK)["Stacks"]
        return None if stack["StackStatus"].endswith("_IN_PROGRESS") else stack

    stack = eventually(look)
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", ())}
    return stack["StackStatus"], outputs


@pytest.fixture(autouse=True)
def gone(aws: Aws) -> Iterator[None]:
    yield
    client = aws.client("cloudformation")
    client.delete_stack(StackName=STACK)
    eventually(
        lambda: (
            STACK
            not in [
                each["StackName"]
                for each in client.list_stacks()["StackSummaries"]
                if each["StackStatus"] != "DELETE_COMPLETE"
            ]
        )
    )


def routes(aws: Aws, alias: str) -> dict[str, int]:
    said = aws.client("stepfunctions").describe_state_machine_alias(stateMachineAliasArn=alias)
    return {
        each["stateMachineVersionArn"].rpartition(":")[2]: each["weight"]
        for each in said["routingConfiguration"]
    }


def test_an_alias_leads_to_the_version_of_each_revision(aws: Aws) -> None:
    status, outputs = deploy(aws, routed("one"))
    assert status == "CREATE_COMPLETE"
    assert outputs["Version"] == f"{outputs['Machine']}:1"
    assert outputs["Alias"] == f"{outputs['Machine']}:live"
    status, outputs = deploy(aws, routed("two"), update=True)
    assert (status, outputs["Version"]) == ("UPDATE_COMPLETE", f"{outputs['Machine']}:2")
    assert result(aws, begin(aws, outputs["Alias"]))["output"] == '"two"'
    assert result(aws, begin(aws, f"{outputs['Machine']}:1"))["output"] == '"one"'


@pytest.mark.parametrize(
    "preference",
    [
        {"Type": "ALL_AT_ONCE"},
        {"Type": "CANARY", "Percentage": 10, "Interval": 1},
        {"Type": "LINEAR", "Percentage": 40, "Interval": 1},
    ],
)
def test_a_deployment_ends_with_all_of_the_new_version(
    aws: Aws, preference: dict[str, Any]
) -> None:
    deploy(aws, shifted("one", **preference))
    status, outputs = deploy(aws, shifted("two", **preference), update=True)
    assert status == "UPDATE_COMPLETE"
    assert routes(aws, outputs["Alias"]) == {"2": 100}


def test_an_alarm_stops_a_deployment_and_the_old_version_stays(aws: Aws) -> None:
    aws.client("cloudwatch").put_metric_alarm(
        AlarmName="broken",
        Namespace="Test",
        MetricName="Broken",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="ignore",
    )
    aws.client("cloudwatch").set_alarm_state(
        AlarmName="broken", StateValue="ALARM", StateReason="for this test"
    )
    wanted = {"Type": "CANARY", "Percentage": 10, "Interval": 2100, "Alarms": ["broken", "none"]}
    deploy(aws, shifted("one", **wanted))
    status, outputs = deploy(aws, shifted("two", **wanted), update=True)
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert routes(aws, outputs["Alias"]) == {"1": 100}


def test_an_alias_has_routes_or_a_preference(aws: Aws) -> None:
    both = json.loads(routed("one"))
    both["Resources"]["Alias"]["Properties"]["DeploymentPreference"] = {
        "StateMachineVersionArn": {"Ref": "Version"},
        "Type": "ALL_AT_ONCE",
    }
    client = aws.client("cloudformation")
    with pytest.raises(client.exceptions.ClientError, match="exclude each other; give one"):
        client.create_stack(StackName=STACK, TemplateBody=json.dumps(both))
