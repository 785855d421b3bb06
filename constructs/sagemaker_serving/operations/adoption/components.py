"""Inference components of an endpoint, as the field ``inference_components``."""

from __future__ import annotations

from collections.abc import Mapping

from local_aws.template import Unknown
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import Reading, is_unknown, open_, plain
from sagemaker_serving.operations.adoption.scaling import read_scaling
from sagemaker_serving.operations.adoption.variants import read_container, read_model
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.resources import Resource
from sagemaker_serving.spec.members import MODEL

COMPONENT = "AWS::SageMaker::InferenceComponent"
_FIELDS = {
    "RuntimeConfig": {"CopyCount": "copy_count"},
    "Specification.ComputeResourceRequirements": {
        "MinMemoryRequiredInMb": "min_memory_required_in_mb",
        "MaxMemoryRequiredInMb": "max_memory_required_in_mb",
        "NumberOfCpuCoresRequired": "number_of_cpu_cores_required",
        "NumberOfAcceleratorDevicesRequired": "number_of_accelerator_devices_required",
    },
    "Specification.StartupParameters": {
        "ModelDataDownloadTimeoutInSeconds": "model_data_download_timeout_in_seconds",
        "ContainerStartupHealthCheckTimeoutInSeconds": (
            "container_startup_health_check_timeout_in_seconds"
        ),
    },
}
_READ = {
    *("InferenceComponentName", "EndpointName", "VariantName", "Specification", "Tags"),
    *("Specification.ModelName", "Specification.Container", *_FIELDS),
}


def read_components(reading: Reading, endpoint: Resource, base: Path) -> None:
    """Writes the components that run on ``endpoint``, each with its size, model and scaling."""
    called = endpoint.properties.get("EndpointName").text
    for component in reading.of(COMPONENT):
        of = component.properties.get("EndpointName").value
        if (of.name if isinstance(of, Unknown) else of) in (endpoint.logical_id, called):
            name = component.properties.get("InferenceComponentName").text or component.logical_id
            short = name.removeprefix(f"{called}-")
            _component(reading, component, (*base, "inference_components", short), base)
            read_scaling(reading, f"inference-component/{name}", (*base, "scaling", short))


def _component(reading: Reading, component: Resource, path: Path, base: Path) -> None:
    properties = reading.resources.numbered(component.properties)
    reading.tags(plain(properties.get("Tags").value))
    for group, fields in _FIELDS.items():
        members = properties
        for name in group.split("."):
            members = members.get(name)
        for member, field in fields.items():
            value = members.get(member).value
            if is_unknown(value):
                reading.draft.remark((*path, field), open_(member))
            elif value is not None:
                reading.draft.set((*path, field), value)
    specification = component.properties.get("Specification")
    for name, given in (
        *((f"Specification.{name}", given) for name, given in specification.entries()),
        *component.properties.entries(),
    ):
        if name not in _READ and given.given:
            reading.draft.remark(path, f"{name} has no field; it is left out")
    container = specification.get("Container")
    model = reading.resources.referred(specification.get("ModelName"), MODEL, "ModelName")
    if model is not None:
        read_model(reading, model, base, path)
    elif isinstance(container.value, Mapping):
        renamed = {"ArtifactUrl": "ModelDataUrl"}
        given_as = {renamed.get(name, name): value for name, value in container.value.items()}
        read_container(reading, Fact(given_as, container.where), path, base, ("PrimaryContainer",))
    else:
        reading.draft.remark(
            (*path, "artifact"), "the Model does not stand beside the endpoint; write what it runs"
        )
