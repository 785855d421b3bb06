"""Rules on inference components: the share of an instance that each copy is given."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.engine.numbers import not_below
from sagemaker_serving.rules.facts import EndpointConfigFacts, Fact, VariantFacts
from sagemaker_serving.rules.facts.kinds import InferenceComponentFacts, KindFacts
from sagemaker_serving.rules.hardware.instance_types import known

_REQUIREMENTS = "InferenceComponentComputeResourceRequirements"
_SOURCE = f"botocore {_REQUIREMENTS}"


@rule(
    refused=True,
    source=_SOURCE,
    example="min_memory_required_in_mb: 64",
    shapes=(
        _REQUIREMENTS,
        *(
            f"{_REQUIREMENTS}.{member}"
            for member in (
                "MinMemoryRequiredInMb",
                "MaxMemoryRequiredInMb",
                "NumberOfCpuCoresRequired",
                "NumberOfAcceleratorDevicesRequired",
            )
        ),
        "InferenceComponentCopyCount",
        "InferenceComponentStartupParameters.ModelDataDownloadTimeoutInSeconds",
        "InferenceComponentStartupParameters.ContainerStartupHealthCheckTimeoutInSeconds",
    ),
)
def component_size(component: InferenceComponentFacts) -> Iterator[Finding]:
    """A copy is given memory, cores and accelerators that there can be, and no more than its most.

    CreateInferenceComponent refuses others, after the endpoint was made.
    """
    least = component.needs.get("MinMemoryRequiredInMb")
    yield from not_below(component.needs.get("MaxMemoryRequiredInMb"), least)


@rule(
    source=f"{_SOURCE}; moto's EC2 instance types",
    example="number_of_accelerator_devices_required: 2   # on ml.g5.xlarge",
)
def component_fits(component: InferenceComponentFacts) -> Iterator[Finding]:
    """One copy fits onto an instance of its variant: memory, cores, accelerators; all copies of it
    onto all instances, where nothing makes more of these.

    Otherwise no instance ever has room for it, and the component waits until it fails. SageMaker
    uses a part of the memory itself, so a copy that just fits here may not fit on AWS.
    """
    kind = known(component.host.instance_type) if component.host is not None else None
    if kind is None:
        return
    needs = component.needs
    devices = needs.get("NumberOfAcceleratorDevicesRequired")
    room = (
        (needs.get("MinMemoryRequiredInMb"), kind.memory_mib, "MB of memory"),
        (needs.get("NumberOfCpuCoresRequired"), kind.vcpus, "cores"),
        (devices, None if kind.neuron else kind.gpus, "GPUs"),
    )
    for wanted, there, what in room:
        if wanted.number is not None and there is not None and wanted.number > there:
            yield wanted.says(
                f"is {wanted.value} and {kind.name} has {there} {what}; use at most {there}, or a "
                "larger type"
            )
        elif wanted.number and there is not None:
            yield from _copies_fit(component, wanted, int(there // wanted.number))


def _copies_fit(
    component: InferenceComponentFacts, wanted: Fact, on_each: int
) -> Iterator[Finding]:
    """All copies fit onto a number of instances that nothing changes."""
    host, copies = component.host, component.copies
    count = host.get("InitialInstanceCount").number if host is not None else None
    if host is None or count is None or host.get("ManagedInstanceScaling").given:
        return
    if copies.number is not None and copies.number > on_each * count:
        yield copies.says(
            f"is {copies.value}, each with {wanted.name} {wanted.value}; "
            f"{_several(on_each * int(count), 'copy', 'copies')} of that fit onto "
            f"{_several(int(count), 'instance', 'instances')}; use at most so many, more "
            "instances, or managed instance scaling"
        )


def _several(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


@rule(
    refused=True,
    source="hashicorp/terraform-provider-aws#45926",
    example="ManagedInstanceScaling: {Status: ENABLED, …}   # beside ModelName",
)
def component_scaling(variant: VariantFacts) -> Iterator[Finding]:
    """SageMaker itself scales the instances of inference components only.

    CreateEndpointConfig refuses managed scaling of a variant that runs a model of its own. Before
    2026 it took it, without effect. Whether it takes it without a Status was not reported.
    """
    managed = variant.get("ManagedInstanceScaling")
    if variant.model.given and managed.get("Status").text == "ENABLED":
        instead = ("scaling", "inference_components")
        if not managed.name.islower():
            instead = ("a scalable target", "inference components in the place of ModelName")
        yield managed.says(
            "is of inference components, and the variant runs a model of its own; use "
            f"{instead[0]}, or {instead[1]}"
        )


@rule(
    refused=True,
    source="hashicorp/terraform-provider-aws#48738",
    example="EnableNetworkIsolation of an EndpointConfig   # beside ModelName",
)
def component_isolation(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A configuration isolates the containers of inference components only.

    A Model says itself whether it is isolated. CreateEndpointConfig refuses it beside ModelName.
    """
    isolation = config.network_isolation
    if isolation.flag is True and any(variant.model.given for variant in config.variants):
        yield isolation.says(
            "is of inference components, and a variant runs a model of its own; move "
            f"{isolation.name} to the model"
        )


@rule(
    refused=True,
    source="hashicorp/terraform-provider-aws#44977, stdapi-ai/stdapi.ai#43",
    example="ProductionVariants: [{VariantName: a, …}]   # neither ModelName nor ExecutionRoleArn",
)
def component_role(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A config whose variant has no model says the role of its inference components.

    CreateEndpointConfig refuses it otherwise; the schema demands neither.
    """
    if config.role.given:
        return
    for variant in config.variants:
        if not variant.is_serverless and not variant.model.given:
            yield variant.finding(
                f"ModelName is missing, and so is {config.role.name} of the config; name a model, "
                f"or add {config.role.name} for inference components"
            )


@rule(
    source="hashicorp/terraform-provider-aws#40644",
    example="an InferenceComponent on a variant with a ModelName",
)
def component_place(component: InferenceComponentFacts) -> Iterator[Finding]:
    """A component stands on a variant that its endpoint has, and that runs no model of its own.

    The endpoint comes up, and then every component is refused.
    """
    host, name = component.host, component.variant
    names = component.config.names if component.config is not None else None
    if host is not None and host.model.given:
        yield name.says(
            f"is {name.text!r}, which runs a model of its own and takes no component; remove its "
            "ModelName, or the component"
        )
    elif name.text is not None and names is not None and name.text not in names:
        yield name.says(
            f"is {name.text!r}; the endpoint's variants are {', '.join(names)}; name one of them"
        )


@rule(
    refused=True,
    source="botocore InferenceComponentSpecification",
    example="Specification: {ComputeResourceRequirements: {…}}   # and no model",
)
def component_model(component: InferenceComponentFacts) -> Iterator[Finding]:
    """A component names its model, has a container of its own, or adapts another component.

    It says what a copy is given, but for an adapter, which has a share of the other's. The schema
    asks for none of them.
    """
    specification = component.specification
    adapts = specification.get("BaseInferenceComponentName").given
    wanted = specification.get("ComputeResourceRequirements")
    if specification.given and adapts is wanted.given:
        advice = "an adapter uses what its base is given; remove it"
        if not adapts:
            advice = "a copy is given memory and cores; add it"
        yield wanted.says(f"is {'given' if adapts else 'missing'}; {advice}")
    ways = ("ModelName", "Container", "BaseInferenceComponentName")
    if specification.given and not any(specification.get(way).given for way in ways):
        yield specification.says(
            f"has none of {', '.join(ways)}, so there is nothing to run; give one of them"
        )


@rule(
    source="botocore InferenceComponentSpecification.BaseInferenceComponentName",
    example="inference_components: {polite: {base_inference_component_name: absent, …}}",
)
def component_base(kind: KindFacts) -> Iterator[Finding]:
    """An adapter names a component that runs a model, and is scaled with that one.

    SageMaker loads it into the copies of its base, which has to be there before it.
    """
    components = dict(kind.model.get("inference_components").entries())
    of = {name: each.get("base_inference_component_name") for name, each in components.items()}
    models = sorted(name for name, base in of.items() if not base.given)
    scaled = dict(kind.model.get("scaling").entries())
    for name, base in of.items():
        if base.text is not None and base.text not in models:
            yield base.says(
                f"is {base.text!r}; the components that run a model are "
                f"{', '.join(models) or 'none'}; name one of them"
            )
        if base.given and name in scaled:
            yield scaled[name].finding(
                f"{name} is an adapter, which has no copies of its own; scale its base, {base.text}"
            )


@warning(refused=True, source="stdapi-ai/stdapi.ai#43", example="RuntimeConfig: {CopyCount: 0}")
def component_start(component: InferenceComponentFacts) -> Iterator[Finding]:
    """A component is made with at least one copy; it may have none later.

    CreateInferenceComponent refuses 0, which an update takes. Scaling brings the copies to zero.
    """
    if component.copies.number == 0:
        yield component.copies.says(
            "is 0; SageMaker makes no component without a copy; begin with 1, or scale it down to "
            "zero"
        )


@rule(
    source="this project", example="scaling: {half: {min: 2, max: 4}}   # and copy_count: 3 of half"
)
def component_copies(kind: KindFacts) -> Iterator[Finding]:
    """A component with scaling has no copy_count.

    Every update would set them back to that count, whatever the load.
    """
    scaled = dict(kind.model.get("scaling").entries())
    for name, component in kind.model.get("inference_components").entries():
        copies = component.get("copy_count")
        if name in scaled and copies.number is not None and copies.number != 1:
            yield copies.says(
                f"is {copies.value}, and {name} is scaled; leave copy_count out, and let min of "
                "its scaling say how many copies there are at first"
            )
