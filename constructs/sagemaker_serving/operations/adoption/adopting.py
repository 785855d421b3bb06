"""What serves already, read from its resources into an environment file.

The source is a template: CloudFormation's own, a Terraform plan in its form, or what SageMaker
describes. Which field each member becomes stands in one table, `spec.members`, by which the
stacks are held against CloudFormation's schemas, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.errors import Mistake
from sagemaker_serving.operations.adoption.draft import Draft, Path
from sagemaker_serving.operations.adoption.members import (
    Reading,
    is_unknown,
    open_,
    plain,
    read_config,
    read_endpoint,
    take,
)
from sagemaker_serving.operations.adoption.routers import Router, read_router
from sagemaker_serving.operations.adoption.scaling import read_scaling
from sagemaker_serving.operations.adoption.variants import read_container, read_model, read_variants
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template import Template
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL
from sagemaker_serving.spec.variants import ComponentSettings


@dataclass(frozen=True, kw_only=True)
class Adopted:
    """An environment file's text, and what of the source it does not say, each with its place."""

    text: str
    models: tuple[str, ...]
    remarks: tuple[str, ...]


def adopt(
    template: Template,
    *,
    name: str,
    region: str,
    parameters: Mapping[str, str] | None = None,
    existing: bool = False,
    router: Router | None = None,
) -> Adopted:
    """The environment file ``name`` with a model for each endpoint of ``template``.

    Nothing is changed, neither the source nor AWS. The endpoints get names of their own,
    ``<name>-<model>``, because CloudFormation imports none; with ``existing`` the file names those
    that there are, for a deploy to move. What has no field is written into
    ``extra`` by AWS's names; what only a deploy knows, and what the stacks make themselves, is a
    comment. A ``router`` of these endpoints becomes one of the file's. A template's parameters have
    the values of ``parameters``, or their defaults, or the first that is allowed; those that were
    needed are told. Raises `Mistake` where there is no endpoint, and for a parameter that the
    template lacks.
    """
    chosen = dict(parameters or {})
    for given in chosen.keys() - template.parameters.keys():
        near = nearest(given, template.parameters)
        meant = f"did you mean {near}?" if near else f"there are {', '.join(template.parameters)}"
        raise Mistake(f"the template has no parameter {given!r}; {meant}")
    resources = Resources(template, region)
    resources = resources.under(resources.scenarios.where(chosen))
    draft = Draft(name, region)
    reading = Reading(draft=draft, resources=resources, name=name)
    models: list[str] = []
    read_from: dict[str, str] = {}
    for endpoint in reading.of(ENDPOINT):
        config = resources.referred(
            endpoint.properties.get("EndpointConfigName"), ENDPOINT_CONFIG, "EndpointConfigName"
        )
        if config is not None:
            models.append(_read(reading, endpoint, config, models, existing=existing))
            read_from[endpoint.properties.get("EndpointName").text or ""] = models[-1]
    if not models:
        raise Mistake(
            f"{template.where.source or 'the source'}: there is no {ENDPOINT} whose EndpointConfig "
            "stands beside it; name what describes both"
        )
    if router is not None:
        read_router(draft, router, read_from)
    used = {
        name: value
        for (what, name), value in sorted(resources.asked.items())
        if what == "parameter" and isinstance(value, str) and name in template.parameters
    }
    if used:
        told = ", ".join(f"{name}={value}" for name, value in used.items())
        draft.remark((), f"read with the parameters {told}; --parameter gives others")
    return Adopted(
        text=draft.text(),
        models=tuple(models),
        remarks=tuple(f"{_dotted(path)}: {said}" if path else said for path, said in draft.remarks),
    )


def _read(
    reading: Reading, endpoint: Resource, config: Resource, taken: list[str], *, existing: bool
) -> str:
    model = _model_name(endpoint, taken)
    called = endpoint.properties.get("EndpointName").text
    path = ("models", model)
    for part, read in (
        (endpoint, read_endpoint),
        (config, read_config),
        (config, read_variants),
    ):
        if isinstance(part.properties.value, Mapping):
            read(reading, part.properties, path)
        else:
            reading.draft.remark(path, open_(f"all of {part.logical_id}"))
    read_components(reading, endpoint, path)
    for name in dict.fromkeys((endpoint.logical_id, called or endpoint.logical_id)):
        for variant in reading.draft.get((*path, "variants")) or ():
            scaled = str(variant.get("name"))
            read_scaling(reading, f"endpoint/{name}/variant/{scaled}", (*path, "scaling", scaled))
    if existing and called is not None:
        reading.draft.set((*path, "endpoint", "existing"), called)
        said = f"read from the endpoint {called}, which a deploy of this file moves to its variants"
    else:
        said = (
            f"read from the endpoint {called or endpoint.logical_id}, which stays as it is; this "
            f"one will be called {reading.name}-{model}"
        )
    reading.draft.remark(path, said)
    return model


def _model_name(endpoint: Resource, taken: list[str]) -> str:
    text = endpoint.properties.get("EndpointName").text or endpoint.logical_id
    words = "".join(one if one.isalnum() and one.isascii() else "-" for one in text)
    wanted = "-".join(word for word in words.split("-") if word)[:40].strip("-") or "model"
    name, number = wanted, 1
    while name.lower() in {one.lower() for one in taken}:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _dotted(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


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
