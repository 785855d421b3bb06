"""What SageMaker refuses together is named in templates, as the local AWS refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.endpoint.combinations import (
    COMBINATIONS,
    Combination,
    Parts,
    config_of,
    containers_of,
)
from tests.rules.templates import IMAGE, problems

PORTS = {"SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"}


def template(parts: Parts) -> dict[str, Any]:
    config = config_of(parts, {"Fn::GetAtt": ["Model", "ModelName"]})
    containers = [{**one, "Environment": PORTS} for one in containers_of(parts, IMAGE)]
    return {
        "Model": {
            "Type": "AWS::SageMaker::Model",
            "Properties": {
                "ExecutionRoleArn": {"Fn::ImportValue": "Role"},
                "Containers": containers,
            },
        },
        "Config": {"Type": "AWS::SageMaker::EndpointConfig", "Properties": config},
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {"EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}},
        },
        **{name: component(copies) for name, copies in parts.components.items()},
    }


def component(copies: int, variant: str = "v") -> dict[str, Any]:
    return {
        "Type": "AWS::SageMaker::InferenceComponent",
        "Properties": {
            "EndpointName": {"Fn::GetAtt": ["Endpoint", "EndpointName"]},
            "VariantName": variant,
            "RuntimeConfig": {"CopyCount": copies},
            "Specification": {
                "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 512},
            },
        },
    }


@pytest.mark.parametrize(
    "combination", COMBINATIONS, ids=[f"{one.rule}-{n}" for n, one in enumerate(COMBINATIONS)]
)
def test_what_sagemaker_refuses_is_named_and_the_nearest_passes(combination: Combination) -> None:
    assert {found.rule for found in problems(template(combination.wrong))} >= {combination.rule}
    named = {found.rule for found in problems(template(combination.right))}
    assert named <= {"neuron-needs-compiled-model"}


def test_a_component_on_a_variant_that_is_not_there_is_named_with_those_that_are() -> None:
    parts = Parts(variant={"ModelName": None}, config={"ExecutionRoleArn": {"Ref": "Role"}})
    resources = template(parts) | {"half": component(1, variant="w")}
    (found,) = problems(resources)
    assert found.rule == "component-place"
    assert "VariantName is 'w'; the endpoint's variants are v; name one of them" in found.message


def test_an_endpoint_that_only_the_deploy_knows_passes() -> None:
    parts = Parts(variant={"ModelName": None}, config={"ExecutionRoleArn": {"Ref": "Role"}})
    resources = template(parts) | {"half": component(1, variant="w")}
    resources["half"]["Properties"]["EndpointName"] = {"Fn::ImportValue": "Endpoint"}
    assert problems(resources) == []


@pytest.mark.parametrize(
    "managed",
    [{"Status": "DISABLED"}, {"Status": {"Fn::ImportValue": "S"}}, {"MaxInstanceCount": 2}],
)
def test_managed_scaling_that_is_or_may_be_switched_off_passes(managed: dict[str, Any]) -> None:
    assert problems(template(Parts(variant={"ManagedInstanceScaling": managed}))) == []


def test_a_pool_may_name_the_model_that_its_variant_does_not() -> None:
    name = {"Fn::GetAtt": ["Model", "ModelName"]}
    pool = {"InstanceType": "ml.m5.large", "Priority": 1, "ModelNameOverride": name}
    variant = {"ModelName": None, "InstanceType": None, "InstancePools": [pool]}
    named = {found.rule for found in problems(template(Parts(variant=variant)))}
    assert "component-role" not in named
