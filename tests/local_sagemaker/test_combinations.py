"""What SageMaker refuses together, the local AWS refuses as well; what it takes, it takes."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from botocore.session import get_session

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.offered import NOT_FOLLOWED, refuse_what_is_not_followed
from tests.local_aws.aws import IMAGE, Aws
from tests.rules.endpoint.combinations import (
    COMBINATIONS,
    ROLE,
    SHADOWED,
    Combination,
    Parts,
    config_of,
    containers_of,
)
from tests.rules.endpoint.test_combinations import template
from tests.rules.templates import problems


@pytest.mark.parametrize(
    ("number", "combination"),
    list(enumerate(COMBINATIONS)),
    ids=[f"{one.rule}-{n}" for n, one in enumerate(COMBINATIONS)],
)
def test_what_check_names_is_refused_and_the_nearest_is_not(
    aws: Aws, number: int, combination: Combination
) -> None:
    with pytest.raises(ClientError) as refused:
        create(aws, f"wrong-{number}", combination.wrong)
    assert refused.value.operation_name == combination.by
    told = [combination.said] if combination.said else named(combination)
    assert any(words in str(refused.value) for words in told), told
    create(aws, f"right-{number}", combination.right)


def named(combination: Combination) -> list[str]:
    """What `check` says of a template of the same."""
    found = problems(template(combination.wrong))
    return [problem.message for problem in found if problem.rule == combination.rule]


def create(aws: Aws, name: str, parts: Parts) -> None:
    aws.sagemaker.create_model(
        ModelName=name, ExecutionRoleArn=ROLE, Containers=containers_of(parts, IMAGE)
    )
    aws.sagemaker.create_endpoint_config(EndpointConfigName=name, **config_of(parts, name))
    if parts.components:
        assert aws.endpoint(name, name)["EndpointStatus"] == "InService"
    for component, copies in parts.components.items():
        aws.sagemaker.create_inference_component(
            InferenceComponentName=f"{name}-{component}",
            EndpointName=name,
            VariantName="v",
            Specification={
                "ModelName": name,
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
            },
            RuntimeConfig={"CopyCount": copies},
        )


def test_a_shadow_without_a_model_is_kept_as_it_is(aws: Aws) -> None:
    """Whether SageMaker takes it is unverified."""
    parts = Parts(variant={"ModelName": None}, config={"ExecutionRoleArn": ROLE, **SHADOWED})
    shadow = {**config_of(parts, "m")["ShadowProductionVariants"][0]}
    del shadow["ModelName"]
    config = {**config_of(parts, "m"), "ShadowProductionVariants": [shadow]}
    aws.sagemaker.create_endpoint_config(EndpointConfigName="bare-shadow", **config)


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
