"""A state machine with a Distributed Map over 200 items, deployed by the real CDK CLI."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.deploy.assemblies import Cdk
from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.cloudformation.templates import ref, resource, template
from tools.roles import VERSION, trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ITEMS = [{"key": f"image-{number:03}", "number": number} for number in range(200)]


def counting(*statements: dict[str, Any]) -> dict[str, Any]:
    """Reads its items from S3, and adds one to each item's number in a child execution."""
    add_one = {
        "Type": "Pass",
        "Parameters": {
            "key.$": "$.key",
            "next.$": "States.MathAdd($.number, 1)",
        },
        "End": True,
    }
    each = {
        "Type": "Map",
        "ItemReader": {
            "Resource": "arn:aws:states:::s3:getObject",
            "ReaderConfig": {"InputType": "JSON"},
            "Parameters": {"Bucket": "models", "Key": "items.json"},
        },
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
            "StartAt": "AddOne",
            "States": {"AddOne": add_one},
        },
        "MaxConcurrency": 20,
        "End": True,
    }
    return template(
        {"Machine": ref("Machine")},
        Role=resource(
            "IAM::Role",
            AssumeRolePolicyDocument=trust("states"),
            Policies=[
                {
                    "PolicyName": "own",
                    "PolicyDocument": {"Version": VERSION, "Statement": list(statements)},
                }
            ],
        ),
        Machine=resource(
            "StepFunctions::StateMachine",
            RoleArn={"Fn::GetAtt": ["Role", "Arn"]},
            DefinitionString=json.dumps({"StartAt": "Each", "States": {"Each": each}}),
        ),
    )


READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::models/*"}
START = {
    "Effect": "Allow",
    "Action": ["states:StartExecution", "states:DescribeExecution", "states:StopExecution"],
    "Resource": "*",
}


def test_200_items_run_as_200_child_executions(
    aws: Aws, tmp_path_factory: pytest.TempPathFactory
) -> None:
    aws.s3.put_object(Bucket="models", Key="items.json", Body=json.dumps(ITEMS).encode())
    ended = Cdk(aws.gateway, tmp_path_factory.mktemp("cdk")).deploy("Map", counting(READ, START))
    assert ended.status == 0, ended.printed
    machine = aws.client("cloudformation").describe_stacks(StackName="Map")["Stacks"][0]["Outputs"]
    states = aws.client("stepfunctions")

    started = states.start_execution(stateMachineArn=machine[0]["OutputValue"], input="{}")

    def look() -> Any:
        execution = states.describe_execution(executionArn=started["executionArn"])
        return None if execution["status"] == "RUNNING" else execution

    execution = eventually(look, seconds=120)
    assert execution["status"] == "SUCCEEDED", execution
    wanted = [{"key": item["key"], "next": number + 1} for number, item in enumerate(ITEMS)]
    assert json.loads(execution["output"]) == wanted
    (run,) = states.list_map_runs(executionArn=started["executionArn"])["mapRuns"]
    counts = states.describe_map_run(mapRunArn=run["mapRunArn"])["executionCounts"]
    assert (counts["total"], counts["succeeded"], counts["failed"]) == (200, 200, 0)
