"""What serves already, read from its resources into an environment file.

The source is a template: CloudFormation's own, a Terraform plan in its form, or what SageMaker
describes. Which field each member becomes stands in one table, `spec.members`, by which the
stacks are held against CloudFormation's schemas, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from local_aws.suggest import nearest
from sagemaker_serving.errors import Mistake
from sagemaker_serving.operations.adoption.components import read_components
from sagemaker_serving.operations.adoption.draft import Draft
from sagemaker_serving.operations.adoption.members import (
    Reading,
    open_,
    read_config,
    read_endpoint,
)
from sagemaker_serving.operations.adoption.scaling import read_scaling
from sagemaker_serving.operations.adoption.variants import read_variants
from sagemaker_serving.rules.template import Template
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.spec.members import ENDPOINT, ENDPOINT_CONFIG


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
) -> Adopted:
    """The environment file ``name`` with a model for each endpoint of ``template``.

    Nothing is changed, neither the source nor AWS. The endpoints get names of their own,
    ``<name>-<model>``, because CloudFormation imports none; with ``existing`` the file names those
    that there are, for a deploy to move. What has no field is written into
    ``extra`` by AWS's names; what only a deploy knows, and what the stacks make themselves, is a
    comment. A template's parameters have the values of ``parameters``, or their defaults, or the
    first that is allowed; those that were needed are told. Raises `Mistake` where there is no
    endpoint, and for a parameter that the template lacks.
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
    for endpoint in reading.of(ENDPOINT):
        config = resources.referred(
            endpoint.properties.get("EndpointConfigName"), ENDPOINT_CONFIG, "EndpointConfigName"
        )
        if config is not None:
            models.append(_read(reading, endpoint, config, models, existing=existing))
    if not models:
        raise Mistake(
            f"{template.where.source or 'the source'}: there is no {ENDPOINT} whose EndpointConfig "
            "stands beside it; name what describes both"
        )
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
