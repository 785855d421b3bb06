"""What an environment file says, beside the shapes of AWS's API that it becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sagemaker_serving.rules.facts import (
    ContainerFacts,
    EndpointConfigFacts,
    Fact,
    TransformFacts,
    VariantFacts,
)
from sagemaker_serving.rules.facts.kinds import (
    InferenceComponentFacts,
    Listed,
    Renamed,
    SchedulesFacts,
)
from sagemaker_serving.rules.facts.resources import (
    CompilationFacts,
    ExtraFacts,
    ModelDefinitionFacts,
    NameFacts,
    UpdateFacts,
)
from sagemaker_serving.rules.facts.shapes import ShapeFacts

_EXTRA = {
    "ProductionVariants": "ProductionVariant",
    "ShadowProductionVariants": "ProductionVariant",
}


def shapes_of(fact: object) -> Iterator[ShapeFacts]:
    """A fact of an environment file in the shapes that the deploy sends to AWS."""
    match fact:
        case EndpointConfigFacts():
            yield ShapeFacts(shape="CreateEndpointConfigInput", value=_config(fact))
        case ContainerFacts():
            variables = Renamed({}, fact.where, dict(fact.environment))
            yield ShapeFacts(shape="EnvironmentMap", value=variables, owner="environment")
        case ModelDefinitionFacts():
            yield ShapeFacts(shape="ContainerDefinitionList", value=fact.containers_fact)
        case UpdateFacts():
            yield ShapeFacts(shape="DeploymentConfig", value=fact.members)
        case InferenceComponentFacts():
            yield ShapeFacts(shape="CreateInferenceComponentInput", value=fact.members)
        case NameFacts(kind="inference component"):
            yield ShapeFacts(shape="InferenceComponentName", value=fact.name)
        case SchedulesFacts():
            for each in fact.each:
                yield ShapeFacts(
                    shape="application-autoscaling.ScheduledActionName", value=each.name
                )
        case TransformFacts():
            yield ShapeFacts(shape="CreateTransformJobRequest", value=fact.members)
        case CompilationFacts():
            yield ShapeFacts(shape="CreateCompilationJobRequest", value=fact.members)
        case ExtraFacts():
            yield ShapeFacts(shape=_EXTRA.get(fact.below, fact.resource_type), value=fact.extra)


def _config(config: EndpointConfigFacts) -> Fact:
    """All but the places in S3, which the deploy writes whole."""
    capture = config.capture
    if isinstance(capture, Renamed):
        parts = {key: part for key, part in capture.parts.items() if key != "DestinationS3Uri"}
        capture = replace(capture, parts=parts)
    parts = {
        **dict(config.members.entries()),
        "ProductionVariants": _variants(config.variants_fact, config.variants),
        "ShadowProductionVariants": _variants(config.shadows_fact, config.shadows),
        "DataCaptureConfig": capture,
    }
    return Renamed({}, config.where, parts)


def _variants(written: Fact, variants: Iterable[VariantFacts]) -> Fact:
    """The list; of one without entries it is said that nothing is deployed."""
    entries = []
    for variant in variants:
        assert isinstance(variant.members, Renamed)
        parts = {**variant.members.parts, "InstancePools": variant.instance_pools}
        entries.append(replace(variant.members, parts=parts))
    return Listed(written.value if entries else None, written.where, tuple(entries))
