"""Who uses which resource of a template: by its name alone, and while it is replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import GoneFirstFacts
from sagemaker_serving.rules.facts.roles import NamedFacts
from sagemaker_serving.rules.template.marks import same_text
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.rules.template.roles import at

_MODEL = ("AWS::SageMaker::Model", "ModelName")
_CONFIG = ("AWS::SageMaker::EndpointConfig", "EndpointConfigName")
_ENDPOINT = ("AWS::SageMaker::Endpoint", "EndpointName")
_COMPONENT = ("AWS::SageMaker::InferenceComponent", "InferenceComponentName")
_NAMES = {
    "AWS::SageMaker::EndpointConfig": {
        "ProductionVariants.*.ModelName": _MODEL,
        "ProductionVariants.*.InstancePools.*.ModelNameOverride": _MODEL,
        "ShadowProductionVariants.*.ModelName": _MODEL,
    },
    "AWS::SageMaker::Endpoint": {"EndpointConfigName": _CONFIG},
    "AWS::SageMaker::InferenceComponent": {
        "EndpointName": _ENDPOINT,
        "Specification.ModelName": _MODEL,
        "Specification.BaseInferenceComponentName": _COMPONENT,
    },
    "AWS::ApplicationAutoScaling::ScalableTarget": {"ResourceId": _ENDPOINT},
    "AWS::ApplicationAutoScaling::ScalingPolicy": {
        "ResourceId": ("AWS::ApplicationAutoScaling::ScalableTarget", "ResourceId")
    },
}
"""The properties that name a resource of SageMaker's, each with its type and the property that
gives it its name (CloudFormation template reference, each type's page)."""
_OF_VARIANT = re.compile(r"endpoint/([^/]+)/variant/.*", re.DOTALL)
_REFERENCES = {"AWS::ApplicationAutoScaling::ScalableTarget": "Id"}


def named_by_text(user: Resource, resources: Resources) -> Iterator[NamedFacts]:
    """Each resource that ``user`` names by the same text as it is named, and does not wait for."""
    for path, (kind, name) in _NAMES.get(user.type, {}).items():
        for given in at(user.properties, path.split(".")):
            text = same_text(given.value)
            if text is None:
                continue
            for other in resources.of_types(kind):
                own = same_text(other.properties.get(name).value)
                waits = resources.waits(user.logical_id, other.logical_id)
                if own is not None and own == _within(text, kind) and not waits:
                    attribute = f"!GetAtt {other.logical_id}.{_REFERENCES.get(kind, name)}"
                    in_terraform = "." in other.logical_id
                    reference = f"{other.logical_id}.name" if in_terraform else attribute
                    yield NamedFacts(
                        name=Fact(given.value, given.where),
                        user=user.logical_id,
                        named=other.logical_id,
                        reference=reference,
                    )


def gone_first(resource: Resource, resources: Resources) -> Iterator[GoneFirstFacts]:
    """A model or a configuration that is deleted first, with what of the plan uses it."""
    names = dict((_MODEL, _CONFIG))
    if resource.logical_id in resources.template.gone_first and resource.type in names:
        using = resources.of_types(_CONFIG[0], _ENDPOINT[0], _COMPONENT[0])
        yield GoneFirstFacts(
            name=resource.properties.get(names[resource.type]),
            resource=resource.logical_id,
            users=tuple(
                each.logical_id
                for each in using
                if resources.waits(each.logical_id, resource.logical_id)
            ),
        )


def _within(text: str, kind: str) -> str:
    """The endpoint's name within what a scalable target is called; all else is a name itself."""
    found = _OF_VARIANT.fullmatch(text) if kind == _ENDPOINT[0] else None
    return text if found is None else found[1]
