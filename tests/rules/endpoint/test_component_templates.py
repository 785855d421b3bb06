"""Inference components in templates: judged as those of environment files are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.template_cases import V0
from tests.rules.templates import problems, template


def component(**requirements: Any) -> dict[str, Any]:
    """A sound template with a component on its one variant, which is ``ml.c5.large``."""
    hosts = {f"{V0}.ModelName": None, "Config.ExecutionRoleArn": {"Ref": "Role"}}
    return template(hosts) | {
        "Component": {
            "Type": "AWS::SageMaker::InferenceComponent",
            "Properties": {
                "InferenceComponentName": "half",
                "EndpointName": {"Fn::GetAtt": ["Endpoint", "EndpointName"]},
                "VariantName": "blue",
                "RuntimeConfig": {"CopyCount": 1},
                "Specification": {
                    "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                    "ComputeResourceRequirements": {
                        "MinMemoryRequiredInMb": 512,
                        **requirements,
                    },
                },
            },
        }
    }


def test_a_component_that_fits_has_no_problem() -> None:
    assert problems(component(NumberOfCpuCoresRequired="2")) == []


@pytest.mark.parametrize(
    ("requirements", "rule", "said"),
    [
        (
            {"MinMemoryRequiredInMb": 64},
            "component-size",
            "MinMemoryRequiredInMb is 64; it must be at least 128",
        ),
        (
            {"NumberOfAcceleratorDevicesRequired": 1},
            "component-fits",
            "NumberOfAcceleratorDevicesRequired is 1 and ml.c5.large has 0 GPUs",
        ),
    ],
)
def test_one_that_does_not_is_named(requirements: dict[str, Any], rule: str, said: str) -> None:
    (found,) = problems(component(**requirements))
    assert (found.rule, said in found.message) == (rule, True)


def test_a_name_that_sagemaker_does_not_take_is_named() -> None:
    resources = component()
    resources["Component"]["Properties"]["InferenceComponentName"] = "half_1"
    (found,) = problems(resources)
    assert found.rule == "resource-name"


def test_one_without_a_model_is_named() -> None:
    resources = component()
    del resources["Component"]["Properties"]["Specification"]["ModelName"]
    (found,) = problems(resources)
    assert (found.rule, found.where.trail) == ("component-model", "Component.Specification")


def test_one_with_a_container_of_its_own_passes() -> None:
    resources = component()
    specification = resources["Component"]["Properties"]["Specification"]
    del specification["ModelName"]
    specification["Container"] = {"Fn::ImportValue": "Container"}
    assert problems(resources) == []


def test_an_adapter_has_no_memory_of_its_own_and_any_other_component_has() -> None:
    resources = component()
    specification = resources["Component"]["Properties"]["Specification"]
    sized = specification.pop("ComputeResourceRequirements")
    assert said(resources) == ["ComputeResourceRequirements is missing"]
    del specification["ModelName"]
    specification["BaseInferenceComponentName"] = "base"
    assert said(resources) == []
    specification["ComputeResourceRequirements"] = sized
    assert said(resources) == ["ComputeResourceRequirements is given"]


def said(resources: dict[str, Any]) -> list[str]:
    found = [each for each in problems(resources) if each.rule == "component-model"]
    return [each.message.partition(";")[0] for each in found]
