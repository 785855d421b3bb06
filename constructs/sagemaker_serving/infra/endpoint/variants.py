"""The variants of an endpoint: on instances, or serverless."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_sagemaker as sagemaker

from sagemaker_serving.infra.model.model import Model

if TYPE_CHECKING:
    from pydantic import BaseModel

    from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
    from sagemaker_serving.spec import CapacityReservation, PrefixAwareRouting, ScaleInPolicy


@dataclass(frozen=True, kw_only=True)
class ManagedInstanceScaling:
    """SageMaker keeps as many instances as the inference components on them need.

    ``min_instance_count`` is 0 or more, ``max_instance_count`` at least 1. ``scale_in_policy``
    says which are given back.
    """

    min_instance_count: int = 1
    max_instance_count: int
    scale_in_policy: ScaleInPolicy | None = None


@dataclass(frozen=True, kw_only=True)
class InstanceVariant:
    """Instances that run one Model, or the inference components put on them.

    They are of ``instance_type``, or of the first of ``instance_types`` that AWS has capacity for.
    These are 1 to 5, one Model runs on all, and ``instance_type`` is the first of them.

    ``initial_instance_count`` is at least 1; ``weight`` is the variant's share
    of the traffic relative to the others', and 0 stays 0. An accelerator is the
    Model's. ``inference_ami_version`` is the host's software. Absent, that is SageMaker's
    choice, the volume has SageMaker's own size and the time-outs are its own.

    ``volume_size_in_gb`` is 1 to 512, not for types with local storage.
    ``model_data_download_timeout_in_seconds`` and
    ``container_startup_health_check_timeout_in_seconds`` are 60 to 3600.
    ``variant_instance_provision_timeout_in_seconds``, 300 to 3600, is how long SageMaker tries to
    get the instances. ``routing_strategy`` is RANDOM, SageMaker's own; LEAST_OUTSTANDING_REQUESTS,
    or PREFIX_AWARE, which ``prefix_aware_routing`` means. Instances come from
    ``capacity_reservation``, where one is given. With ``enable_ssm_access`` a shell can be opened
    in the containers; ``core_dump`` is where the memory of a crashed one goes, which the role may
    write. Without a ``model`` the variant is for `InferenceComponent`, and
    ``managed_instance_scaling`` says how many instances these may have. ``extra`` has members by
    CloudFormation's own names, which are laid over these. Source: API reference, ProductionVariant;
    read 2026-11-23.
    """

    name: str
    model: Model | None
    instance_type: str
    instance_types: Sequence[str] = ()
    initial_instance_count: int = 1
    weight: float = 1.0
    inference_ami_version: str | None = None
    volume_size_in_gb: int | None = None
    model_data_download_timeout_in_seconds: int | None = None
    container_startup_health_check_timeout_in_seconds: int | None = None
    variant_instance_provision_timeout_in_seconds: int | None = None
    routing_strategy: str | None = None
    prefix_aware_routing: PrefixAwareRouting | None = None
    capacity_reservation: CapacityReservation | None = None
    enable_ssm_access: bool | None = None
    core_dump: S3Prefix | None = None
    managed_instance_scaling: ManagedInstanceScaling | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accelerator_type(self) -> str | None:
        """The accelerator that its Model is made for (``ml.eia2.medium``); None for none."""
        accelerator = None if self.model is None else self.model.accelerator
        return None if accelerator is None else accelerator.type

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        everything = {**vars(self), "accelerator_type": self.accelerator_type}
        given = {
            name: value for name, value in everything.items() if value not in (None, {}, (), [])
        }
        if self.model is not None:
            given["model"] = self.model.identity
        if self.core_dump is not None:
            given["core_dump"] = [self.core_dump.uri, self.core_dump.key_arn]
        return {name: _plain(value) for name, value in given.items()}

    def rendered(self) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
        """The variant as CloudFormation takes it."""
        return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name=self.name,
            model_name=None if self.model is None else self.model.model_name,
            instance_type=None if self.instance_types else self.instance_type,
            instance_pools=self._pools(),
            accelerator_type=self.accelerator_type,
            initial_instance_count=self.initial_instance_count,
            # A variant of inference components shares its traffic with no other.
            initial_variant_weight=None if self.model is None else self.weight,
            inference_ami_version=self.inference_ami_version,
            volume_size_in_gb=self.volume_size_in_gb,
            model_data_download_timeout_in_seconds=self.model_data_download_timeout_in_seconds,
            container_startup_health_check_timeout_in_seconds=(
                self.container_startup_health_check_timeout_in_seconds
            ),
            variant_instance_provision_timeout_in_seconds=(
                self.variant_instance_provision_timeout_in_seconds
            ),
            routing_config=self._routing(),
            capacity_reservation_config=_given(
                sagemaker.CfnEndpointConfig.CapacityReservationConfigProperty,
                self.capacity_reservation,
            ),
            enable_ssm_access=self.enable_ssm_access,
            core_dump_config=self._core_dump(),
            managed_instance_scaling=self._managed_scaling(),
        )

    def _pools(self) -> list[sagemaker.CfnEndpointConfig.InstancePoolProperty] | None:
        pools = [
            sagemaker.CfnEndpointConfig.InstancePoolProperty(instance_type=kind, priority=order)
            for order, kind in enumerate(self.instance_types, start=1)
        ]
        return pools if pools else None

    def _routing(self) -> sagemaker.CfnEndpointConfig.RoutingConfigProperty | None:
        strategy = self.routing_strategy
        if strategy is None and self.prefix_aware_routing is not None:
            strategy = "PREFIX_AWARE"
        if strategy is None:
            return None
        return sagemaker.CfnEndpointConfig.RoutingConfigProperty(
            routing_strategy=strategy,
            prefix_aware_routing_config=_given(
                sagemaker.CfnEndpointConfig.PrefixAwareRoutingConfigProperty,
                self.prefix_aware_routing,
            ),
        )

    def _core_dump(self) -> sagemaker.CfnEndpointConfig.CoreDumpConfigProperty | None:
        if self.core_dump is None:
            return None
        return sagemaker.CfnEndpointConfig.CoreDumpConfigProperty(
            destination_s3_uri=self.core_dump.uri, kms_key_id=self.core_dump.key_arn
        )

    def _managed_scaling(self) -> sagemaker.CfnEndpointConfig.ManagedInstanceScalingProperty | None:
        managed = self.managed_instance_scaling
        if managed is None:
            return None
        return sagemaker.CfnEndpointConfig.ManagedInstanceScalingProperty(
            status="ENABLED",
            min_instance_count=managed.min_instance_count,
            max_instance_count=managed.max_instance_count,
            scale_in_policy=_given(
                sagemaker.CfnEndpointConfig.ScaleInPolicyProperty, managed.scale_in_policy
            ),
        )


@dataclass(frozen=True, kw_only=True)
class ServerlessVariant:
    """Workers that start when a request comes, are paid while they work, and run one Model.

    ``memory_size_in_mb`` is 1024 to 6144 in steps of 1024, ``max_concurrency``
    1 to 200. ``provisioned_concurrency`` workers are kept warm and paid for; at
    most ``max_concurrency``; None: none are. The variant stands alone, without
    VPC, network isolation and data capture. Its Model is made with
    ``instance_type=None``. ``extra`` is `InstanceVariant`'s. Source: botocore
    ProductionVariantServerlessConfig; SageMaker developer guide, serverless endpoints; read
    2026-11-21.
    """

    name: str
    model: Model
    memory_size_in_mb: int
    max_concurrency: int
    provisioned_concurrency: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        given = {
            name: value for name, value in vars(self).items() if value not in (None, {}, (), [])
        }
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


def _given(made: Any, spec: BaseModel | None) -> Any:
    """CloudFormation's property of the same fields; None for none."""
    return None if spec is None else made(**spec.model_dump(exclude_none=True))


def _plain(value: Any) -> Any:
    """A value's fields, those that are absent left out, down to plain data."""
    if is_dataclass(value):
        return {name: _plain(each) for name, each in vars(value).items() if each is not None}
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value
