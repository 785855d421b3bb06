"""Rules on instance pools: the types that a variant may be on, in order of preference."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known

_SOURCE = "botocore ProductionVariant.InstancePools"
_GUIDE = "AWS SageMaker developer guide, instance pools"


@rule(
    refused=True,
    source=_SOURCE,
    example="instance_types: [six of them]",
    shapes=("InstancePoolList",),
)
def pools_count(variant: VariantFacts) -> Iterator[Finding]:
    """A variant has few instance types in order of preference, each once.

    CreateEndpointConfig refuses more, and none.
    """
    seen: set[str] = set()
    for kind in (pool.get("InstanceType") for pool in variant.instance_pools.items()):
        if kind.text is not None and kind.text in seen:
            yield kind.says(f"has {kind.text} twice; remove one of them")
        seen.add(kind.text or "")


@rule(
    refused=True,
    source=_SOURCE,
    example="InstancePools: [{InstanceType: ml.g5.xlarge}]",
    shapes=("InstancePool.Priority",),
)
def pools_order(variant: VariantFacts) -> Iterator[Finding]:
    """Every instance pool has its own Priority, of which the lowest comes first.

    Without one SageMaker does not know which type to try first.
    """
    seen: set[float] = set()
    for pool in variant.instance_pools.items():
        priority = pool.get("Priority")
        if priority.number is not None and priority.number in seen:
            yield priority.says(f"{priority.value} stands above, too; give each pool its own")
        if priority.number is not None:
            seen.add(priority.number)


@rule(
    refused=True,
    source=_GUIDE,
    example="{instance_type: ml.g5.xlarge, instance_types: [ml.g6.xlarge]}",
)
def pools_alone(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """A variant, or a batch pipeline, has one instance type, or several in order of preference.

    Which of both holds would be for AWS to say.
    """
    alone, several = host.instance_type, host.instance_pools
    depth = len(several.where.path)
    if alone.given and several.given and alone.where.path[:depth] != several.where.path:
        yield several.says(
            f"stands beside {alone.name}; remove {alone.name}, and begin the list with it"
        )


@rule(source=_GUIDE, example="instance_types: [ml.g5.xlarge, ml.c7g.xlarge]")
def pools_alike(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """All instance types of a variant, or a batch pipeline, run the same image.

    The model has one image, for one architecture, for CPUs or for GPUs. On another type its
    container does not start, or leaves the GPU idle.
    """
    pools = [
        pool for pool in host.instance_pools.items() if not pool.get("ModelNameOverride").given
    ]
    kinds = [(pool.get("InstanceType"), known(pool.get("InstanceType"))) for pool in pools]
    alike = [(fact, kind) for fact, kind in kinds if kind is not None]
    for fact, kind in alike[1:]:
        first = alike[0][1]
        if (kind.architecture, kind.processor, kind.neuron) != (
            first.architecture,
            first.processor,
            first.neuron,
        ):
            yield fact.says(
                f"has {first.name} and {kind.name}, which do not run the same image; use types of "
                "one architecture, all with GPUs or all without"
            )
