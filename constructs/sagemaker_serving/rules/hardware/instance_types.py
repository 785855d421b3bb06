"""Rules on instance types: what the API takes, where they are, what they can run."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.catalog.images import framework_scopes, image_regions
from sagemaker_serving.catalog.instances import (
    InstanceType,
    UnknownInstanceType,
    Use,
    alternative,
    instance_type,
    priced_regions,
    regions,
    regions_offering,
)
from sagemaker_serving.catalog.published import published_image
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact, TransformFacts, VariantFacts

_ENUMS = "botocore's ProductionVariantInstanceType and TransformInstanceType"
_PRICES = "SageMaker price lists in cfn-lint"
_RETIRED = {"p2": "ml.g5", "p3": "ml.g5"}
"""Families that the API's enum has and no price list: gone, and what to use instead."""

_NEURON = "aws-neuron-sdk, runtime of Neuron 2.30.0 (3afa0fd) and Inf1's driver (6b07c27)"


@rule(source=_ENUMS, example="instance_type: ml.t3.medium")
def endpoint_instance_type(variant: VariantFacts) -> Iterator[Finding]:
    """A variant's instance type is one that endpoints take.

    EC2 has types that SageMaker lacks, and endpoints take others than notebooks do. CloudFormation
    says so only after the model and the endpoint's configuration were made.
    """
    for fact in types_of(variant):
        yield from _taken(fact, variant.region, "endpoint", "endpoints")


@rule(source=_ENUMS, example="instance_type: ml.c7g.large")
def transform_instance_type(transform: TransformFacts) -> Iterator[Finding]:
    """A batch pipeline's instance type is one that transform jobs take.

    Transform jobs take fewer types than endpoints: no Graviton, no Inferentia, no burstable ones.
    """
    for fact in types_of(transform):
        yield from _taken(fact, transform.region, "transform", "transform jobs")


@warning(source=_PRICES, example="instance_type: ml.trn1.2xlarge   # in eu-west-1")
def endpoint_instance_region(variant: VariantFacts) -> Iterator[Finding]:
    """A variant's instance type is offered in the region, according to price lists.

    A deploy to a region without the type fails after minutes. Price lists lag, so this warns.
    """
    for fact in types_of(variant):
        yield from _offered(fact, variant.region, "endpoint")


@warning(source=_PRICES, example="batch_transform: {instance_type: ml.c4.xlarge}   # in af-south-1")
def transform_instance_region(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's instance type is offered in the region, according to price lists.

    Transform jobs have prices of their own, and are not in every region that has endpoints.
    """
    for fact in types_of(transform):
        yield from _offered(fact, transform.region, "transform")


@warning(source=f"{_PRICES}; {_NEURON}", example="instance_type: ml.p3.2xlarge")
def instance_retired(facts: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """An instance type is still sold somewhere, and AWS keeps the software for it.

    The API still accepts families that no price list has any more. So a deploy would wait for
    capacity that never comes. Inf1 is sold, but AWS took it out of Neuron.
    """
    fact = facts.instance_type
    kind = known(fact)
    if kind is not None and kind.family in _RETIRED and not regions_offering(kind.name):
        yield fact.says(
            f"is {kind.name!r}; the API's list still has the family {kind.family}, but no region's "
            f"price list does; use {_RETIRED[kind.family]} of a like size"
        )
    if kind is not None and kind.neuron == "Inferentia":
        yield fact.says(
            f"is {kind.name!r}; AWS took Inf1 out of Neuron's runtime with 2.30 (2026-05-21) and "
            "only patches its last driver for it, 2.24; use ml.inf2 with the model compiled for "
            "Inferentia2, or a CPU or GPU type"
        )


@rule(
    source="AWS SageMaker developer guide, Neo",
    example="instance_type: ml.inf1.xlarge   # with framework: tensorflow and no image_uri",
)
def neuron_needs_compiled_model(container: ContainerFacts) -> Iterator[Finding]:
    """Inferentia and Trainium run only models compiled for them, in images made for them.

    In any other image the model runs on the host's few CPUs, or does not start at all.
    """
    kind = known(container.instance_type)
    if kind is None or kind.neuron is None:
        return
    image = published_image(container.image_uri.text)
    if image is not None and not image.neuron:
        yield container.image_uri.says(
            f"is {image.image.repository}:{image.image.tag} on {kind.name}, an {kind.neuron} host; "
            "this image does not use it; use a Neuron image and a model compiled for it, or a CPU "
            "or GPU type"
        )
    # The catalog has Neo's images for Inf1, which take archives only.
    place = container.artifact.get("s3") if container.artifact.text is None else container.artifact
    is_neo_output = kind.neuron == "Inferentia" and (place.text or "").endswith(".tar.gz")
    compiled = container.compilation.given or is_neo_output
    if not container.image_uri.given and not compiled:
        yield container.instance_type.says(
            f"is {kind.name!r}, an {kind.neuron} host; it runs models compiled for it, in a Neuron "
            "image; let the deploy compile it (compile: {target_device: …}), give that image as "
            "image_uri and the compiled archive as artifact, or use a CPU or GPU type"
        )


@warning(
    source="EC2 user guide, burstable performance instances",
    example="instance_type: ml.t2.medium   # with a batching block",
)
def burstable_batching(container: ContainerFacts) -> Iterator[Finding]:
    """Server-side batching runs on a type without CPU credits.

    Batching keeps the CPUs busy. A burstable type is throttled when its credits are spent, and the
    endpoint's latency grows tenfold.
    """
    kind = known(container.instance_type)
    switch = container.environment.get("SAGEMAKER_TFS_ENABLE_BATCHING")
    batches = bool(container.batching) or (switch is not None and switch.flag is True)
    if kind is not None and kind.burstable and batches:
        yield container.instance_type.says(
            f"is {kind.name!r}, whose CPU is throttled when its credits are spent, and batching is "
            "on; use ml.c5 or ml.m5 of a like size, or turn batching off"
        )


def known(fact: Fact) -> InstanceType | None:
    """The instance type, or None when it is no text or not in the catalog."""
    try:
        return instance_type(fact.text) if fact.text is not None else None
    except UnknownInstanceType:
        return None


def image_of_framework(container: ContainerFacts) -> EcrImage | None:
    """The image of AWS's that the framework and its version are, on the container's host.

    None where these, the region or the host's type are not known: a type that is not known is not
    taken for one without a GPU. Raises `UnknownImage`; of an unknown framework, and of a version
    that has no image on any type, whatever else is.
    """
    framework, version = container.framework.text, container.framework_version.text
    region, kind = container.region.text, known(container.instance_type)
    if framework is None:
        return None
    scopes = framework_scopes(framework)
    if version is None or region not in regions():
        return None
    is_unknown = kind is None and container.instance_type.given
    if is_unknown and any(image_regions(framework, version, scope) for scope in scopes):
        return None
    return image_for(
        kind, framework=framework, version=version, region=region, accelerator=container.accelerator
    )


def types_of(host: VariantFacts | TransformFacts) -> Iterator[Fact]:
    """Its instance type, and those of its pools."""
    yield host.instance_type
    yield from (pool.get("InstanceType") for pool in host.instance_pools.items())


def _taken(fact: Fact, region: Fact, use: Use, plural: str) -> Iterator[Finding]:
    if fact.text is None:
        return
    kind = known(fact)
    if kind is None or use not in kind.uses:
        yield fact.says(
            f"is {fact.text!r}; {plural} do not take it; {alternative(fact.text, use, region.text)}"
        )


def _offered(fact: Fact, region: Fact, use: Use) -> Iterator[Finding]:
    kind = known(fact)
    if kind is None or use not in kind.uses or region.text not in priced_regions():
        return
    if kind.family in _RETIRED:
        return  # said by a rule of its own, wherever it is deployed to
    offering = regions_offering(kind.name, use)
    if region.text not in offering:
        where = f"it is priced in {', '.join(offering)}" if offering else "no region prices it"
        yield fact.says(
            f"is {kind.name!r}; the price list of {region.text} lacks it ({where}); price lists "
            "lag, so look before you deploy"
        )
