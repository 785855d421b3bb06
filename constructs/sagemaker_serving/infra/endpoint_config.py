"""An EndpointConfig: which variants an endpoint has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct, IValidation

from sagemaker_serving import catalog
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.acknowledge import NO_KEY_ON_VOLUMES, acknowledge
from sagemaker_serving.infra.content_identity import identify_by_content
from sagemaker_serving.infra.instance_variant import InstanceVariant


class EndpointConfig(Construct):
    """1 to 10 production variants, given at once or one by one.

    It has no physical name and its logical id carries its content: a change
    makes a new one, and the old one stays until the endpoint has left it.

    :param variants: the variants; `add_variant` adds more.
    :param encryption_key: encrypts the volumes of the instances. SageMaker
        refuses a key when any variant's type has local NVMe storage, which
        encrypts itself in hardware; the key is left out then, and the finding
        that scanners make of it acknowledged with this reason.

    Raises `Mistake` for two variants of one name or more than ten, and at
    synth for none. Source: API reference, CreateEndpointConfig; read 2026-11-21.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        variants: Sequence[InstanceVariant] = (),
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._variants: list[InstanceVariant] = []
        self._key = encryption_key
        self._resource = sagemaker.CfnEndpointConfig(self, "Resource", production_variants=[])
        self.endpoint_config_name = self._resource.attr_endpoint_config_name
        """The EndpointConfig's generated name (a token)."""
        self.node.add_validation(_NotEmpty(self._variants))
        if variants:
            self._add(variants)

    def add_variant(self, variant: InstanceVariant) -> None:
        """Adds one more variant, beside those there are."""
        self._add([variant])

    def _add(self, variants: Sequence[InstanceVariant]) -> None:
        self._variants += variants
        _must_be_variants(self.node.path, self._variants)
        key_arn = self._usable_key_arn()
        self._resource.kms_key_id = key_arn
        self._resource.production_variants = [_rendered(variant) for variant in self._variants]
        content = [_content(variant) for variant in self._variants]
        identify_by_content(self._resource, [key_arn, content])

    def _usable_key_arn(self) -> str | None:
        if self._key is None:
            return None
        with_nvme = sorted(
            {kind for kind in (v.instance_type for v in self._variants) if _has_nvme(kind)}
        )
        if with_nvme:
            acknowledge(
                self._resource,
                NO_KEY_ON_VOLUMES,
                f"SageMaker takes no key for {', '.join(with_nvme)}: their local NVMe storage "
                "encrypts itself in hardware",
            )
            return None
        return self._key.key_arn


@jsii.implements(IValidation)
class _NotEmpty:
    def __init__(self, variants: Sequence[InstanceVariant]) -> None:
        self._variants = variants

    def validate(self) -> list[str]:
        if self._variants:
            return []
        return ["there are no variants; an endpoint takes 1 to 10: add_variant(InstanceVariant(…))"]


def _has_nvme(instance_type: str) -> bool:
    if cdk.Token.is_unresolved(instance_type):
        return False
    return catalog.instance_type(instance_type).nvme_gb > 0


def _rendered(variant: InstanceVariant) -> sagemaker.CfnEndpointConfig.ProductionVariantProperty:
    return sagemaker.CfnEndpointConfig.ProductionVariantProperty(
        variant_name=variant.name,
        model_name=variant.model.model_name,
        instance_type=variant.instance_type,
        accelerator_type=variant.accelerator_type,
        initial_instance_count=variant.initial_instance_count,
        initial_variant_weight=variant.weight,
        volume_size_in_gb=variant.volume_size_in_gb,
        model_data_download_timeout_in_seconds=variant.model_data_download_timeout_in_seconds,
        container_startup_health_check_timeout_in_seconds=(
            variant.container_startup_health_check_timeout_in_seconds
        ),
    )


def _content(variant: InstanceVariant) -> dict[str, Any]:
    given = {name: value for name, value in vars(variant).items() if value is not None}
    return {**given, "model": variant.model.model_name}


def _must_be_variants(path: str, variants: Sequence[InstanceVariant]) -> None:
    names = [variant.name for variant in variants]
    if len(names) > 10:
        raise Mistake(f"{path}: there are {len(names)} variants; an endpoint takes 1 to 10")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Mistake(
            f"{path}: more than one variant is named {', '.join(twice)}; rename all but one"
        )
