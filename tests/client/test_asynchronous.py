"""Asynchronous endpoints: handed in by Stubber's rules, answers in the local AWS's S3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import ANY, Stubber

from local_aws.gateway import Gateway
from sagemaker_serving.client import AsyncRequests, Aws, EndpointFacts, Predictor
from sagemaker_serving.errors import Failure, Mistake, ModelFailed
from tests.local_aws.aws import IMAGE, client_of, variant

ASYNCHRONOUS = EndpointFacts(asynchronous=True)
OUTPUT, FAILURE = "s3://models/out/1.out", "s3://models/failed/1.out"


class Endpoint:
    """A predictor whose runtime answers what was written down, and a bucket."""

    def __init__(self, aws: Aws, **options: Any) -> None:
        self.predictor = Predictor("slow", aws, **{"facts": ASYNCHRONOUS, **options})
        self.stubber = Stubber(self.predictor._sender.client)
        self.stubber.activate()
        self.s3 = aws.client("s3")

    def expects(self, **members: Any) -> None:
        answer = {"InferenceId": "id", "OutputLocation": OUTPUT, "FailureLocation": FAILURE}
        given = {"EndpointName": "slow", "ContentType": ANY, **members}
        self.stubber.add_response("invoke_endpoint_async", answer, given)

    def put(self, location: str, body: bytes) -> None:
        self.s3.put_object(
            Bucket="models",
            Key=location.removeprefix("s3://models/"),
            Body=body,
            ContentType="application/json",
        )


class Acquainted(Aws):
    """Makes its S3 client once, which takes longer than a test."""

    def client(self, service: str, **options: Any) -> Any:
        if service != "s3":
            return super().client(service, **options)
        if service not in self.__dict__:
            self.__dict__[service] = super().client(service, **options)
        return self.__dict__[service]


@pytest.fixture(scope="module")
def region(gateway: Gateway) -> Aws:
    return Acquainted(**vars(client_of(gateway)))


@pytest.fixture
def aws(region: Aws) -> Iterator[Aws]:
    yield region
    for location in (OUTPUT, FAILURE):
        key = location.removeprefix("s3://models/")
        region.client("s3").delete_object(Bucket="models", Key=key)


def test_a_small_request_carries_its_body_and_its_answer_is_waited_for(aws: Aws) -> None:
    endpoint = Endpoint(aws)
    endpoint.expects(Body=b'{"instances":[1]}', Accept="application/json")
    endpoint.put(OUTPUT, b'{"predictions": [2]}')
    assert endpoint.predictor.predict([1]) == {"predictions": [2]}


def test_a_large_request_goes_by_way_of_s3(aws: Aws) -> None:
    endpoint = Endpoint(aws, async_requests=AsyncRequests(upload_to="s3://models/in/"))
    endpoint.expects(InputLocation=ANY)
    submitted = endpoint.predictor.submit(b"x" * 128_001)
    assert submitted.inference_id == "id"
    assert submitted.output_location == OUTPUT
    (listed,) = endpoint.s3.list_objects_v2(Bucket="models", Prefix="in/")["Contents"]
    assert listed["Size"] == 128_001


def test_a_request_says_where_its_answer_lies_and_how_long_it_may_take(aws: Aws) -> None:
    endpoint = Endpoint(aws)
    endpoint.expects(
        Body=b"{}",
        Filename="7.json",
        S3OutputPathExtension="today",
        RequestTTLSeconds=60,
        InvocationTimeoutSeconds=1,
    )
    endpoint.predictor.submit(
        "{}",
        filename="7.json",
        s3_output_path_extension="today",
        request_ttl_seconds=60,
        invocation_timeout_seconds=1,
    )


def test_a_large_request_without_a_place_for_it_is_named(aws: Aws) -> None:
    with pytest.raises(Mistake, match=r"has 128,001 bytes, .* give upload_to, a prefix in S3"):
        Endpoint(aws).predictor.predict(b"x" * 128_001)


def test_the_answer_comes_while_it_is_waited_for(aws: Aws) -> None:
    endpoint = Endpoint(aws)
    endpoint.expects(Body=b"{}")
    submitted = endpoint.predictor.submit("{}")
    looked = []

    class Late:
        """S3 in which the answer appears when it was looked for twice."""

        def get_object(self, **members: Any) -> Any:
            looked.append(members["Key"])
            if looked == ["out/1.out", "failed/1.out", "out/1.out"]:
                endpoint.put(OUTPUT, b'"late"')
            return endpoint.s3.get_object(**members)

    object.__setattr__(submitted, "s3", Late())
    assert submitted.result(deadline_seconds=60, poll_seconds=0.001).json() == "late"


def test_what_the_model_refused_is_told(aws: Aws) -> None:
    endpoint = Endpoint(aws)
    endpoint.expects(Body=b"{}", Accept="application/json")
    endpoint.put(FAILURE, b"no number")
    with pytest.raises(ModelFailed, match="the model of slow failed: no number"):
        endpoint.predictor.predict("{}")


def test_no_answer_in_time_is_a_failure(aws: Aws) -> None:
    endpoint = Endpoint(aws, async_requests=AsyncRequests(deadline_seconds=0))
    endpoint.expects(Body=b"{}", Accept="application/json")
    with pytest.raises(Failure, match=f"no answer at {OUTPUT} after 0 s"):
        endpoint.predictor.predict("{}")


def test_what_is_too_large_for_a_request_takes_the_way_over_s3_where_there_is_one(
    aws: Aws,
) -> None:
    unknown = EndpointFacts()
    by_s3 = AsyncRequests(upload_to="s3://models/in-large")
    endpoint = Endpoint(aws, facts=unknown, async_requests=by_s3)
    endpoint.expects(InputLocation=ANY, Accept="application/json")
    endpoint.put(OUTPUT, b'"large"')
    assert endpoint.predictor.predict(b"x" * (25 * 1024 * 1024 + 1)) == "large"
    real_time = Endpoint(aws, facts=EndpointFacts(asynchronous=False), async_requests=by_s3)
    with pytest.raises(Mistake, match="deploy the model as an asynchronous endpoint"):
        real_time.predictor.predict(b"x" * (25 * 1024 * 1024 + 1))


@pytest.fixture(scope="module")
def backwards(region: Aws) -> str:
    """An asynchronous endpoint of the local AWS whose model answers backwards."""
    sagemaker, name = region.client("sagemaker"), "backwards"
    sagemaker.create_model(
        ModelName=name,
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
    )
    sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[variant("blue", name)],
        AsyncInferenceConfig={
            "OutputConfig": {
                "S3OutputPath": "s3://models/answers/",
                "S3FailurePath": "s3://models/failures/",
            }
        },
    )
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=name)
    sagemaker.get_waiter("endpoint_in_service").wait(
        EndpointName=name, WaiterConfig={"Delay": 0.05, "MaxAttempts": 1200}
    )
    return name


def test_an_asynchronous_endpoint_of_the_local_aws_is_known_as_one(
    region: Aws, backwards: str
) -> None:
    by_s3 = AsyncRequests(upload_to="s3://models/in/")
    with Predictor(backwards, region, async_requests=by_s3) as predictor:
        assert predictor.predict([b"abc", b"de"]) == [b"cba", b"ed"]
        large = b"large " * 30_000
        assert predictor.predict(large) == large[::-1]
        with pytest.raises(ModelFailed, match="not a number"):
            predictor.predict(b"refuse")
