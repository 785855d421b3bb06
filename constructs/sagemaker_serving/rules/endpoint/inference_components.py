"""Rules on inference components: the share of an instance that each copy is given."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts.kinds import InferenceComponentFacts, KindFacts
from sagemaker_serving.rules.hardware.instance_types import known

_SOURCE = "botocore InferenceComponentComputeResourceRequirements, read 2026-11-21"


@rule("component-size", source=_SOURCE, example="min_memory_required_in_mb: 64")
def component_size(component: InferenceComponentFacts) -> Iterator[Finding]:
    """A copy has at least 128 MB, a quarter of a core, and one accelerator if any.

    CreateInferenceComponent refuses less, after the endpoint was made.
    """
    yield from at_least(component.min_memory, 128)
    yield from at_least(component.max_memory, 128)
    yield from at_least(component.cpu_cores, 0.25)
    yield from at_least(component.accelerators, 1)
    yield from at_least(component.copies, 0)
    yield from between(component.download_timeout, 60, 3600)
    yield from between(component.startup_timeout, 60, 3600)
    least, most = component.min_memory.number, component.max_memory.number
    if least is not None and most is not None and most < least:
        yield (
            component.max_memory.where,
            f"{component.max_memory.name} is {component.max_memory.value} and "
            f"{component.min_memory.name} is {component.min_memory.value}; the maximum can't "
            f"be below the minimum; use at least {component.min_memory.value}",
        )


@rule(
    "component-fits",
    source=f"{_SOURCE}; moto's EC2 instance types, read 2026-11-21",
    example="number_of_accelerator_devices_required: 2   # on ml.g5.xlarge",
)
def component_fits(component: InferenceComponentFacts) -> Iterator[Finding]:
    """One copy fits onto an instance of its variant: memory, cores, accelerators.

    Otherwise no instance ever has room for it, and the component waits until it fails. SageMaker
    uses a part of the memory itself, so a copy that just fits here may not fit on AWS.
    """
    kind = known(component.instance_type)
    if kind is None:
        return
    room = (
        (component.min_memory, kind.memory_mib, "MB of memory"),
        (component.cpu_cores, kind.vcpus, "cores"),
        (component.accelerators, None if kind.neuron else kind.gpus, "GPUs"),
    )
    for wanted, there, what in room:
        if wanted.number is not None and there is not None and wanted.number > there:
            yield (
                wanted.where,
                f"{wanted.name} is {wanted.value} and {kind.name} has {there} {what}; use at most "
                f"{there}, or a larger type",
            )


@rule(
    "component-copies",
    source="this project",
    example="scaling: {half: {min: 2, max: 4}}   # and copy_count: 3 of half",
)
def component_copies(kind: KindFacts) -> Iterator[Finding]:
    """A component with scaling has no copy_count.

    Every update would set them back to that count, whatever the load.
    """
    scaled = dict(kind.model.get("scaling").entries())
    for name, component in kind.model.get("inference_components").entries():
        copies = component.get("copy_count")
        if name in scaled and copies.number is not None and copies.number != 1:
            yield (
                copies.where,
                f"copy_count is {copies.value}, and {name} is scaled; leave copy_count out, and "
                "let min of its scaling say how many copies there are at first",
            )
