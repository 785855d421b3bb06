"""Each end of a batch is told once: by the machine itself, or by a rule where it could not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sagemaker_serving.infra.batch.definition import METRICS
from tests.deploy.conftest import Project
from tests.local_aws.aws import eventually

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

ENVIRONMENT = """\
name: trial
region: eu-west-1
monitoring: {}
models:
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    batch_transform: {instance_type: ml.m5.large, content_type: application/json}
"""


@pytest.fixture(scope="module")
def queue(project: Project) -> str:
    """What the topic of the batches tells, which is under SNS's own key."""
    url: str = project.aws.client("sqs").create_queue(QueueName="told")["QueueUrl"]
    topics = project.aws.client("sns").list_topics()["Topics"]
    (topic,) = (each for each in topics if "Batch" in each["TopicArn"])
    project.aws.client("sns").subscribe(
        TopicArn=topic["TopicArn"],
        Protocol="sqs",
        Endpoint=project.aws.client("sqs").get_queue_attributes(
            QueueUrl=url, AttributeNames=["QueueArn"]
        )["Attributes"]["QueueArn"],
        Attributes={"RawMessageDelivery": "true"},
    )
    return url


def messages(project: Project, queue: str) -> list[str]:
    """What was told since the last look, once there is any."""
    sqs = project.aws.client("sqs")

    def look() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = sqs.receive_message(
            QueueUrl=queue, MaxNumberOfMessages=10
        ).get("Messages", [])
        for each in found:
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=each["ReceiptHandle"])
        return found

    return [each["Body"] for each in eventually(look)]


def machine_of(project: Project) -> str:
    listed = project.aws.client("stepfunctions").list_state_machines()["stateMachines"]
    (arn,) = (each["stateMachineArn"] for each in listed if "BatchTransform" in each["name"])
    return str(arn)


def ended(project: Project, execution: str) -> str:
    def look() -> Any:
        said = project.aws.client("stepfunctions").describe_execution(executionArn=execution)
        return None if said["status"] == "RUNNING" else said["status"]

    return str(eventually(look))


@pytest.fixture
def changed(project: Project) -> Iterator[Callable[[Callable[[Any], None]], str]]:
    """Starts the deployed machine with a change of its definition, and puts it back."""
    states, machine = project.aws.client("stepfunctions"), machine_of(project)
    text = states.describe_state_machine(stateMachineArn=machine)["definition"]

    def start(change: Callable[[Any], None], **given: Any) -> str:
        definition = json.loads(text)
        change(definition)
        states.update_state_machine(stateMachineArn=machine, definition=json.dumps(definition))
        return str(states.start_execution(stateMachineArn=machine, **given)["executionArn"])

    yield start
    states.update_state_machine(stateMachineArn=machine, definition=text)


@contextmanager
def denied(project: Project, *parts: str) -> Iterator[None]:
    """The roles whose names have one of these parts may not publish."""
    iam = project.aws.client("iam")
    names = [each["RoleName"] for each in iam.list_roles()["Roles"]]
    roles = [name for name in names if any(part in name for part in parts)]
    assert len(roles) == len(parts), roles
    deny = {"Effect": "Deny", "Action": "sns:Publish", "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [deny]})
    for role in roles:
        iam.put_role_policy(RoleName=role, PolicyName="deny", PolicyDocument=document)
    try:
        yield
    finally:
        for role in roles:
            iam.delete_role_policy(RoleName=role, PolicyName="deny")


def hold(definition: Any) -> None:
    definition["StartAt"] = "First"
    definition["States"]["First"] = {"Type": "Wait", "Seconds": 600, "Next": "Plan"}


def run_out_of_time(definition: Any) -> None:
    hold(definition)
    definition["TimeoutSeconds"] = 1


def break_uncaught(definition: Any) -> None:
    broken = {"Type": "Pass", "QueryLanguage": "JSONPath", "InputPath": "$.no", "End": True}
    definition.clear()
    definition.update({"StartAt": "First", "States": {"First": broken}})


def break_a_choice(definition: Any) -> None:
    definition["StartAt"] = "IsPlanned"  # without what the plan says


def break_a_task(definition: Any) -> None:
    definition["States"]["Plan"]["Arguments"] = "{% $states.input.no %}"


def begin_with_the_telling(definition: Any) -> None:
    definition["StartAt"] = "Publish"
    for branch in definition["States"]["Publish"]["Branches"]:
        for state in branch["States"].values():
            for retry in state.get("Retry", ()):
                retry["MaxAttempts"] = 0


def of_a_whole_batch() -> str:
    """What the report hands to the telling, where all has its answer."""
    counts = dict.fromkeys(METRICS.values(), 1)
    said = {"status": "COMPLETE", "counts": counts, "report": "s3://b/r", "summary": "all is done"}
    return json.dumps(said)


def test_an_error_of_step_functions_own_that_is_caught_is_told_by_the_machine_alone(
    project: Project, queue: str, changed: Any
) -> None:
    execution = changed(break_a_task)
    assert ended(project, execution) == "FAILED"
    said = project.aws.client("stepfunctions").describe_execution(executionArn=execution)
    assert said["error"] == "QueryEvaluationError"
    (message,) = messages(project, queue)
    assert "could not tell" not in message
    assert "returned nothing" in message


@pytest.mark.parametrize(
    ("status", "change"),
    [
        ("ABORTED", hold),
        ("TIMED_OUT", run_out_of_time),
        ("FAILED", break_uncaught),
        ("FAILED", break_a_choice),
    ],
)
def test_an_end_that_the_machine_does_not_see_is_told_once(
    project: Project, queue: str, changed: Any, status: str, change: Any
) -> None:
    """The deployed machine, held at its beginning, or broken where nothing catches it."""
    execution = changed(change)
    if status == "ABORTED":
        project.aws.client("stepfunctions").stop_execution(executionArn=execution)
    assert ended(project, execution) == status
    (message,) = messages(project, queue)
    assert message.startswith(f"Batch transform: {status}: {execution} could not tell")


@pytest.mark.denied("sns:Publish")
def test_a_message_that_the_machine_may_not_send_is_sent_by_the_rule(
    project: Project, queue: str, changed: Any
) -> None:
    with denied(project, "BatchTransformRole"):
        execution = changed(begin_with_the_telling, input=of_a_whole_batch())
        assert ended(project, execution) == "SUCCEEDED"
        (message,) = messages(project, queue)
    assert message.startswith(f"Batch transform: COMPLETE: {execution} could not tell")


@pytest.mark.denied("sns:Publish")
def test_an_end_that_nobody_can_tell_the_topic_of_sets_off_an_alarm(
    project: Project, changed: Any
) -> None:
    cloudwatch = project.aws.client("cloudwatch")

    def state() -> bool:
        (alarm,) = cloudwatch.describe_alarms(AlarmNamePrefix="trial-half-batch-untold")[
            "MetricAlarms"
        ]
        return bool(alarm["StateValue"] == "ALARM")

    assert not state()
    with denied(project, "BatchTransformRole", "BatchTransformNotificationRole"):
        execution = changed(begin_with_the_telling, input=of_a_whole_batch())
        assert ended(project, execution) == "SUCCEEDED"
        eventually(state)
