"""What runs behind an endpoint: instances, serverless, and components that share instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.container import Container


class ManagedInstanceScaling(Spec):
    """SageMaker itself keeps as many instances as the inference components on them need."""

    min_instance_count: int = 1
    """Fewest instances, 0 or more; 0 lets the endpoint end up without any."""

    max_instance_count: int
    """Most instances, at least 1."""


class InstanceVariant(Container):
    """A production variant: instances of one type behind the endpoint."""

    name: str
    """The variant's name."""

    instance_type: str
    """An instance type that endpoints take, such as ``ml.c5.xlarge`` or ``ml.g4dn.xlarge``."""

    initial_instance_count: int = 1
    """Instances to start with, at least 1."""

    weight: float = 1.0
    """Share of the traffic, relative to the other variants' weights; 0 gets none."""

    accelerator_type: str | None = None
    """An Elastic Inference accelerator such as ``ml.eia2.medium``: AWS has ended it, so it needs
    ``accept_retired: [elastic-inference]``, and AWS refuses what is rendered then."""

    volume_size_in_gb: int | None = None
    """Size of the storage volume, 1 to 512; not for types with local NVMe storage."""

    model_data_download_timeout_in_seconds: int | None = None
    """How long fetching and unpacking the archive may take, 60 to 3600."""

    container_startup_health_check_timeout_in_seconds: int | None = None
    """How long the container may take until ``/ping`` answers, 60 to 3600."""

    routing_strategy: Literal["LEAST_OUTSTANDING_REQUESTS", "RANDOM"] | None = Field(
        default=None, json_schema_extra={"default": "RANDOM"}
    )
    """Which instance gets a request: any, or the one with the fewest open requests
    (SageMaker's default: RANDOM)."""

    managed_instance_scaling: ManagedInstanceScaling | None = None
    """How many instances SageMaker keeps for ``inference_components``; only with these."""


class ServerlessVariant(Container):
    """The variant of a serverless endpoint: paid by the request, started when one comes."""

    name: str
    """The variant's name."""

    memory_size_in_mb: Annotated[int, Field(json_schema_extra={"multipleOf": 1024})]
    """Memory of each worker: 1024, 2048, 3072, 4096, 5120 or 6144; CPUs come with it."""

    max_concurrency: int
    """Most requests at once, 1 to 200; more are refused."""

    provisioned_concurrency: int | None = None
    """Workers that are kept warm and paid for, at most ``max_concurrency``; left out: none, and
    a request that finds no worker waits until one has started."""


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


class InferenceComponent(Container):
    """A model that shares its endpoint's instances with others, with a share of its own."""

    copy_count: int = 1
    """Copies, 0 or more; each takes its share of an instance. Left out beside ``scaling``, whose
    ``min`` says how many there are at first."""

    min_memory_required_in_mb: int
    """Memory that each copy is given, at least 128."""

    max_memory_required_in_mb: int | None = None
    """Memory that each copy may grow to, at least ``min_memory_required_in_mb``."""

    number_of_cpu_cores_required: float | None = None
    """CPU cores that each copy is given, at least 0.25."""

    number_of_accelerator_devices_required: int | None = None
    """GPUs or Neuron devices that each copy is given, at least 1; left out: none."""

    model_data_download_timeout_in_seconds: int | None = None
    """How long fetching and unpacking the archive may take, 60 to 3600."""

    container_startup_health_check_timeout_in_seconds: int | None = None
    """How long the container may take until ``/ping`` answers, 60 to 3600."""
