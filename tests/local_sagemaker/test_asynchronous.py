"""InvokeEndpointAsync: what is written where, who is told, and what waits."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.async_inference.request import AsyncRequest
from sagemaker_serving.local_sagemaker.async_inference.service import AsyncQueue
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import REGION, Aws, children, eventually, variant
from tests.local_sagemaker.numbers import figures


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)  # the shortest RequestTTLSeconds is a second


@pytest.fixture(scope="module")
def messages(aws: Aws) -> Any:
    """Topics "done" and "failed", and a queue that hears of both."""
    sns, sqs = aws.client("sns"), aws.client("sqs")
    url = sqs.create_queue(QueueName="told")["QueueUrl"]
    for name in ("done", "failed"):
        arn = sns.create_topic(Name=name)["TopicArn"]
        sns.subscribe(
            TopicArn=arn, Protocol="sqs", Endpoint=f"arn:aws:sqs:{REGION}:123456789012:told"
        )

    def next_message() -> Any:
        def look() -> Any:
            return sqs.receive_message(QueueUrl=url).get("Messages")

        (message,) = eventually(look)
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return json.loads(json.loads(message["Body"])["Message"])

    return next_message


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws, messages: Any) -> Iterator[None]:
    """Endpoint "a", one request at a time, that tells both topics."""
    asynchronous(aws, "a", aws.model("a"))
    aws.s3.put_object(Bucket="models", Key="in.csv", Body=b"abc")
    yield
    aws.delete("a")


def test_a_queue_tells_its_backlog_while_it_asks_for_room() -> None:
    done: SimpleQueue[AsyncRequest] = SimpleQueue()

    def work(request: AsyncRequest) -> bool:
        done.put(request)
        return True

    made = threading.Event()

    def room() -> int:
        made.wait()
        told = threading.Thread(target=queue.backlog, daemon=True)
        told.start()
        told.join(timeout=120)
        return 0 if told.is_alive() else 1

    place = S3Location.parse("s3://models/in.csv")
    request = AsyncRequest(
        endpoint="a",
        inference_id="1",
        headers={},
        input=place,
        body=b"",
        output=place,
        failure=None,
        ttl_seconds=60,
        timeout_seconds=60,
        received_at=time.time(),
    )
    queue = AsyncQueue(room=room, work=work, is_expired=lambda _: False)
    made.set()
    queue.put(request)
    assert done.get(timeout=120) is request
    queue.close()


def asynchronous(aws: Aws, name: str, model: str, **output: Any) -> None:
    topics = {
        f"{kind}Topic": f"arn:aws:sns:{REGION}:123456789012:{topic}"
        for kind, topic in (("Success", "done"), ("Error", "failed"))
    }
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[variant("v", model)],
        AsyncInferenceConfig={
            "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 1},
            "OutputConfig": {
                "S3OutputPath": "s3://models/out/",
                "S3FailurePath": "s3://models/failed",
                "NotificationConfig": {
                    **topics,
                    "IncludeInferenceResponseIn": ["SUCCESS_NOTIFICATION_TOPIC"],
                },
                **output,
            },
        },
    )
    assert aws.endpoint(name, name)["EndpointStatus"] == "InService"


def invoke(aws: Aws, endpoint: str = "a", **parameters: Any) -> Any:
    return aws.runtime.invoke_endpoint_async(EndpointName=endpoint, **parameters)


def read(aws: Aws, url: str) -> bytes:
    bucket, _, key = url.removeprefix("s3://").partition("/")

    def look() -> Any:
        try:
            return aws.s3.get_object(Bucket=bucket, Key=key)
        except ClientError:
            return None

    content: bytes = eventually(look)["Body"].read()
    return content


def total(aws: Aws, metric: str, endpoint: str) -> float:
    """The sum of a metric's datapoints, once there are any."""
    found: float = eventually(lambda: figures(aws, metric, endpoint))["Sum"]
    return found


def test_the_answer_is_where_it_is_said_to_be_and_so_is_the_message(
    aws: Aws, messages: Any
) -> None:
    answer = invoke(
        aws, InputLocation="s3://models/in.csv", ContentType="text/csv", InferenceId="mine"
    )
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202
    assert answer["InferenceId"] == "mine"
    assert answer["OutputLocation"] == "s3://models/out/mine.out"
    assert answer["FailureLocation"] == "s3://models/failed/mine-error.out"
    assert read(aws, answer["OutputLocation"]) == b"cba"
    message = messages()
    assert message.pop("eventTime") >= message.pop("receivedTime")
    assert message == {
        "awsRegion": REGION,
        "invocationStatus": "Completed",
        "requestParameters": {
            "contentType": "text/csv",
            "endpointName": "a",
            "inputLocation": "s3://models/in.csv",
        },
        "responseParameters": {
            "contentType": "text/csv",
            "outputLocation": "s3://models/out/mine.out",
        },
        "responseBody": {
            "content": base64.b64encode(b"cba").decode(),
            "message": "Check S3 path location(if configured) or Cloudwatch for additional "
            "details.",
            "encoding": "BASE64",
        },
        "inferenceId": "mine",
        "eventVersion": "1.0",
        "eventSource": "aws:sagemaker",
        "eventName": "InferenceResult",
    }


def test_a_payload_may_be_in_the_request_and_the_file_be_named(aws: Aws, messages: Any) -> None:
    answer = invoke(aws, Body=b"xyz", S3OutputPathExtension="today", Filename="result.txt")
    assert answer["OutputLocation"] == "s3://models/out/today/result.txt"
    assert read(aws, answer["OutputLocation"]) == b"zyx"
    assert messages()["inferenceId"] == answer["InferenceId"]


def test_what_a_model_says_when_it_fails_is_in_the_failure_path(aws: Aws, messages: Any) -> None:
    answer = invoke(aws, Body=b"fail")
    assert read(aws, answer["FailureLocation"]) == b"broken"
    message = messages()
    assert message["invocationStatus"] == "Failed"
    assert message["failureReason"] == (
        "ClientError: Received server error (500) from primary. See the SageMaker Endpoint logs "
        "in your account for more information."
    )
    assert "responseBody" not in message
    assert message["responseParameters"] == {"outputLocation": answer["FailureLocation"]}


def test_an_output_that_cannot_be_written_is_a_failure_with_its_reason(
    aws: Aws, messages: Any
) -> None:
    asynchronous(aws, "unwritable", "a", S3OutputPath="s3://nowhere-at-all/out")
    answer = invoke(aws, "unwritable", Body=b"abc")
    said = read(aws, answer["FailureLocation"]).decode()
    assert said.startswith("ClientError: Failed to upload the response to s3://nowhere-at-all/out/")
    assert "NoSuchBucket" in said
    assert messages()["failureReason"] == said
    assert total(aws, "ResponseUploadFailures", "unwritable") == 1
    aws.delete("unwritable")


def test_an_input_that_is_not_there_is_a_failure(aws: Aws, messages: Any) -> None:
    answer = invoke(aws, InputLocation="s3://models/nothing")
    said = read(aws, answer["FailureLocation"]).decode()
    assert said.startswith("ClientError: Failed to download the input from s3://models/nothing")
    assert messages()["failureReason"] == said
    assert total(aws, "RequestDownloadFailures", "a") == 1


def test_a_model_that_takes_longer_than_it_may_is_a_failure(aws: Aws, messages: Any) -> None:
    asynchronous(aws, "late", aws.model("late", {"SLEEP": "1.5"}))
    answer = invoke(aws, "late", Body=b"x", InvocationTimeoutSeconds=1)
    assert b"InvocationTimeoutSeconds is 1" in read(aws, answer["FailureLocation"])
    messages()
    aws.delete("late")


def test_without_instances_requests_wait_and_are_counted(aws: Aws, messages: Any) -> None:
    asynchronous(aws, "idle", "a")
    before = children()
    scale(aws, "idle", 0)
    eventually(lambda: before - children())
    answer = invoke(aws, "idle", Body=b"abc")
    expiring = invoke(aws, "idle", Body=b"old", RequestTTLSeconds=300)
    assert figures(aws, "ApproximateBacklogSize", "idle", None)["Maximum"] == 2
    assert figures(aws, "HasBacklogWithoutCapacity", "idle", None)["Maximum"] == 1
    assert b"RequestTTLSeconds is 300" in read(aws, expiring["FailureLocation"])
    assert messages()["invocationStatus"] == "Failed"
    scale(aws, "idle", 1)
    assert read(aws, answer["OutputLocation"]) == b"cba"
    assert messages()["invocationStatus"] == "Completed"
    assert total(aws, "ExpiredRequests", "idle") == 1
    aws.delete("idle")


def test_a_request_that_meets_the_end_of_the_last_instance_is_answered_by_the_next(
    aws: Aws, messages: Any
) -> None:
    asynchronous(aws, "slow", aws.model("slow", {"SLEEP": "0.2"}))
    asked: list[Any] = []
    for _ in range(3):
        asked += [invoke(aws, "slow", Body=b"abc") for _ in range(4)]
        scale(aws, "slow", 0)
        asked += [invoke(aws, "slow", Body=b"abc")]
        scale(aws, "slow", 1)
    assert {read(aws, answer["OutputLocation"]) for answer in asked} == {b"cba"}
    assert {messages()["invocationStatus"] for _ in asked} == {"Completed"}
    aws.delete("slow")


def scale(aws: Aws, endpoint: str, count: int) -> None:
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=endpoint,
        DesiredWeightsAndCapacities=[{"VariantName": "v", "DesiredInstanceCount": count}],
    )
    described = aws.settled(endpoint)
    assert described["ProductionVariants"][0]["CurrentInstanceCount"] == count


def test_only_what_aws_lists_is_published(aws: Aws, messages: Any) -> None:
    read(aws, invoke(aws, Body=b"abc")["OutputLocation"])
    messages()
    eventually(lambda: figures(aws, "InvocationsProcessed", "a"))
    eventually(lambda: figures(aws, "ModelLatency", "a"))
    time = eventually(lambda: figures(aws, "TotalProcessingTime", "a"))
    assert time["Unit"] == "Milliseconds"
    for metric in ("Invocations", "OverheadLatency", "InvocationsPerInstance"):
        assert figures(aws, metric, "a") is None


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "Exactly one of InputLocation and Body must be given"),
        ({"InputLocation": "s3://models/x", "Body": b"x"}, "must be given; both are"),
        ({"InputLocation": "http://models/x"}, "is not an s3://bucket/key address"),
        ({"Body": b"x" * 128_001}, "larger than 128000 bytes"),
    ],
)
def test_what_is_no_request_is_refused(aws: Aws, parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ClientError, match=said) as refused:
        invoke(aws, **parameters)
    assert refused.value.response["Error"]["Code"] == "ValidationError"


def test_an_asynchronous_endpoint_is_not_asked_directly(aws: Aws) -> None:
    with pytest.raises(ClientError, match="use InvokeEndpointAsync"):
        aws.ask("a", b"x")
    described = aws.sagemaker.describe_endpoint(EndpointName="a")
    assert described["AsyncInferenceConfig"]["OutputConfig"]["S3OutputPath"] == "s3://models/out/"
