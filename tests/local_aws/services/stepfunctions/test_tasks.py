"""Task states with jobs: what they wait for, how they fail, what they stop."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from local_aws.services.stepfunctions.engine import waiting
from sagemaker_serving.local_sagemaker.states_task import MANAGED
from tests.local_aws.aws import Aws, children, eventually
from tests.local_aws.services.stepfunctions.machines import (
    output,
    result,
    run,
    start,
    task,
)


@pytest.fixture(scope="module", autouse=True)
def inputs(aws: Aws) -> None:
    aws.model("echo")
    aws.model("slow", {"SLEEP": "60"})
    aws.s3.put_object(Bucket="models", Key="good/1", Body=b"ab")
    aws.s3.put_object(Bucket="models", Key="bad/1", Body=b"refuse")


def transform(source: str, model: str = "echo", **more: Any) -> dict[str, Any]:
    parameters = {
        "TransformJobName.$": "$$.Execution.Name",
        "ModelName": model,
        "TransformInput": {
            "DataSource": {
                "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://models/{source}/"}
            }
        },
        "TransformOutput": {"S3OutputPath": "s3://models/out"},
        "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
    }
    return task("sagemaker:createTransformJob.sync", parameters, **more)


def job(aws: Aws, name: str) -> Any:
    return aws.sagemaker.describe_transform_job(TransformJobName=name)


def test_a_sync_task_waits_for_its_job(aws: Aws) -> None:
    ended = run(aws, {"Transform": transform("good")}, name="completes")
    assert ended["status"] == "SUCCEEDED"
    output = json.loads(ended["output"])
    assert output["TransformJobName"] == "completes"
    assert output["TransformJobStatus"] == "Completed"
    assert output["CreationTime"] == round(job(aws, "completes")["CreationTime"].timestamp() * 1000)
    assert aws.s3.get_object(Bucket="models", Key="out/1.out")["Body"].read() == b"ba"


def test_a_job_that_is_waited_for_is_tagged_and_no_other(aws: Aws) -> None:
    own = {"Key": "team", "Value": "search"}
    run(aws, {"Transform": transform("good")}, name="waited-for")
    given = transform("good")
    given["Parameters"] |= {"Tags": [own]}
    run(aws, {"Transform": given}, name="both")
    given["Resource"] = given["Resource"].removesuffix(".sync")
    run(aws, {"Transform": given}, name="left-alone")
    assert tags(aws, "waited-for") == [MANAGED]
    assert tags(aws, "both") == [own, MANAGED]
    assert tags(aws, "left-alone") == [own]


def tags(aws: Aws, name: str) -> Any:
    return aws.sagemaker.list_tags(ResourceArn=job(aws, name)["TransformJobArn"])["Tags"]


def test_a_throttled_look_at_a_job_is_not_its_end(aws: Aws) -> None:
    aws.gateway.context.faults.put(
        Fault(id="look", kind=Kind.THROTTLING, operation="DescribeTransformJob", first=1)
    )
    try:
        ended = output(aws, {"Job": transform("good")})
    finally:
        aws.gateway.context.faults.clear()
    assert ended["TransformJobStatus"] == "Completed"


def test_a_jobs_end_is_noticed_without_looking(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_SECONDS", 600.0)
    ended = output(aws, {"Job": transform("good", TimeoutSeconds=60)})
    assert ended["TransformJobStatus"] == "Completed"


def test_a_job_that_fails_fails_its_task_with_its_description(aws: Aws) -> None:
    ended = run(aws, {"Transform": transform("bad")}, name="fails")
    assert (ended["status"], ended["error"]) == ("FAILED", "States.TaskFailed")
    cause = json.loads(ended["cause"])
    assert cause["TransformJobStatus"] == "Failed"
    assert cause["FailureReason"] == "ClientError: See job logs for more information"


def test_a_refused_call_is_named_and_retried(aws: Aws) -> None:
    run(aws, {"Transform": transform("good")}, name="taken")
    retry = {
        "ErrorEquals": ["SageMaker.ResourceInUseException"],
        "IntervalSeconds": 1,
        "MaxAttempts": 1,
    }
    execution = start(aws, {"Transform": transform("good", Retry=[retry])}, name="taken")
    ended = result(aws, execution)
    assert ended["error"] == "SageMaker.ResourceInUseException"
    assert "a job with this name already exists" in ended["cause"]
    assert "(Service: AmazonSageMaker; Status Code: 400; Error Code: Resour" in ended["cause"]
    history = aws.client("stepfunctions").get_execution_history(executionArn=execution)
    assert [event["type"] for event in history["events"]].count("TaskScheduled") == 2


def test_stopping_an_execution_stops_its_job(aws: Aws) -> None:
    before = children()
    execution = start(aws, {"Transform": transform("good", model="slow")}, name="stopped")
    eventually(lambda: children() - before)
    assert execution in [found["arn"] for found in aws.status()["executions"]]
    aws.client("stepfunctions").stop_execution(executionArn=execution)
    eventually(lambda: job(aws, "stopped")["TransformJobStatus"] == "Stopped")
    assert result(aws, execution)["status"] == "ABORTED"
    eventually(lambda: children() <= before)


def test_a_state_that_times_out_stops_its_job(aws: Aws) -> None:
    states = {"Transform": transform("good", model="slow", TimeoutSeconds=5)}
    assert run(aws, states, name="timed-out")["error"] == "States.Timeout"
    eventually(lambda: job(aws, "timed-out")["TransformJobStatus"] == "Stopped")


def test_a_job_that_is_stopped_fails_its_task(aws: Aws) -> None:
    execution = start(aws, {"Transform": transform("good", model="slow")}, name="ended-early")

    def stop() -> bool:
        try:
            aws.sagemaker.stop_transform_job(TransformJobName="ended-early")
        except ClientError:
            return False
        return True

    eventually(stop)
    ended = result(aws, execution)
    assert ended["error"] == "States.TaskFailed"
    assert json.loads(ended["cause"])["TransformJobStatus"] == "Stopped"


def test_a_call_without_sync_does_not_wait(aws: Aws) -> None:
    parameters = transform("good", model="slow")["Parameters"]
    ended = run(
        aws, {"Start": task("sagemaker:createTransformJob", parameters)}, name="not-awaited"
    )
    assert json.loads(ended["output"]) == {
        "TransformJobArn": "arn:aws:sagemaker:eu-west-1:123456789012:transform-job/not-awaited"
    }
    aws.sagemaker.stop_transform_job(TransformJobName="not-awaited")
