"""Each end of a batch is told once: by the machine itself, or by a rule where it could not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sagemaker_serving.operations import BatchPipeline
from tests.deploy.conftest import Project
from tests.local_aws.aws import eventually

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

ENVIRONMENT = """\
name: trial
region: eu-west-1
models:
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    batch_transform: {instance_type: ml.m5.large, content_type: application/json}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    project = Project(tmp_path_factory.mktemp("project"))
    project.environment_file.write_text(ENVIRONMENT)
    with project.deployed():
        yield project


@pytest.fixture(scope="module")
def queue(project: Project) -> str:
    """What the topic of the batches tells, which is under SNS's own key."""
    url: str = project.aws.client("sqs").create_queue(QueueName="told")["QueueUrl"]
    (topic,) = project.aws.client("sns").list_topics()["Topics"]
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


def test_a_failure_is_told_once_by_the_machine(project: Project, queue: str) -> None:
    pipeline = BatchPipeline("trial", "half", project.aws)
    place = pipeline.upload([], "empty")
    execution = pipeline.start(place, "empty")

    assert ended(project, execution.arn) == "FAILED"

    (message,) = messages(project, queue)
    assert "before it could report" not in message


@pytest.mark.parametrize(
    ("status", "first"),
    [
        ("ABORTED", {"Type": "Wait", "Seconds": 600, "Next": "Plan"}),
        ("TIMED_OUT", {"Type": "Wait", "Seconds": 600, "Next": "Plan"}),
        ("FAILED", {"Type": "Pass", "QueryLanguage": "JSONPath", "InputPath": "$.no", "End": True}),
    ],
)
def test_an_end_that_the_machine_does_not_see_is_told_once(
    project: Project, queue: str, status: str, first: dict[str, Any]
) -> None:
    """The deployed machine, held at its beginning; for FAILED it breaks as nothing catches."""
    states, machine = project.aws.client("stepfunctions"), machine_of(project)
    text = states.describe_state_machine(stateMachineArn=machine)["definition"]
    definition = json.loads(text)
    definition["StartAt"], definition["States"]["First"] = "First", first
    definition["TimeoutSeconds"] = 1 if status == "TIMED_OUT" else 600
    if "End" in first:
        definition = {"StartAt": "First", "States": {"First": first}}
    states.update_state_machine(stateMachineArn=machine, definition=json.dumps(definition))
    try:
        execution = states.start_execution(stateMachineArn=machine)["executionArn"]
        if status == "ABORTED":
            states.stop_execution(executionArn=execution)
        assert ended(project, execution) == status
    finally:
        states.update_state_machine(stateMachineArn=machine, definition=text)

    (message,) = messages(project, queue)
    assert message.startswith(f"Batch transform: {status}: {execution} ended before")
