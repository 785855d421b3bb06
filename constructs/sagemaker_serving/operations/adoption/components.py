"""Inference components of an endpoint, as the field ``inference_components``."""

from __future__ import annotations

from collections.abc import Mapping

from local_aws.template import Unknown
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import Reading, plain, take
from sagemaker_serving.operations.adoption.scaling import read_scaling
from sagemaker_serving.operations.adoption.variants import read_container, read_model
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.resources import Resource
from sagemaker_serving.spec.members import COMPONENT, MODEL
from sagemaker_serving.spec.variants import ComponentSettings

_READ = ("InferenceComponentName", "EndpointName", "VariantName", "Tags")


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
    rest = plain(properties.value)
    reading.by_fields(ComponentSettings, rest, path)
    specification = component.properties.get("Specification")
    for name in ("ModelName", "Container"):
        take(rest, "Specification", name)
    for name in (
        *(f"Specification.{name}" for name, left in rest.pop("Specification", {}).items() if left),
        *(name for name, left in rest.items() if left and name not in _READ),
    ):
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
