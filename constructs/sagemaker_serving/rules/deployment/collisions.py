"""Rules on names of two things at once: within an environment, and between neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import EnvironmentFacts
from sagemaker_serving.rules.facts.kinds import KindFacts

_ENDPOINT = "botocore CreateEndpoint.EndpointName, CreateInferenceComponent"


@rule(source=_ENDPOINT, example="models: {digits: …, Digits: …}")
def endpoint_name_unique(environment: EnvironmentFacts) -> Iterator[Finding]:
    """No two models of an environment have the same name but for capitals.

    Endpoints' names are told apart without them, so the second endpoint is not made.
    """
    seen: dict[str, str] = {}
    for model in environment.models:
        first = seen.setdefault(model.name.lower(), model.name)
        if first != model.name:
            yield model.finding(
                f"{model.name!r} and {first!r} differ in capitals only, which names of endpoints "
                "do not; rename one of them"
            )


@rule(source=_ENDPOINT, example="models a and a-b, components b-c and c")
def component_name_unique(environment: EnvironmentFacts) -> Iterator[Finding]:
    """No two inference components are named ``<environment>-<model>-<component>`` alike.

    They are one account's and region's, whatever endpoint they are on.
    """
    seen: dict[str, str] = {}
    models = environment.models_fact
    for model, written in models.entries():
        for name, component in written.get("inference_components").entries():
            mine = f"{name!r} of {model!r}"
            first = seen.setdefault(f"{model}-{name}", mine)
            if first != mine:
                full = f"{environment.name.text}-{model}-{name}"
                yield component.finding(
                    f"{mine} and {first} would both be named {full!r}; rename one of them"
                )


@rule(source="this project", example="components half and halfModel")
def component_name_parts(kind: KindFacts) -> Iterator[Finding]:
    """No inference component is named as another one's Model or Errors.

    The parts of a component stand beside it in the stack, under its name.
    """
    components = dict(kind.model.get("inference_components").entries())
    for name, component in components.items():
        for part in ("Model", "Errors"):
            if name.endswith(part) and name.removesuffix(part) in components:
                yield component.finding(
                    f"{name!r} is what the stack calls a part of {name.removesuffix(part)!r}; "
                    "rename one of them"
                )


@rule(source="this project", example="name: dev   # in two files")
def environment_name_unique(environment: EnvironmentFacts) -> Iterator[Finding]:
    """No two files of ``environments/`` describe the same environment, stack or endpoint.

    Files of one name cannot be built together, and a deploy of one would replace the other's
    stacks. Names join, too: model ``a-b`` of ``dev`` and model ``b`` of ``dev-a`` are one endpoint.
    """
    name = environment.name.text
    for other in environment.neighbours:
        if name is not None and other.name == name:
            yield environment.name.says(
                f"is {name!r}, and so it is in {other.file}; give each file its own"
            )
        elif name is not None and environment.may_share_a_place_with(other):
            taken = {f"{other.name}-{model}".lower(): model for model in other.models}
            for model, where in (*environment.models_fact.entries(), ("Storage", environment.name)):
                if f"{name}-{model}".lower() in taken:
                    their = taken[f"{name}-{model}".lower()]
                    yield where.finding(
                        f"{name}-{model} is what {other.file} calls its {their!r}, in the same "
                        "region; rename one of them"
                    )
