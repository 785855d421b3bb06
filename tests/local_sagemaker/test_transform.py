"""Transform jobs: what they are given, how they ask, fail, stop and are listed."""

from __future__ import annotations

import json
import re
import threading

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import REGION, Aws, children, eventually, service_in
from tests.local_sagemaker.transforming import SEE_LOGS, data_log, ended, job, outputs, put


@pytest.fixture(scope="module", autouse=True)
def models(aws: Aws) -> None:
    aws.model("echo")
    aws.model("very-slow", {"SLEEP": "60"})
    aws.model("broken", {"EXIT_AT_START": "1"})
    put(
        aws,
        {
            "in/": b"",
            "in/a.csv": b"1,2\n3,4\n",
            "in/deeper/b.csv": b"5\n",
            "mixed/1": b"ab",
            "mixed/2": b"please refuse",
            "mixed/3": b"cd",
            "mixed/4": b"refuse this too",
            "crash/1": b"fail",
            "binary/image.png": bytes(range(256)),
        },
    )


def test_requests_run_at_once_up_to_the_concurrency(aws: Aws) -> None:
    put(aws, {f"parallel/{number}": b"meet" for number in range(6)})
    for concurrency in (1, 3):
        model = aws.model(f"together-{concurrency}", {"TOGETHER": str(concurrency)})
        name = job(aws, "parallel/", ModelName=model, MaxConcurrentTransforms=concurrency)
        assert ended(aws, name)["TransformJobStatus"] == "Completed"
        assert max(outputs(aws, name).values()) == str(concurrency).encode()


def test_a_bad_object_fails_the_job_but_not_the_others(aws: Aws) -> None:
    name = job(aws, "mixed/")
    failed = ended(aws, name)
    assert failed["TransformJobStatus"] == "Failed"
    assert failed["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"ba", "3.out": b"dc"}
    assert data_log(aws, name) == [
        "MaxConcurrentTransforms=1, MaxPayloadInMB=6, BatchStrategy=MULTI_RECORD",
        "models/mixed/2: ClientError: 400",
        "models/mixed/2: ",
        "models/mixed/2: Message:",
        'models/mixed/2: {"error": "not a number"}',
        "models/mixed/4: ClientError: 400",
        "models/mixed/4: ",
        "models/mixed/4: Message:",
        'models/mixed/4: {"error": "not a number"}',
    ]


def test_the_data_log_is_a_stream_beside_the_containers(aws: Aws) -> None:
    name = job(aws, "mixed/2", MaxConcurrentTransforms=2, MaxPayloadInMB=1)
    ended(aws, name)
    service_in(aws.gateway, SageMaker).flush()
    logs = aws.client("logs")
    group = {"logGroupName": "/aws/sagemaker/TransformJobs"}
    streams = logs.describe_log_streams(**group, logStreamNamePrefix=f"{name}/")["logStreams"]
    container, data = sorted(stream["logStreamName"] for stream in streams)
    assert re.fullmatch(rf"{name}/i-[0-9a-f]{{17}}-\d+", container)
    assert data == f"{container}/data-log"
    events = logs.get_log_events(**group, logStreamName=data)["events"]
    assert events[0]["message"].endswith(
        "[sagemaker logs]: MaxConcurrentTransforms=2, MaxPayloadInMB=1, BatchStrategy=MULTI_RECORD"
    )
    assert events[1]["message"].endswith("[sagemaker logs]: models/mixed/2: ClientError: 400")


def test_a_server_error_is_an_algorithm_error_after_the_retries(aws: Aws) -> None:
    name = job(aws, "crash/", ModelClientConfig={"InvocationsMaxRetries": 1})
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert data_log(aws, name)[1:] == [
        "models/crash/1: Bad HTTP status received from algorithm: 500",
        "models/crash/1: ",
        "models/crash/1: Message:",
        "models/crash/1: broken",
    ]


@pytest.mark.parametrize("retries", [0, 2])
def test_a_server_error_is_asked_again_as_often_as_the_job_says(aws: Aws, retries: int) -> None:
    put(aws, {"counted/1": b"count and fail", "counted/2": b"count and refuse"})
    model = aws.model(f"counting-{retries}")
    name = job(
        aws, "counted/", ModelName=model, ModelClientConfig={"InvocationsMaxRetries": retries}
    )
    ended(aws, name)
    log = aws.gateway.context.state_dir / "logs" / "transform" / REGION / f"{name}.log"
    asked = [line for line in log.read_text().splitlines() if line.startswith("counted: ")]
    assert asked == ["counted: count and fail"] * (1 + retries) + ["counted: count and refuse"]


def test_a_container_that_ends_fails_the_rest_of_the_objects(aws: Aws) -> None:
    put(aws, {"deadly/1": b"ab", "deadly/2": b"die", "deadly/3": b"cd"})
    name = job(aws, "deadly/")
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert outputs(aws, name) == {"1.out": b"ba"}
    said = data_log(aws, name)
    for number in (2, 3):
        assert f"models/deadly/{number}: Unable to get response from algorithm" in said


def test_a_model_that_is_too_slow_is_an_algorithm_error(aws: Aws) -> None:
    name = job(
        aws,
        "binary/",
        ModelName="very-slow",
        ModelClientConfig={"InvocationsMaxRetries": 0, "InvocationsTimeoutInSeconds": 1},
    )
    assert ended(aws, name)["FailureReason"] == f"AlgorithmError: {SEE_LOGS}"
    assert data_log(aws, name)[1:] == [
        "models/binary/image.png: Unable to get response from algorithm",
        "models/binary/image.png: [local AWS: no answer within 1 s]",
    ]


def test_a_model_that_does_not_start_fails_the_job_with_its_log(aws: Aws) -> None:
    before = children()
    reason = ended(aws, job(aws, "in/", ModelName="broken"))["FailureReason"]
    assert "did not pass the ping health check" in reason
    assert reason.endswith("the model is broken")
    eventually(lambda: children() <= before)


def test_the_container_knows_that_it_is_a_batch(aws: Aws) -> None:
    put(aws, {"environment/it": b"environment"})
    name = job(
        aws,
        "environment/",
        ModelName=aws.model("with-environment", {"A": "model", "B": "model"}),
        Environment={"B": "job", "C": "job"},
        MaxPayloadInMB=2,
        MaxConcurrentTransforms=3,
        BatchStrategy="SingleRecord",
    )
    ended(aws, name)
    environment = json.loads(outputs(aws, name)["it.out"])
    assert {key: environment[key] for key in "ABC"} == {"A": "model", "B": "job", "C": "job"}
    assert environment["SAGEMAKER_BATCH"] == "true"
    assert environment["SAGEMAKER_MAX_PAYLOAD_IN_MB"] == "2"
    assert environment["SAGEMAKER_MAX_CONCURRENT_TRANSFORMS"] == "3"
    assert environment["SAGEMAKER_BATCH_STRATEGY"] == "SINGLE_RECORD"


def test_the_container_is_told_only_what_the_job_was_given(aws: Aws) -> None:
    put(aws, {"environment/it": b"environment"})
    name = job(aws, "environment/", MaxConcurrentTransforms=0)
    ended(aws, name)
    environment = json.loads(outputs(aws, name)["it.out"])
    assert [key for key in environment if key.startswith("SAGEMAKER_")] == ["SAGEMAKER_BATCH"]


def test_a_job_is_stopped_in_the_middle(aws: Aws) -> None:
    before = children()
    name = job(aws, "in/", ModelName="very-slow")
    eventually(lambda: children() - before)
    aws.sagemaker.stop_transform_job(TransformJobName=name)
    assert ended(aws, name)["TransformJobStatus"] == "Stopped"
    eventually(lambda: children() <= before)
    with pytest.raises(ClientError, match="because the transform job is in status Stopped"):
        aws.sagemaker.stop_transform_job(TransformJobName=name)


def test_no_process_is_left_when_a_job_has_ended(aws: Aws) -> None:
    before = children()
    ended(aws, job(aws, "in/"))
    eventually(lambda: children() <= before)
    assert list(aws.gateway.context.state_dir.glob("transform/*/*")) == []


def test_a_name_is_used_once(aws: Aws) -> None:
    name = job(aws, "in/")
    with pytest.raises(ClientError) as refused:
        job(aws, "in/", TransformJobName=name)
    assert refused.value.response["Error"] == {
        "Code": "ResourceInUse",
        "Message": "Job name must be unique within an AWS account and region, and a job with this "
        f"name already exists (arn:aws:sagemaker:eu-west-1:123456789012:transform-job/{name})",
    }
    ended(aws, name)


def test_a_job_needs_its_model(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r'Could not find model "arn:.*:model/absent"'):
        job(aws, "in/", ModelName="absent")


def test_an_unknown_job_is_not_found(aws: Aws) -> None:
    with pytest.raises(aws.sagemaker.exceptions.ResourceNotFound, match="Requested resource not"):
        aws.sagemaker.describe_transform_job(TransformJobName="absent")


def test_jobs_are_listed_by_status(aws: Aws) -> None:
    name = job(aws, "mixed/")
    ended(aws, name)
    listed = aws.sagemaker.list_transform_jobs(StatusEquals="Failed", NameContains=name)
    (summary,) = listed["TransformJobSummaries"]
    assert summary["TransformJobStatus"] == "Failed"
    assert summary["FailureReason"] == f"ClientError: {SEE_LOGS}"
    assert {found["name"]: found["status"] for found in aws.status()["transform_jobs"]}[
        name
    ] == "Failed"


def test_two_jobs_at_once_keep_to_themselves(aws: Aws) -> None:
    names: list[str] = []
    threads = [threading.Thread(target=lambda: names.append(job(aws, "in/"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        assert ended(aws, name)["TransformJobStatus"] == "Completed"
        assert len(outputs(aws, name)) == 2
