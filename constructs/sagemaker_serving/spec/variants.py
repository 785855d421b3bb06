"""What runs behind an endpoint: instances, serverless, and components that share instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec, first_choice, left_out
from sagemaker_serving.spec.container import Archive, Container


class ScaleInPolicy(Spec):
    """Which instances are removed when the inference components on them need fewer."""

    strategy: Literal["IDLE_RELEASE", "CONSOLIDATION"]
    """IDLE_RELEASE removes instances without any copy. CONSOLIDATION also moves copies together, to
    free more."""

    maximum_step_size: int | None = left_out(1)
    """Instances that CONSOLIDATION removes at a time, 1 to 100 (SageMaker's default: 1)."""

    cooldown_in_minutes: int | None = left_out(20)
    """Minutes after the endpoint's last change before CONSOLIDATION looks again, 5 to 1440
    (SageMaker's default: 20)."""


class ManagedInstanceScaling(Spec):
    """SageMaker keeps as many instances as the inference components on them need."""

    min_instance_count: int = 1
    """The fewest instances, 0 or more; with 0 the endpoint may have none."""

    max_instance_count: int
    """The most instances, at least 1."""

    scale_in_policy: ScaleInPolicy | None = None
    """Which instances are removed first; left out: SageMaker's choice."""


class CoreDump(Spec):
    """A crashed container's memory, in the environment's bucket and encrypted with its key."""

    prefix: str | None = None
    """Where in the bucket, without a slash at either end; left out: ``<model>/core-dumps``."""


class PrefixAwareRouting(Spec):
    """How requests that begin alike find the instance that has seen that beginning."""

    prefix_length: int
    """Bytes of the request's beginning that count, 1024 to 65536."""

    concurrency_threshold: int
    """Open requests on that instance, 1 to 1024, beyond which another instance gets the next
    one."""


class CapacityReservation(Spec):
    """An ML capacity reservation that the variant's instances come from."""

    ml_reservation_arn: str
    """The reservation's ARN, such as
    ``arn:aws:sagemaker:<region>:<account>:training-plan/<name>``."""

    capacity_reservation_preference: Literal["capacity-reservations-only"] | None = None
    """``capacity-reservations-only``: instances come from the reservation, or not at all."""


class InstanceHost(Spec):
    """Instances behind an endpoint, whatever they run."""

    name: Annotated[str, Aws("VariantName")]
    """The variant's name."""

    instance_types: Annotated[
        list[str], Aws("InstancePools.InstanceType", "InstancePools.Priority")
    ] = Field(default_factory=list)
    """Instance types in order of preference, 1 to 5, instead of ``instance_type``: if AWS has no
    capacity for one, SageMaker takes the next. All run the same image. Limits, prices and the
    dashboard go by the first."""

    instance_type: Annotated[str, Field(default_factory=first_choice)]
    """An instance type for endpoints, such as ``ml.c5.xlarge`` or ``ml.g4dn.xlarge``; left out with
    ``instance_types``: the first of them."""

    initial_instance_count: int = 1
    """Instances to start with, at least 1."""

    weight: Annotated[float, Aws("InitialVariantWeight")] = 1.0
    """Share of the traffic, relative to the other variants' weights; with 0 it gets only requests
    that name it."""

    inference_ami_version: str | None = None
    """The host's software, such as ``al2023-ami-sagemaker-inference-gpu-4-1``: its NVIDIA driver
    has to run the image's CUDA. Left out: SageMaker's default host, or one that can run the image
    if the default is known not to."""

    volume_size_in_gb: Annotated[int | None, Aws("VolumeSizeInGB")] = None
    """Size of the storage volume, 1 to 512; not for types with local NVMe storage."""

    model_data_download_timeout_in_seconds: int | None = None
    """How long fetching and unpacking the archive may take, 60 to 3600."""

    container_startup_health_check_timeout_in_seconds: int | None = None
    """How long the container may take until ``/ping`` answers, 60 to 3600."""

    variant_instance_provision_timeout_in_seconds: int | None = None
    """How long SageMaker tries to get the instances, 300 to 3600."""

    routing_strategy: Annotated[
        Literal["LEAST_OUTSTANDING_REQUESTS", "PREFIX_AWARE", "RANDOM"] | None,
        Aws("RoutingConfig."),
    ] = left_out("RANDOM")
    """The instance that gets a request: any, the one with the fewest open requests, or the one that
    has seen the request's beginning (SageMaker's default: RANDOM)."""

    prefix_aware_routing: Annotated[
        PrefixAwareRouting | None,
        Aws(
            "RoutingConfig.PrefixAwareRoutingConfig",
            also={"RoutingConfig.RoutingStrategy": "PREFIX_AWARE"},
        ),
    ] = None
    """How PREFIX_AWARE compares requests: it chooses that strategy, and is needed with it."""

    capacity_reservation: Annotated[
        CapacityReservation | None, Aws("CapacityReservationConfig")
    ] = None
    """The reservation that instances come from; left out: none."""

    enable_ssm_access: Annotated[bool | None, Aws("EnableSSMAccess")] = None
    """Whether a shell can be opened in the containers by AWS Systems Manager (SageMaker's default:
    no)."""

    managed_instance_scaling: Annotated[
        ManagedInstanceScaling | None,
        Aws("ManagedInstanceScaling", also={"ManagedInstanceScaling.Status": "ENABLED"}),
    ] = None
    """How many instances SageMaker keeps for ``inference_components``; only with these."""


class InstanceVariant(InstanceHost, Container):
    """A production variant: instances behind the endpoint."""

    accelerator_type: str | None = None
    """An Elastic Inference accelerator such as ``ml.eia2.medium``. AWS has ended it: it needs
    ``accept_retired: [elastic-inference]``, and AWS refuses the deploy."""

    core_dump: CoreDump | None = None
    """Where a crashed container's memory is written; left out: nowhere."""

    extra: dict[str, Any] = Field(default_factory=dict)
    """Members of CloudFormation's ProductionVariant that have no field here, by AWS's own names.
    Entries of ``InstancePools`` are merged with ``instance_types``, in the same order."""


class ServerlessHost(Spec):
    """Workers that start when a request comes, whatever they run."""

    name: Annotated[str, Aws("VariantName")]
    """The variant's name."""

    memory_size_in_mb: Annotated[
        int, Field(json_schema_extra={"multipleOf": 1024}), Aws("ServerlessConfig.MemorySizeInMB")
    ]
    """Memory of each worker: 1024, 2048, 3072, 4096, 5120 or 6144; CPUs come with it."""

    max_concurrency: Annotated[int, Aws("ServerlessConfig.")]
    """The most requests at the same time, 1 to 200; more are refused."""

    provisioned_concurrency: Annotated[int | None, Aws("ServerlessConfig.")] = None
    """Workers that are kept warm and paid for, at most ``max_concurrency``; left out: none, and
    a request that finds no worker waits until one has started."""


class ServerlessVariant(ServerlessHost, Container):
    """The variant of a serverless endpoint: it is paid by the request, and starts when one
    comes."""

    extra: dict[str, Any] = Field(default_factory=dict)
    """Members of CloudFormation's ProductionVariant that have no field here, by AWS's own
    names."""


def _kind_of_variant(value: Any) -> str:
    """Which type an entry of ``variants`` is meant to be: its fields tell."""
    serverless = ServerlessVariant.model_fields.keys() - InstanceVariant.model_fields.keys()
    given = dict(value) if isinstance(value, Mapping | Spec) else {}
    return "serverless" if given.keys() & serverless else "instances"


Variant = Annotated[
    Annotated[InstanceVariant, Tag("instances")] | Annotated[ServerlessVariant, Tag("serverless")],
    Discriminator(_kind_of_variant),
]
"""An entry of ``variants``: on instances, or serverless when it has a field of serverless."""


class AvailabilityZoneBalance(Spec):
    """How evenly copies are spread over Availability Zones."""

    enforcement_mode: Literal["PERMISSIVE"] = "PERMISSIVE"
    """PERMISSIVE: copies are placed even where no balance is possible."""

    max_imbalance: int | None = left_out(0)
    """How many copies two zones may differ by, 0 to 100 (SageMaker's default: 0)."""


class SchedulingConfig(Spec):
    """Which instances get the copies of an inference component, as these come and go."""

    placement_strategy: Literal["SPREAD", "BINPACK"]
    """Spread over the instances, or packed onto few of them; within each zone where zones are
    balanced."""

    availability_zone_balance: AvailabilityZoneBalance | None = None
    """How copies are balanced over Availability Zones; left out: not at all."""


def _needs() -> Aws:
    return Aws("Specification.ComputeResourceRequirements.")


def _starts() -> Aws:
    return Aws("Specification.StartupParameters.")


class ComponentSettings(Spec):
    """What an inference component is given, whatever it runs."""

    copy_count: Annotated[int, Aws("RuntimeConfig.")] = 1
    """Copies, each with its share of an instance: at least 1 at first, 0 or more later. Leave it
    out beside ``scaling``, whose ``min`` is the first number."""

    min_memory_required_in_mb: Annotated[int, _needs()]
    """Memory that each copy gets, at least 128."""

    max_memory_required_in_mb: Annotated[int | None, _needs()] = None
    """Memory that each copy may grow to, at least ``min_memory_required_in_mb``."""

    number_of_cpu_cores_required: Annotated[float | None, _needs()] = None
    """CPU cores that each copy gets, at least 0.25."""

    number_of_accelerator_devices_required: Annotated[int | None, _needs()] = None
    """GPUs or Neuron devices that each copy gets, at least 1; left out: none."""

    model_data_download_timeout_in_seconds: Annotated[int | None, _starts()] = None
    """How long fetching and unpacking the archive may take, 60 to 3600."""

    container_startup_health_check_timeout_in_seconds: Annotated[int | None, _starts()] = None
    """How long the container may take until ``/ping`` answers, 60 to 3600."""

    scheduling_config: Annotated[SchedulingConfig | None, Aws("Specification.")] = None
    """Which instances get its copies; left out: SageMaker's choice."""

    enable_caching: Annotated[bool | None, Aws("Specification.DataCacheConfig.")] = None
    """Whether each instance keeps image and archive, so that further copies start sooner; left
    out: SageMaker's choice."""


class InferenceComponent(ComponentSettings, Container):
    """A model that shares its endpoint's instances with others."""

    extra: dict[str, Any] = Field(default_factory=dict)
    """Members of CloudFormation's InferenceComponent that have no field here, by AWS's own names,
    such as ``Specifications``."""


class AdapterSettings(Spec):
    """Which inference component an adapter stands on."""

    base_inference_component_name: Annotated[str, Aws("Specification.")]
    """The component that loads the adapter, by its name in ``inference_components``."""


class Adapter(AdapterSettings):
    """Weights such as a LoRA's, for the model of another inference component.

    They run in that component's container, and have no memory, cores or copies of their own.
    """

    artifact: Archive
    """The adapter: a folder, a ``.tar.gz``, or an object in S3, as of the model."""

    extra: dict[str, Any] = Field(default_factory=dict)
    """Members of CloudFormation's InferenceComponent that have no field here, by AWS's own
    names."""


def _kind_of_component(value: Any) -> str:
    given = dict(value) if isinstance(value, Mapping | Spec) else {}
    return "adapter" if given.keys() & AdapterSettings.model_fields.keys() else "model"


Component = Annotated[
    Annotated[InferenceComponent, Tag("model")] | Annotated[Adapter, Tag("adapter")],
    Discriminator(_kind_of_component),
]
"""An entry of ``inference_components``: a model, or an adapter when it names its base."""
