"""A production variant on instances."""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.infra.model import Model


@dataclass(frozen=True, kw_only=True)
class InstanceVariant:
    """Instances of one type that run one Model.

    ``initial_instance_count`` is at least 1; ``weight`` is the variant's share
    of the traffic relative to the others', and 0 stays 0. ``accelerator_type``
    (``ml.eia2.medium``) attaches an Elastic Inference accelerator, which AWS
    has ended: it renders what CloudFormation once took. Absent, the volume has
    SageMaker's own size and the two time-outs are its own.

    ``volume_size_in_gb`` is 1 to 512, not for types with local storage;
    ``model_data_download_timeout_in_seconds`` and
    ``container_startup_health_check_timeout_in_seconds`` are 60 to 3600.
    Source: API reference, ProductionVariant; read 2026-11-21.
    """

    name: str
    model: Model
    instance_type: str
    initial_instance_count: int = 1
    weight: float = 1.0
    accelerator_type: str | None = None
    volume_size_in_gb: int | None = None
    model_data_download_timeout_in_seconds: int | None = None
    container_startup_health_check_timeout_in_seconds: int | None = None
