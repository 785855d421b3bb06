"""Multi-model endpoints: models come when they are asked for, and go when there is no room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import IMAGE, Aws, archive, children, eventually, service_in
from tests.local_sagemaker.numbers import figures

ROLE = "arn:aws:iam::123456789012:role/model"
KB = 1 / 1024


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(multi_model_memory_mb=3 * KB)


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "m": ten models of 1 KB under s3://models/many/, with room for three."""
    for number in range(10):
        content = f"model {number}".encode().ljust(1024)
        aws.s3.put_object(
            Bucket="models", Key=f"many/{number}.tar.gz", Body=archive({"file": content})
        )
    aws.s3.put_object(Bucket="models", Key="many/text.tar.gz", Body=b"text")
    multi_model(aws, "m")
    aws.endpoint("m", "m")
    yield
    aws.delete("m")


def multi_model(aws: Aws, name: str, **container: Any) -> None:
    aws.sagemaker.create_model(
        ModelName=name,
        ExecutionRoleArn=ROLE,
        PrimaryContainer={
            "Image": IMAGE,
            "Mode": "MultiModel",
            "ModelDataUrl": "s3://models/many/",
            **container,
        },
    )
    aws.config(name, {"v": name})


def refusal(aws: Aws, **parameters: Any) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        aws.ask("m", b"x", **parameters)
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


def metric(aws: Aws, name: str, namespace: str = "AWS/SageMaker", endpoint: str = "m") -> Any:
    return figures(aws, name, endpoint, namespace=namespace)


def test_all_are_answered_by_one_process_and_never_more_than_fit_are_loaded(aws: Aws) -> None:
    processes = children()
    for _ in range(2):
        for number in range(10):
            answer = aws.ask("m", b"x", TargetModel=f"{number}.tar.gz")
            assert answer.strip() == f"model {number}".encode()
    aws.ask("m", b"x", TargetModel="9.tar.gz")
    assert children() <= processes
    assert metric(aws, "ModelCacheHit")["SampleCount"] == 21
    assert metric(aws, "ModelCacheHit")["Sum"] == 1
    assert metric(aws, "ModelLoadingTime")["SampleCount"] == 20
    assert metric(aws, "ModelDownloadingTime")["SampleCount"] == 10
    assert metric(aws, "ModelUnloadingTime")["SampleCount"] == 17
    assert metric(aws, "ModelLoadingWaitTime")["SampleCount"] == 20
    assert metric(aws, "LoadedModelCount", "/aws/sagemaker/Endpoints")["Maximum"] == 3


def test_a_target_that_is_not_there_is_refused(aws: Aws) -> None:
    assert refusal(aws, TargetModel="none.tar.gz") == (
        "ValidationError",
        "Failed to download model data(bucket: models, key: many/none.tar.gz). Please ensure that "
        "there is an object located at the URL and that the role passed to CreateModel has "
        "permissions to download the model.",
    )


def test_a_target_that_is_no_archive_is_refused(aws: Aws) -> None:
    code, message = refusal(aws, TargetModel="text.tar.gz")
    assert code == "ValidationError"
    assert message.startswith("Failed to extract model data archive")


def test_a_request_without_a_target_is_refused(aws: Aws) -> None:
    code, message = refusal(aws)
    assert code == "ValidationError"
    assert message.endswith("is missing a target model header.")


def test_models_may_be_added_after_the_endpoint_and_its_bucket_before(aws: Aws) -> None:
    multi_model(aws, "later", ModelDataUrl="s3://models/nothing/")
    with pytest.raises(ClientError, match="Could not find model data at s3://no-such-bucket/many/"):
        multi_model(aws, "nowhere", ModelDataUrl="s3://no-such-bucket/many/")


def test_a_server_that_dies_loads_again(aws: Aws) -> None:
    aws.ask("m", b"x", TargetModel="1.tar.gz")
    with pytest.raises(ClientError, match="server error \\(0\\) from model"):
        aws.ask("m", b"die", TargetModel="1.tar.gz")

    def answered() -> bytes | None:
        try:
            return aws.ask("m", b"x", TargetModel="1.tar.gz")
        except ClientError:
            return None

    assert eventually(answered).strip() == b"model 1"


def test_a_model_that_its_server_has_lost_is_loaded_again(aws: Aws) -> None:
    aws.ask("m", b"x", TargetModel="5.tar.gz")
    loads = metric(aws, "ModelLoadingTime")["SampleCount"]
    for body in (b"lose", b"x"):
        assert aws.ask("m", body, TargetModel="5.tar.gz").strip() == b"model 5"
    assert metric(aws, "ModelLoadingTime")["SampleCount"] == loads + 1


def test_without_a_cache_every_request_loads(aws: Aws) -> None:
    multi_model(
        aws,
        "uncached",
        MultiModelConfig={"ModelCacheSetting": "Disabled"},
        Environment={"MAX_MODELS": "1"},
    )
    aws.endpoint("uncached", "uncached")
    for number in (1, 2, 2):
        answer = aws.ask("uncached", b"x", TargetModel=f"{number}.tar.gz")
        assert answer.strip() == f"model {number}".encode()
        eventually(lambda: _loaded(aws, "uncached") == 0)
    assert metric(aws, "ModelLoadingTime", endpoint="uncached")["SampleCount"] == 3
    aws.delete("uncached")


def _loaded(aws: Aws, endpoint: str) -> float:
    return next(
        value
        for series, value in service_in(aws.gateway, SageMaker)._gauges()
        if ("EndpointName", endpoint) in series.dimensions
    )
