"""What an endpoint runs, told from SageMaker's own answers, and held against a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.client import Aws
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.explain import deviations, explain
from sagemaker_serving.spec import Model
from tests.local_aws.aws import IMAGE, REGION, client_of

SHA256 = "0f" * 32


@pytest.fixture
def aws(gateway: Gateway) -> Aws:
    return client_of(gateway)


@pytest.fixture
def deployed(aws: Aws) -> str:
    """The endpoint "echo" with its variant "blue", and a commit."""
    client = aws.client("sagemaker")
    config = client.describe_endpoint(EndpointName="echo")["EndpointConfigName"]
    client.add_tags(
        ResourceArn=client.describe_endpoint_config(EndpointConfigName=config)["EndpointConfigArn"],
        Tags=[{"Key": "sagemaker-serving:commit", "Value": "abc"}],
    )
    return "echo"


def stated(**changed: Any) -> Model:
    return Model.model_validate(
        {
            "artifact": "model",
            "framework": "tensorflow",
            "framework_version": "2.19",
            "variants": [{"name": "blue", "instance_type": "ml.m5.large"}],
            **changed,
        }
    )


@pytest.mark.parametrize(
    ("changed", "what", "file"),
    [
        ({"framework_version": "2.18"}, "image", IMAGE.replace("2.19", "2.18")),
        ({"environment": {"MY_OWN": "1"}}, "MY_OWN", "1"),
        ({"batching": {"max_batch_size": 4}}, "SAGEMAKER_TFS_ENABLE_BATCHING", "true"),
        ({"artifact": "model"}, "archive's sha256", SHA256),
        (
            {"variants": [{"name": "blue", "instance_type": "ml.c5.large"}]},
            "instance_type",
            "ml.c5.large",
        ),
        (
            {"variants": [{"name": "other", "instance_type": "ml.m5.large"}]},
            "variant",
            "is there",
        ),
    ],
)
def test_whatever_deviates_is_named(
    aws: Aws, deployed: str, changed: dict[str, Any], what: str, file: str
) -> None:
    found = explain(deployed, aws)
    model = stated(**{"artifact": found.served[0].archive, **changed})
    different = deviations(found, model, REGION, lambda _: SHA256)
    assert (what, file) in [(each.what, each.file) for each in different]


def test_a_variant_with_an_accelerator_runs_the_image_that_its_file_asks_for(
    aws: Aws, deployed: str
) -> None:
    found = explain(deployed, aws)
    uri = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference-eia:2.3.0-cpu"
    (served,) = (replace(each, image=uri) for each in found.served)
    kind = {"instance_type": "ml.m5.large", "accelerator_type": "ml.eia2.medium"}
    model = stated(
        artifact=served.archive, framework_version="2.3.0", variants=[{"name": "blue", **kind}]
    )
    assert deviations(replace(found, served=(served,)), model, REGION, lambda _: SHA256) == []


def test_an_unknown_endpoint_is_not_found(aws: Aws, deployed: str) -> None:
    with pytest.raises(
        NotFound, match=f"there is no endpoint 'nobody' in .*; what is there: .*{deployed}"
    ):
        explain("nobody", aws)
    with pytest.raises(NotFound, match=f"; did you mean '{deployed}'"):
        explain(f"{deployed}s", aws)
