"""What an endpoint tells of itself: as botocore models it, and as the local AWS says it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from botocore.stub import Stubber

from local_aws.gateway import Gateway
from sagemaker_serving.catalog.request_sizes import ASYNCHRONOUS, REAL_TIME, SERVERLESS
from sagemaker_serving.client import Aws, EndpointFacts, Predictor
from sagemaker_serving.client.endpoint_facts import look_up
from sagemaker_serving.errors import Mistake
from tests.local_aws.aws import IMAGE, REGION, client_of

ARN = "arn:aws:sagemaker:eu-west-1:123456789012"
THEN = datetime(2026, 11, 21)
NAMES = {"EndpointName": "e", "EndpointConfigName": "e"}


class StubbedAws(Aws):
    """An AWS whose SageMaker answers what was written down."""

    def told(self, *answers: tuple[str, Any]) -> StubbedAws:
        keys = Aws(region=REGION, access_key_id="test", secret_access_key="test")
        client = keys.client("sagemaker")
        stubber = Stubber(client)
        for operation, answer in answers:
            if isinstance(answer, str):
                stubber.add_client_error(operation, answer, "not for you")
            else:
                stubber.add_response(operation, answer)
        stubber.activate()
        object.__setattr__(self, "_client", client)
        return self

    def client(self, service: str, **options: Any) -> Any:
        return self._client  # type: ignore[attr-defined]


def endpoint(*variants: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        **NAMES,
        "EndpointArn": f"{ARN}:endpoint/e",
        "EndpointStatus": "InService",
        "CreationTime": THEN,
        "LastModifiedTime": THEN,
        "ProductionVariants": list(variants),
        **more,
    }


def config(*variants: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "EndpointConfigName": "e",
        "EndpointConfigArn": f"{ARN}:endpoint-config/e",
        "CreationTime": THEN,
        "ProductionVariants": list(variants),
        **more,
    }


def model(**more: Any) -> tuple[str, Any]:
    container = {"Image": IMAGE, **more}
    described = {
        "ModelName": "m",
        "ModelArn": f"{ARN}:model/m",
        "CreationTime": THEN,
        "PrimaryContainer": container,
    }
    return "describe_model", described


def deployed(name: str, **more: Any) -> dict[str, Any]:
    return {"VariantName": name, "DeployedImages": [{"SpecifiedImage": IMAGE}], **more}


ASYNC = {"AsyncInferenceConfig": {"OutputConfig": {"S3OutputPath": "s3://b/out"}}}
SERVERLESS_CONFIG = {"MemorySizeInMB": 2048, "MaxConcurrency": 5}


def test_a_real_time_endpoint() -> None:
    facts = look_up(
        StubbedAws().told(
            ("describe_endpoint", endpoint(deployed("blue"))),
            ("describe_endpoint_config", config({"VariantName": "blue", "ModelName": "m"})),
            model(),
        ),
        "e",
    )
    assert facts == EndpointFacts(asynchronous=False, variants=("blue",), images={"blue": IMAGE})
    assert facts.limits() == REAL_TIME
    assert facts.image() == IMAGE


def test_a_serverless_variant_makes_requests_to_any_variant_small() -> None:
    told = ("describe_endpoint_config", "AccessDeniedException")
    variants = (deployed("green", CurrentServerlessConfig=SERVERLESS_CONFIG), deployed("blue"))
    facts = look_up(StubbedAws().told(("describe_endpoint", endpoint(*variants)), told), "e")
    assert facts.limits() == facts.limits("green") == SERVERLESS
    assert facts.limits("blue") == REAL_TIME


@pytest.mark.parametrize("where", ["endpoint", "config"])
def test_an_asynchronous_endpoint_says_so_in_either_description(where: str) -> None:
    described = endpoint(deployed("blue"), **(ASYNC if where == "endpoint" else {}))
    configured = config(
        {"VariantName": "blue", "ModelName": "m"}, **(ASYNC if where == "config" else {})
    )
    facts = look_up(
        StubbedAws().told(
            ("describe_endpoint", described),
            ("describe_endpoint_config", configured),
            ("describe_model", "AccessDeniedException"),
        ),
        "e",
    )
    assert facts.asynchronous
    assert facts.limits() == ASYNCHRONOUS


def test_the_image_is_the_models_where_the_endpoint_tells_none() -> None:
    facts = look_up(
        StubbedAws().told(
            ("describe_endpoint", endpoint({"VariantName": "blue"})),
            ("describe_endpoint_config", config({"VariantName": "blue", "ModelName": "m"})),
            model(),
        ),
        "e",
    )
    assert facts.images == {"blue": IMAGE}


@pytest.mark.parametrize(
    ("environment", "most"),
    [
        ({}, None),
        ({"SAGEMAKER_TFS_MAX_BATCH_SIZE": "4"}, None),
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}, 8),
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "true", "SAGEMAKER_TFS_MAX_BATCH_SIZE": "4"}, 4),
    ],
)
def test_a_container_that_batches_takes_so_many_records_at_once(
    environment: dict[str, str], most: int | None
) -> None:
    facts = look_up(
        StubbedAws().told(
            ("describe_endpoint", endpoint(deployed("blue"))),
            ("describe_endpoint_config", config({"VariantName": "blue", "ModelName": "m"})),
            model(Environment=environment),
        ),
        "e",
    )
    assert facts.records() == facts.records("blue") == most


def test_who_may_not_describe_predicts_all_the_same() -> None:
    aws = StubbedAws().told(("describe_endpoint", "AccessDeniedException"))
    assert look_up(aws, "e") == EndpointFacts()


def test_who_has_no_way_to_the_control_plane_predicts_all_the_same() -> None:
    nowhere = Aws(
        region=REGION,
        endpoint_url="http://localhost:1",
        access_key_id="test",
        secret_access_key="test",
    )
    assert look_up(nowhere, "e") == EndpointFacts()


def test_variants_of_several_images_take_what_any_model_takes() -> None:
    facts = EndpointFacts(images={"a": IMAGE, "b": "other"})
    assert facts.image() is None
    assert facts.image("b") == "other"


def test_a_serverless_endpoints_large_body_is_never_sent() -> None:
    keys = {"access_key_id": "test", "secret_access_key": "test"}
    nowhere = Aws(region=REGION, endpoint_url="http://localhost:1", **keys)
    facts = EndpointFacts(variants=("v",), serverless=frozenset({"v"}))
    with pytest.raises(Mistake, match=r"has 4,194,305 bytes .*; this endpoint takes 4,194,304"):
        Predictor("e", nowhere, facts=facts).invoke(b"x" * (4 * 1024 * 1024 + 1))


def test_the_local_aws_tells_the_same_facts(gateway: Gateway) -> None:
    facts = look_up(client_of(gateway), "echo")
    assert facts == EndpointFacts(asynchronous=False, variants=("blue",), images={"blue": IMAGE})
