"""Rules on instance types: what the API takes, where they are, what they can run."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog import (
    InstanceType,
    UnknownInstanceType,
    instance_type,
    instance_types,
    regions,
    regions_offering,
)
from sagemaker_serving.catalog.instances import Use
from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ContainerFacts, Fact, TransformFacts, VariantFacts
from sagemaker_serving.suggest import nearest

_ENUMS = "botocore's ProductionVariantInstanceType and TransformInstanceType, read 2026-11-21"
_PRICES = "SageMaker price lists in cfn-lint, read 2026-11-21"


@rule("endpoint-instance-type", source=_ENUMS)
def endpoint_instance_type(variant: VariantFacts) -> Iterator[Finding]:
    """A variant's instance type is one that endpoints take."""
    yield from _taken(variant.instance_type, "endpoint", "endpoints")


@rule("transform-instance-type", source=_ENUMS)
def transform_instance_type(transform: TransformFacts) -> Iterator[Finding]:
    """A batch pipeline's instance type is one that transform jobs take."""
    yield from _taken(transform.instance_type, "transform", "transform jobs")


@rule("endpoint-instance-region", source=_PRICES, severity=Severity.WARNING)
def endpoint_instance_region(variant: VariantFacts) -> Iterator[Finding]:
    """A variant's instance type is offered in the region, as far as price lists tell."""
    yield from _offered(variant.instance_type, variant.region, "endpoint")


@rule("transform-instance-region", source=_PRICES, severity=Severity.WARNING)
def transform_instance_region(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's instance type is offered in the region, as far as price lists tell."""
    yield from _offered(transform.instance_type, transform.region, "transform")


@rule("neuron-needs-compiled-model", source="AWS SageMaker developer guide, Neo; read 2026-11-21")
def neuron_needs_compiled_model(container: ContainerFacts) -> Iterator[Finding]:
    """Inferentia and Trainium run only models compiled for them, in images made for them."""
    kind = known(container.instance_type)
    if kind is not None and kind.neuron is not None and container.image_uri.value is None:
        yield (
            container.instance_type.where,
            f"instance_type is {kind.name!r}, an {kind.neuron} host; it runs models compiled for "
            "it, in a Neuron image; give that image as image_uri and the compiled archive as "
            "artifact, or use a CPU or GPU type",
        )


def known(fact: Fact) -> InstanceType | None:
    """The instance type, or None when it is no text or not in the catalog."""
    try:
        return instance_type(fact.text) if fact.text is not None else None
    except UnknownInstanceType:
        return None


def _taken(fact: Fact, use: Use, plural: str) -> Iterator[Finding]:
    if fact.text is None:
        return
    kind = known(fact)
    if kind is None or use not in kind.uses:
        yield (
            fact.where,
            f"instance_type is {fact.text!r}; {plural} do not take it; "
            f"{_alternative(fact.text, use)}",
        )


def _alternative(name: str, use: Use) -> str:
    """The nearest type that would do: the same size of a like family first."""
    names = [kind.name for kind in instance_types(use)]
    parts = name.removeprefix("ml.").split(".")
    if len(parts) == 2:
        family, size = parts
        alike = [
            other
            for other in names
            if other.split(".")[1][:1] == family[:1] and other.split(".")[2] == size
        ]
        close = nearest(name, alike)
        if close is not None or alike:
            return f"use {close or alike[0]}"
    close = nearest(name if name.startswith("ml.") else f"ml.{name}", names)
    return f"did you mean {close}" if close is not None else "use ml.m5.xlarge, for one"


def _offered(fact: Fact, region: Fact, use: Use) -> Iterator[Finding]:
    kind = known(fact)
    if kind is None or use not in kind.uses or region.text not in regions():
        return
    offering = regions_offering(kind.name, use)
    if region.text not in offering:
        where = f"it is priced in {', '.join(offering)}" if offering else "no region prices it"
        yield (
            fact.where,
            f"instance_type is {kind.name!r}; the price list of {region.text} lacks it ({where}); "
            "price lists lag, so look before you deploy",
        )
