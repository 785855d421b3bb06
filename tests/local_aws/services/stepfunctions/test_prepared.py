"""What the role and the log group of a state machine must have before Step Functions takes it.

Step Functions developer guide, "Avoiding Amazon CloudWatch Logs resource policy size restrictions";
the refusal is quoted in github.com/aws/aws-cdk/issues/28900.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal
from tests.local_aws.services.stepfunctions.machines import PASS, create, of

NAME = "AWSLogDeliveryWrite20150319"
FULL = (
    "InvalidLoggingConfiguration",
    "Invalid Logging Configuration: The CloudWatch Logs Resource Policy size was exceeded. We "
    "suggest prefixing your CloudWatch log group name with /aws/vendedlogs/states/.",
)
_numbers = count(1)


@pytest.fixture(autouse=True)
def policies(aws: Aws) -> Iterator[None]:
    yield
    logs = aws.client("logs")
    for name in kept(aws):
        logs.delete_resource_policy(policyName=name)


def kept(aws: Aws) -> dict[str, dict[str, Any]]:
    found = aws.client("logs").describe_resource_policies()["resourcePolicies"]
    return {each["policyName"]: json.loads(each["policyDocument"]) for each in found}


def listed(aws: Aws) -> list[str]:
    """How the ARNs end of the groups that the delivery may write into."""
    (statement,) = kept(aws)[NAME]["Statement"]
    assert statement["Principal"] == {"Service": ["delivery.logs.amazonaws.com"]}
    assert statement["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]
    start = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:"
    return [each.removeprefix(start) for each in statement["Resource"]]


def logging(aws: Aws, name: str) -> dict[str, Any]:
    aws.client("logs").create_log_group(logGroupName=name)
    return to_group(name)


def to_group(name: str) -> dict[str, Any]:
    group = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{name}:*"
    return {
        "level": "ALL",
        "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": group}}],
    }


def logged(aws: Aws, beginning: str) -> str:
    """A machine with a log group of its own; the group's name."""
    name = f"{beginning}{next(_numbers):03}{'x' * 80}"
    create(aws, PASS, loggingConfiguration=logging(aws, name))
    return name


def test_a_machines_group_is_let_in_once(aws: Aws) -> None:
    wanted = logging(aws, "once")
    for _ in range(2):
        create(aws, PASS, loggingConfiguration=wanted)
    assert listed(aws) == ["once:log-stream:*"]
    machine = create(aws, PASS)
    aws.client("stepfunctions").update_state_machine(
        stateMachineArn=machine, loggingConfiguration=logging(aws, "later")
    )
    assert listed(aws) == ["once:log-stream:*", "later:log-stream:*"]


def test_what_another_policy_lets_in_needs_none(aws: Aws) -> None:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "delivery.logs.amazonaws.com"},
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": "*",
    }
    document = json.dumps({"Version": "2012-10-17", "Statement": statement})
    aws.client("logs").put_resource_policy(policyName="mine", policyDocument=document)
    logged(aws, "/open/")
    assert list(kept(aws)) == ["mine"]


def test_many_groups_are_refused_and_vended_ones_never(aws: Aws) -> None:
    logged(aws, "/aws/vendedlogs/states/")
    assert refusal(lambda: [logged(aws, "/plain/") for _ in range(60)])[1:] == FULL
    logged(aws, "/aws/vendedlogs/states/")
    assert "/aws/vendedlogs/*" in listed(aws)
    (document,) = (json.dumps(each, separators=(",", ":")) for each in kept(aws).values())
    assert len(document) <= 5120


def test_an_eleventh_policy_is_refused(aws: Aws) -> None:
    document = json.dumps({"Version": "2012-10-17", "Statement": []})
    for number in range(10):
        aws.client("logs").put_resource_policy(policyName=f"p{number}", policyDocument=document)
    wanted = logging(aws, "/aws/vendedlogs/states/eleventh")
    assert refusal(lambda: create(aws, PASS, loggingConfiguration=wanted))[1:] == FULL


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
