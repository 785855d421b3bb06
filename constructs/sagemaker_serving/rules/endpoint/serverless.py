"""Rules on serverless variants: their size, and everything that serverless excludes."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.container.image_support import named_image, processor_of_image
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import EndpointConfigFacts, VariantFacts
from sagemaker_serving.rules.facts.resources import ModelDefinitionFacts

_SHAPE = "ProductionVariantServerlessConfig"
_SIZES = f"botocore {_SHAPE}"
_EXCLUDED = "AWS SageMaker developer guide, serverless endpoints, exclusions"
_MEMORY = (1024, 2048, 3072, 4096, 5120, 6144)


@rule(
    refused=True,
    source=_SIZES,
    example="MemorySizeInMB: 1500",
    shapes=(f"{_SHAPE}.MemorySizeInMB",),
)
def serverless_memory(variant: VariantFacts) -> Iterator[Finding]:
    """A serverless variant has 1024 to 6144 MB of memory, in steps of 1024.

    CloudFormation's schema has the two ends only; AWS refuses sizes between the steps at the
    deploy.
    """
    if not variant.is_serverless:
        return
    sizes = variant.get("ServerlessConfig")
    fact = sizes.get("MemorySizeInMB")
    if fact.number is not None and fact.number not in _MEMORY:
        up = next((size for size in _MEMORY if size > fact.number), _MEMORY[-1])
        size = "the next size up" if fact.number < _MEMORY[-1] else "the largest"
        choices = f"{', '.join(map(str, _MEMORY[:-1]))} or {_MEMORY[-1]}"
        yield fact.says(f"is {fact.value}; serverless endpoints accept {choices}; use {up}, {size}")


@rule(
    refused=True,
    source=_SIZES,
    example="ProvisionedConcurrency: 6 of 5",
    shapes=(f"{_SHAPE}.MaxConcurrency", f"{_SHAPE}.ProvisionedConcurrency"),
)
def serverless_concurrency(variant: VariantFacts) -> Iterator[Finding]:
    """Provisioned concurrency is at most the concurrency that is allowed.

    Provisioned workers are kept warm and paid for; they are part of the concurrency.
    """
    if not variant.is_serverless:
        return
    sizes = variant.get("ServerlessConfig")
    most, warm = sizes.get("MaxConcurrency"), sizes.get("ProvisionedConcurrency")
    if most.number is not None and warm.number is not None and warm.number > most.number:
        yield warm.says(
            f"is {warm.value} and {most.name} is {most.value}; what is provisioned can't exceed "
            f"what is allowed; use at most {most.value}"
        )


@rule(refused=True, source=_EXCLUDED, example="two variants, one of them serverless")
def serverless_alone(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A serverless variant is its endpoint's only one.

    A serverless variant cannot share traffic with others.
    """
    serverless = [variant for variant in config.variants if variant.is_serverless]
    if serverless and len(config.variants) + len(config.shadows) > 1:
        yield serverless[0].finding(
            "the variant is serverless and the endpoint has others; a serverless variant stands "
            "alone; give each its own endpoint, or put all on instances"
        )


@rule(
    refused=True,
    source=_EXCLUDED,
    example="ServerlessConfig beside DataCaptureConfig",
    silent={"environment files": "their network is that of the Models: serverless-network"},
)
def serverless_excludes(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A serverless endpoint has no data capture, VPC or network isolation.

    Each is allowed with instances, so schemas accept the combination.
    """
    if not any(variant.is_serverless for variant in config.variants):
        return
    for fact, what in (
        (config.capture, "captures data"),
        (config.vpc, "stands in a VPC"),
        (config.network_isolation, "isolates its network"),
    ):
        if fact.given and fact.flag is not False and fact.get("EnableCapture").flag is not False:
            yield fact.says(
                f"is given, but no serverless endpoint {what}; remove it, or put the variant on "
                "instances"
            )


@rule(refused=True, source=_EXCLUDED, example="Mode: MultiModel on a serverless variant")
def serverless_model(variant: VariantFacts) -> Iterator[Finding]:
    """A serverless variant runs one container with one model, on CPUs.

    It supports neither GPUs, nor many models, nor a pipeline of containers.
    """
    if not variant.is_serverless:
        return
    if len(variant.containers) > 1:
        yield variant.finding(
            f"the variant is serverless and its model has {len(variant.containers)} containers; "
            "serverless takes no pipelines; put it on instances"
        )
    for container in variant.containers:
        if container.mode.text == "MultiModel":
            yield container.mode.says(
                "is 'MultiModel' on a serverless variant, which serves one model; put it on "
                "instances"
            )
        if processor_of_image(container) == "gpu":
            place, named = named_image(container)
            yield place.finding(
                f"{named} an image for GPUs and the variant is serverless, which has none; use the "
                "CPU image, or put the variant on a GPU type"
            )


@rule(source=_EXCLUDED, example="VpcConfig on a serverless variant's model")
def serverless_network(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """The model of a serverless variant has no VPC and no network isolation.

    Serverless runs in a network of its own.
    """
    if not model.serverless:
        return
    for fact in (model.vpc, model.network_isolation):
        if fact.given and fact.flag is not False:
            yield fact.says(
                "is given on the model of a serverless variant, which takes none; remove it, or "
                "put the variant on instances"
            )
