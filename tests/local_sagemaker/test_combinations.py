"""What SageMaker refuses together, the local AWS refuses as well; what it takes, it takes."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

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
