"""What the role of a state machine must have before Step Functions takes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal
from tests.local_aws.services.stepfunctions.machines import create, of


def to_group(name: str) -> dict[str, Any]:
    group = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}:*"
    return {
        "level": "ALL",
        "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": group}}],
    }


RULE = f"arn:aws:events:{REGION}:{ACCOUNT}:rule/StepFunctionsGetEventsForSageMakerTransformJobsRule"
EVENTS = ["events:PutTargets", "events:PutRule", "events:DescribeRule"]
LOGS = [
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
]
JOB = {
    "TransformJobName": "job",
    "ModelName": "model",
    "TransformInput": {
        "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/in/"}}
    },
    "TransformOutput": {"S3OutputPath": "s3://models/out/"},
    "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
}
WAITS = {"Type": "Task", "Resource": "arn:aws:states:::sagemaker:createTransformJob.sync"}
ASKS = {"Type": "Task", "Resource": "arn:aws:states:::sagemaker:createTransformJob"}


def create_as(aws: Aws, role: str, state: dict[str, Any], **more: Any) -> Any:
    within = {"StartAt": "Job", "States": {"Job": {**state, "Parameters": JOB, "End": True}}}
    branches = {"Type": "Parallel", "Branches": [within], "End": True}
    return create(aws, of({"All": branches}), roleArn=role, **more)


@pytest.mark.parametrize("missing", EVENTS)
def test_waiting_for_a_job_needs_the_managed_rule(aws: Aws, missing: str) -> None:
    actions = [action for action in EVENTS if action != missing]
    role = Caller(aws, allow(actions, RULE), service="states").arn
    assert refusal(create_as, aws=aws, role=role, state=WAITS)[1:] == (
        "AccessDeniedException",
        f"'{role}' is not authorized to create managed-rule.",
    )
    create_as(aws, role, ASKS)


def test_a_role_with_the_rule_is_taken(aws: Aws) -> None:
    create_as(aws, Caller(aws, allow(EVENTS, RULE), service="states").arn, WAITS)


@pytest.mark.parametrize("missing", LOGS)
def test_a_log_needs_its_delivery(aws: Aws, missing: str) -> None:
    actions = [action for action in LOGS if action != missing]
    role = Caller(aws, allow(actions), service="states").arn
    refused = refusal(
        create_as, aws=aws, role=role, state=ASKS, loggingConfiguration=to_group("/machine")
    )
    assert refused[1:] == (
        "AccessDeniedException",
        "The state machine IAM Role is not authorized to access the Log Destination",
    )
    create_as(aws, role, ASKS, loggingConfiguration={"level": "OFF"})
