"""What is not followed is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.session import get_session

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.offered import NOT_FOLLOWED, refuse_what_is_not_followed
from tests.local_aws.aws import Aws


@pytest.mark.parametrize(
    ("action", "parameters", "named"),
    [
        ("CreateEndpointConfig",
         {"ProductionVariants": [{}], "ExplainerConfig": {"ClarifyExplainerConfig": {"A": 1}}},
         "CreateEndpointConfig with ExplainerConfig yet"),
        ("CreateModel", {"InferenceExecutionConfig": {"Mode": "Direct"}},
         "CreateModel with InferenceExecutionConfig.Mode 'Direct' yet"),
        ("CreateInferenceComponent",
         {"Specification": {"Container": {"ContainerMetricsConfig": {"MetricsEndpoints": [{}]}}}},
         "CreateInferenceComponent with Specification.Container.ContainerMetricsConfig yet"),
        ("CreateTransformJob", {"DataCaptureConfig": {"DestinationS3Uri": "s3://bucket/captured"}},
         "CreateTransformJob with DataCaptureConfig yet"),
    ],
)  # fmt: skip
def test_it_is_said_what_is_not_offered(
    action: str, parameters: dict[str, Any], named: str
) -> None:
    with pytest.raises(AwsError) as refused:
        refuse_what_is_not_followed(action, parameters)
    assert refused.value.message == f"the local AWS does not offer {named}"


@pytest.mark.parametrize(
    ("action", "parameters"),
    [
        ("CreateModel", {"InferenceExecutionConfig": {"Mode": "Serial"}}),
        ("CreateTransformJob", {"ExperimentConfig": {}}),
        ("CreateEndpointConfig", {"ExplainerConfig": {}}),
        ("UpdateEndpoint", {"RetainAllVariantProperties": False}),
    ],
)
def test_a_value_that_changes_nothing_passes(action: str, parameters: dict[str, Any]) -> None:
    refuse_what_is_not_followed(action, parameters)


def test_every_path_exists_in_the_api() -> None:
    model = get_session().get_service_model("sagemaker")
    for action, paths in NOT_FOLLOWED.items():
        for path in paths:
            shape = model.operation_model(action).input_shape
            for name in path.split("."):
                shape = shape.members[name.removesuffix("[]")]
                shape = shape.member if name.endswith("[]") else shape


@pytest.mark.parametrize(
    ("call", "action"),
    [
        (lambda client: client.list_training_jobs(), "ListTrainingJobs"),
        (lambda client: client.list_hubs(), "ListHubs"),
    ],
)
def test_an_action_that_is_not_offered_is_named(aws: Aws, call: Any, action: str) -> None:
    with pytest.raises(ClientError, match=f"the local AWS does not offer {action} of sagemaker"):
        call(aws.sagemaker)
