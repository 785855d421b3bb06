"""Inference components of an endpoint, as the field ``inference_components``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import Reading, is_unknown, open_, plain, take
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
            at = (*base, "inference_components", short)
            _component(reading, component, at, base, called)
            read_scaling(reading, f"inference-component/{name}", (*base, "scaling", short))


def _base(reading: Reading, name: Any, path: Path, called: str | None) -> None:
    """An adapter's base, by what its component is called in the file."""
    if isinstance(name, Unknown):
        found = (one for one in reading.of(COMPONENT) if one.logical_id == name.name)
        named = (one.properties.get("InferenceComponentName").text for one in found)
        name = next((each for each in named if each is not None), name.name)
    field = (*path, "base_inference_component_name")
    if name is None:
        reading.draft.remark(field, open_("it"))
    else:
        reading.draft.set(field, str(name).removeprefix(f"{called}-"))


def _left_over(reading: Reading, members: Any, extra: Path, path: Path) -> None:
    """What no field says goes to ``extra``, where only a deploy knows it as a remark."""
    for name, left in members.items():
        if isinstance(left, Mapping) and not is_unknown(left):
            _left_over(reading, left, (*extra, name), path)
        elif is_unknown(left):
            reading.draft.remark(path, open_(name))
        elif left is not None and left != []:
            reading.draft.set((*extra, name), left)


def _component(
    reading: Reading, component: Resource, path: Path, base: Path, called: str | None
) -> None:
    properties = reading.resources.numbered(component.properties)
    reading.tags(plain(properties.get("Tags").value))
    rest = plain(properties.value)
    base_name = take(rest, "Specification", "BaseInferenceComponentName")
    if base_name is None:
        reading.by_fields(ComponentSettings, rest, path)
    else:
        _base(reading, base_name, path, called)
    specification = component.properties.get("Specification")
    for name in ("ModelName", "Container"):
        take(rest, "Specification", name)
    if take(rest, "DeploymentConfig") is not None:
        reading.draft.remark(path, "DeploymentConfig is left out; write it as update of the model")
    for name in _READ:
        take(rest, name)
    _left_over(reading, rest, (*path, "extra"), path)
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
