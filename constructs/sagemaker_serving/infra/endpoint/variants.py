"""The variants of an endpoint: on instances, or serverless."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_sagemaker as sagemaker

from sagemaker_serving.infra.model.model import Model


@dataclass(frozen=True, kw_only=True)
class ManagedInstanceScaling:
    """SageMaker keeps as many instances as the inference components on them need.

    ``min_instance_count`` is 0 or more, ``max_instance_count`` at least 1.
    """

    min_instance_count: int = 1
    max_instance_count: int


@dataclass(frozen=True, kw_only=True)
class InstanceVariant:
    """Instances of one type that run one Model, or the inference components put on them.

    ``initial_instance_count`` is at least 1; ``weight`` is the variant's share
    of the traffic relative to the others', and 0 stays 0. An accelerator is the
    Model's. Absent, the volume has SageMaker's own size and the two time-outs
    are its own.

    ``volume_size_in_gb`` is 1 to 512, not for types with local storage;
    ``model_data_download_timeout_in_seconds`` and
    ``container_startup_health_check_timeout_in_seconds`` are 60 to 3600.
    ``routing_strategy`` is RANDOM, SageMaker's own, or
    LEAST_OUTSTANDING_REQUESTS. Without a ``model`` the variant is for
    `InferenceComponent`, and ``managed_instance_scaling`` says how many
    instances these may have. Source: API reference, ProductionVariant; read 2026-11-21.
    """

    name: str
    model: Model | None
    instance_type: str
    initial_instance_count: int = 1
    weight: float = 1.0
    volume_size_in_gb: int | None = None
    model_data_download_timeout_in_seconds: int | None = None
    container_startup_health_check_timeout_in_seconds: int | None = None
    routing_strategy: str | None = None
    managed_instance_scaling: ManagedInstanceScaling | None = None

    @property
    def accelerator_type(self) -> str | None:
        """The accelerator that its Model is made for (``ml.eia2.medium``); None for none."""
        accelerator = None if self.model is None else self.model.accelerator
        return None if accelerator is None else accelerator.type

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        everything = {**vars(self), "accelerator_type": self.accelerator_type}
        given = {name: value for name, value in everything.items() if value is not None}
        if self.model is not None:
            given["model"] = self.model.identity
        if self.managed_instance_scaling is not None:
            given["managed_instance_scaling"] = vars(self.managed_instance_scaling)
        return given

    def rendered(self) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
        """The variant as CloudFormation takes it."""
        return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name=self.name,
            model_name=None if self.model is None else self.model.model_name,
            instance_type=self.instance_type,
            accelerator_type=self.accelerator_type,
            initial_instance_count=self.initial_instance_count,
            # A variant of inference components shares its traffic with no other.
            initial_variant_weight=None if self.model is None else self.weight,
            volume_size_in_gb=self.volume_size_in_gb,
            model_data_download_timeout_in_seconds=self.model_data_download_timeout_in_seconds,
            container_startup_health_check_timeout_in_seconds=(
                self.container_startup_health_check_timeout_in_seconds
            ),
            routing_config=self._routing(),
            managed_instance_scaling=self._managed_scaling(),
        )

    def _routing(self) -> sagemaker.CfnEndpointConfig.RoutingConfigProperty | None:
        if self.routing_strategy is None:
            return None
        return sagemaker.CfnEndpointConfig.RoutingConfigProperty(
            routing_strategy=self.routing_strategy
        )

    def _managed_scaling(self) -> sagemaker.CfnEndpointConfig.ManagedInstanceScalingProperty | None:
        if self.managed_instance_scaling is None:
            return None
        return sagemaker.CfnEndpointConfig.ManagedInstanceScalingProperty(
            status="ENABLED", **vars(self.managed_instance_scaling)
        )


@dataclass(frozen=True, kw_only=True)
class ServerlessVariant:
    """Workers that start when a request comes, are paid while they work, and run one Model.

    ``memory_size_in_mb`` is 1024 to 6144 in steps of 1024, ``max_concurrency``
    1 to 200. ``provisioned_concurrency`` workers are kept warm and paid for; at
    most ``max_concurrency``; None: none are. The variant stands alone, without
    VPC, network isolation and data capture. Its Model is made with
    ``instance_type=None``. Source: botocore ProductionVariantServerlessConfig;
    SageMaker developer guide, serverless endpoints; read 2026-11-21.
    """

    name: str
    model: Model
    memory_size_in_mb: int
    max_concurrency: int
    provisioned_concurrency: int | None = None

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {**given, "model": self.model.identity}

    def rendered(self) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
        """The variant as CloudFormation takes it."""
        return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name=self.name,
            model_name=self.model.model_name,
            serverless_config=sagemaker.CfnEndpointConfig.ServerlessConfigProperty(
                memory_size_in_mb=self.memory_size_in_mb,
                max_concurrency=self.max_concurrency,
                provisioned_concurrency=self.provisioned_concurrency,
            ),
        )


Variant = InstanceVariant | ServerlessVariant
"""What runs behind an endpoint."""
