"""Drift: what was changed or deleted behind a stack's back is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    endpoint,
    get_att,
    parameter,
    ref,
    resource,
    template,
)


def drifts(aws: Aws, stack: str) -> dict[str, dict[str, Any]]:
    """What a detection finds, by logical id."""
    detection = aws.cloudformation.detect_stack_drift(StackName=stack)["StackDriftDetectionId"]
    status = aws.cloudformation.describe_stack_drift_detection_status(
        StackDriftDetectionId=detection
    )
    assert status["DetectionStatus"] == "DETECTION_COMPLETE"
    found = aws.cloudformation.describe_stack_resource_drifts(StackName=stack)
    return {each["LogicalResourceId"]: each for each in found["StackResourceDrifts"]}


def test_what_nobody_touched_is_in_sync(aws: Aws) -> None:
    body = template(
        **endpoint()["Resources"],
        Topic=resource("SNS::Topic", DisplayName="d"),
        Queue=resource("SQS::Queue", VisibilityTimeout=40),
        Group=resource("Logs::LogGroup", RetentionInDays=7),
        Table=resource(
            "DynamoDB::Table",
            KeySchema=[{"AttributeName": "a", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "a", "AttributeType": "S"}],
            ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        ),
        Alarm=resource(
            "CloudWatch::Alarm",
            ComparisonOperator="GreaterThanThreshold",
            EvaluationPeriods=1,
            MetricName="m",
            Namespace="n",
            Period=60,
            Statistic="Sum",
            Threshold=1,
        ),
        Function=resource(
            "Lambda::Function",
            Handler="index.handler",
            Runtime="python3.11",
            Role=get_att("Lambda", "Arn"),
            Code={"ZipFile": "def handler(event, context): pass"},
            Environment={"Variables": {"NAME": "1"}},
        ),
        Lambda=resource(
            "IAM::Role",
            AssumeRolePolicyDocument=json.loads(json.dumps(TRUST).replace("sagemaker", "lambda")),
            Description="d",
        ),
    )
    aws.create("synced", body)
    failed = [
        each.get("ResourceStatusReason")
        for each in aws.events("synced")
        if each["ResourceStatus"].endswith("FAILED")
    ]
    assert failed == []

    found = drifts(aws, "synced")

    assert {
        name: each["StackResourceDriftStatus"] for name, each in found.items()
    } == dict.fromkeys(body["Resources"], "IN_SYNC")
    assert aws.stack("synced")["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"


def test_what_was_changed_is_told_with_both_values(aws: Aws) -> None:
    body = template(A=parameter("1"), B=parameter("2"), C=parameter(ref("A")))
    aws.create("drifted", body)
    ids = aws.physical_ids("drifted")
    ssm = aws.client("ssm")
    ssm.put_parameter(Name=ids["A"], Value="other", Overwrite=True)
    ssm.delete_parameter(Name=ids["B"])

    found = drifts(aws, "drifted")

    assert {name: each["StackResourceDriftStatus"] for name, each in found.items()} == {
        "A": "MODIFIED",
        "B": "DELETED",
        "C": "IN_SYNC",
    }
    assert found["A"]["PropertyDifferences"] == [
        {
            "PropertyPath": "/Value",
            "ExpectedValue": "1",
            "ActualValue": "other",
            "DifferenceType": "NOT_EQUAL",
        }
    ]
    assert json.loads(found["A"]["ActualProperties"])["Value"] == "other"
    stack = aws.stack("drifted")
    assert stack["DriftInformation"]["StackDriftStatus"] == "DRIFTED"
    changed = aws.cloudformation.describe_stack_resource_drifts(
        StackName="drifted", StackResourceDriftStatusFilters=["MODIFIED"]
    )["StackResourceDrifts"]
    assert [each["LogicalResourceId"] for each in changed] == ["A"]

    ssm.put_parameter(Name=ids["A"], Value="1", Overwrite=True)
    one = aws.cloudformation.detect_stack_resource_drift(
        StackName="drifted", LogicalResourceId="A"
    )["StackResourceDrift"]
    assert one["StackResourceDriftStatus"] == "IN_SYNC"


def test_what_cannot_be_read_back_is_not_checked(aws: Aws) -> None:
    aws.create("unread", template(A=resource("CloudFormation::WaitConditionHandle")))

    assert drifts(aws, "unread") == {}
    (shown,) = aws.cloudformation.describe_stack_resources(StackName="unread")["StackResources"]
    assert shown["DriftInformation"] == {"StackResourceDriftStatus": "NOT_CHECKED"}
    with pytest.raises(ClientError, match="not supported for AWS::CloudFormation::WaitCondition"):
        aws.cloudformation.detect_stack_resource_drift(StackName="unread", LogicalResourceId="A")


def test_a_change_set_plans_against_what_is_there_and_brings_it_back(aws: Aws) -> None:
    body = template(
        Fine=parameter("1"),
        Changed=parameter("1", Name="/drift/changed", Description="of the template"),
        Gone=parameter("1", Name="/drift/gone"),
    )
    aws.create("reverted", body)
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/drift/changed", Value="2", Description="other", Overwrite=True)
    ssm.delete_parameter(Name="/drift/gone")
    client, plan = aws.cloudformation, {"StackName": "reverted", "ChangeSetName": "plan"}

    stack_id = aws.begin(
        "create_change_set", "reverted", body, ChangeSetName="plan", DeploymentMode="REVERT_DRIFT"
    )

    shown = client.describe_change_set(**plan)
    assert shown["DeploymentMode"] == "REVERT_DRIFT"
    changes = [each["ResourceChange"] for each in shown["Changes"]]
    assert {each["LogicalResourceId"]: each["Action"] for each in changes} == {
        "Changed": "Modify",
        "Gone": "Add",
    }
    client.execute_change_set(**plan)
    assert aws.done(stack_id)["StackStatus"] == "UPDATE_COMPLETE"
    values = ssm.get_parameters(Names=["/drift/changed", "/drift/gone"])["Parameters"]
    assert [each["Value"] for each in values] == ["1", "1"]
    assert all(
        each["StackResourceDriftStatus"] == "IN_SYNC" for each in drifts(aws, "reverted").values()
    )
    aws.delete("reverted")
