"""Each patch of the emulator: what a state machine sees of it, as on AWS."""

from __future__ import annotations

import json
import logging
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws import Aws, children, eventually

_numbers = count(1)
ROLE = "arn:aws:iam::123456789012:role/states"


@pytest.fixture(scope="module", autouse=True)
def inputs(aws: Aws) -> None:
    aws.model("echo")
    aws.model("slow", {"SLEEP": "60"})
    aws.s3.put_object(Bucket="models", Key="good/1", Body=b"ab")
    aws.s3.put_object(Bucket="models", Key="bad/1", Body=b"refuse")


def start(aws: Aws, states: dict[str, Any], **execution: Any) -> str:
    definition = {"StartAt": next(iter(states)), "States": states}
    states_client = aws.client("stepfunctions")
    machine = states_client.create_state_machine(
        name=f"machine-{next(_numbers)}", definition=json.dumps(definition), roleArn=ROLE
    )
    started = states_client.start_execution(stateMachineArn=machine["stateMachineArn"], **execution)
    arn: str = started["executionArn"]
    return arn


def result(aws: Aws, execution: str) -> Any:
    def look() -> Any:
        described = aws.client("stepfunctions").describe_execution(executionArn=execution)
        return described if described["status"] != "RUNNING" else None

    return eventually(look)


def run(aws: Aws, states: dict[str, Any], **execution: Any) -> Any:
    return result(aws, start(aws, states, **execution))


def task(resource: str, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "Type": "Task",
        "Resource": f"arn:aws:states:::{resource}",
        "Parameters": parameters,
        **({} if "Next" in more else {"End": True}),
        **more,
    }


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


# execute_state_machines


def test_state_machines_run(aws: Aws) -> None:
    states = {"Pass": {"Type": "Pass", "Result": {"did": "run"}, "End": True}}
    assert json.loads(run(aws, states)["output"]) == {"did": "run"}


def test_choices_intrinsics_and_maps_run(aws: Aws) -> None:
    square = {"Type": "Pass", "Parameters": {"twice.$": "States.MathAdd($, $)"}, "End": True}
    states = {
        "Big": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.n[0]", "NumericGreaterThan": 1, "Next": "Each"}],
            "Default": "Small",
        },
        "Small": {"Type": "Fail", "Error": "Small"},
        "Each": {
            "Type": "Map",
            "ItemsPath": "$.n",
            "ItemProcessor": {"StartAt": "Square", "States": {"Square": square}},
            "End": True,
        },
    }
    ended = run(aws, states, input=json.dumps({"n": [2, 3]}))
    assert json.loads(ended["output"]) == [{"twice": 4}, {"twice": 6}]
    assert run(aws, states, input=json.dumps({"n": [1]}))["error"] == "Small"


# name_executions


def test_an_execution_without_a_name_gets_one_of_its_own(aws: Aws) -> None:
    states = {"Name": {"Type": "Pass", "Parameters": {"is.$": "$$.Execution.Name"}, "End": True}}
    first, second = (json.loads(run(aws, states)["output"])["is"] for _ in range(2))
    assert len(first) == 36
    assert first != second


# wait_for_sagemaker_jobs


def test_a_sync_task_waits_for_its_job(aws: Aws) -> None:
    ended = run(aws, {"Transform": transform("good")}, name="completes")
    assert ended["status"] == "SUCCEEDED"
    output = json.loads(ended["output"])
    assert output["TransformJobName"] == "completes"
    assert output["TransformJobStatus"] == "Completed"
    assert output["CreationTime"] == round(job(aws, "completes")["CreationTime"].timestamp() * 1000)
    assert aws.s3.get_object(Bucket="models", Key="out/1.out")["Body"].read() == b"ba"


def test_a_job_that_fails_fails_its_task_with_its_description(aws: Aws) -> None:
    ended = run(aws, {"Transform": transform("bad")}, name="fails")
    assert (ended["status"], ended["error"]) == ("FAILED", "States.TaskFailed")
    cause = json.loads(ended["cause"])
    assert cause["TransformJobStatus"] == "Failed"
    assert "s3://models/bad/1: the model answered 400" in cause["FailureReason"]


def test_a_failed_job_is_caught(aws: Aws) -> None:
    catch = {"ErrorEquals": ["States.TaskFailed"], "ResultPath": "$.failed", "Next": "Report"}
    report = {
        "Type": "Pass",
        "Parameters": {"job.$": "States.StringToJson($.failed.Cause)"},
        "End": True,
    }
    ended = run(aws, {"Transform": transform("bad", Catch=[catch]), "Report": report})
    assert ended["status"] == "SUCCEEDED"
    assert json.loads(ended["output"])["job"]["TransformJobStatus"] == "Failed"


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


def test_an_error_that_the_api_does_not_declare_has_the_services_name(aws: Aws) -> None:
    ended = run(aws, {"Transform": transform("good", model="absent")}, name="modelless")
    assert ended["error"] == "SageMaker.AmazonSageMakerException"
    assert ended["cause"].startswith('Could not find model "arn:')


def test_stopping_an_execution_stops_its_job(aws: Aws) -> None:
    before = children()
    execution = start(aws, {"Transform": transform("good", model="slow")}, name="stopped")
    eventually(lambda: children() - before)
    assert execution in [found["arn"] for found in aws.status()["executions"]]
    aws.client("stepfunctions").stop_execution(executionArn=execution)
    eventually(lambda: job(aws, "stopped")["TransformJobStatus"] == "Stopped")
    assert result(aws, execution)["status"] == "ABORTED"
    assert children() == before


def test_a_state_that_times_out_stops_its_job(aws: Aws) -> None:
    states = {"Transform": transform("good", model="slow", TimeoutSeconds=1)}
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


def test_waiting_for_other_jobs_is_refused_when_the_machine_is_made(aws: Aws) -> None:
    states = {"Train": task("sagemaker:createTrainingJob.sync", {})}
    with pytest.raises(ClientError, match="the local AWS waits for transform jobs only"):
        start(aws, states)


# call_the_gateway


def test_tasks_of_a_map_call_the_gateway_at_once(aws: Aws) -> None:
    describe = task("aws-sdk:sagemaker:describeModel", {"ModelName": "echo"})
    states = {
        "Each": {
            "Type": "Map",
            "ItemsPath": "$",
            "MaxConcurrency": 20,
            "ItemProcessor": {"StartAt": "Describe", "States": {"Describe": describe}},
            "End": True,
        }
    }
    ended = run(aws, states, input=json.dumps(list(range(20))))
    assert ended["status"] == "SUCCEEDED", ended.get("cause")
    assert {found["ModelName"] for found in json.loads(ended["output"])} == {"echo"}


# ask_as_the_api_has_it


def test_a_json_body_is_written_as_json(aws: Aws) -> None:
    parameters = {"Bucket": "models", "Key": "report.json", "Body.$": "$"}
    states = {"Put": task("aws-sdk:s3:putObject", parameters)}
    assert run(aws, states, input='{"a": [1, 2]}')["status"] == "SUCCEEDED"
    written = aws.s3.get_object(Bucket="models", Key="report.json")["Body"].read()
    assert json.loads(written) == {"a": [1, 2]}


def test_members_are_capitalised_both_ways(aws: Aws) -> None:
    states = {"List": task("aws-sdk:sfn:listStateMachines", {"MaxResults": 1})}
    (machine,) = json.loads(run(aws, states)["output"])["StateMachines"]
    assert machine["StateMachineArn"].startswith("arn:aws:states:eu-west-1:")


# answer_in_json


def test_times_of_an_sdk_answer_are_iso_8601(aws: Aws) -> None:
    states = {"Describe": task("aws-sdk:sagemaker:describeModel", {"ModelName": "echo"})}
    output = json.loads(run(aws, states)["output"])
    created = aws.sagemaker.describe_model(ModelName="echo")["CreationTime"]
    assert output["CreationTime"] == created.strftime("%Y-%m-%dT%H:%M:%S.") + (
        f"{created.microsecond // 1000:03}Z"
    )
    assert output["PrimaryContainer"]["Environment"] == {}


def test_the_body_of_an_object_is_text(aws: Aws) -> None:
    states = {"Get": task("aws-sdk:s3:getObject", {"Bucket": "models", "Key": "good/1"})}
    assert json.loads(run(aws, states)["output"])["Body"] == "ab"


# name_sdk_errors


@pytest.mark.parametrize(
    ("resource", "parameters", "error"),
    [
        (
            "sagemaker:describeTransformJob",
            {"TransformJobName": "absent"},
            "SageMaker.ResourceNotFoundException",
        ),
        ("sagemaker:describeModel", {"ModelName": "absent"}, "SageMaker.SageMakerException"),
        ("s3:getObject", {"Bucket": "models", "Key": "absent"}, "S3.NoSuchKeyException"),
    ],
)
def test_errors_of_sdk_calls_have_their_names_of_aws(
    aws: Aws, resource: str, parameters: dict[str, str], error: str
) -> None:
    assert run(aws, {"Call": task(f"aws-sdk:{resource}", parameters)})["error"] == error


# be_quiet


def test_a_failing_state_does_not_log_its_definition(
    aws: Aws, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        run(aws, {"Describe": task("aws-sdk:sagemaker:describeModel", {"ModelName": "absent"})})
    assert [found for found in caplog.records if found.name.startswith("moto.")] == []


def test_a_retry_waits_and_tries_again(aws: Aws) -> None:
    retry = {"ErrorEquals": ["States.ALL"], "IntervalSeconds": 1, "MaxAttempts": 2}
    get = task("aws-sdk:s3:getObject", {"Bucket": "models", "Key": "later"}, Retry=[retry])
    execution = start(aws, {"Get": get})
    aws.s3.put_object(Bucket="models", Key="later", Body=b"now")
    assert json.loads(result(aws, execution)["output"])["Body"] == "now"
