"""An EndpointConfig: which variants an endpoint has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving import catalog
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.acknowledge import NO_KEY_ON_VOLUMES, acknowledge
from sagemaker_serving.infra.content_identity import identify_by_content
from sagemaker_serving.infra.instance_variant import InstanceVariant
from sagemaker_serving.infra.tokens import is_token, stands_in

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms


class EndpointConfig(Construct):
    """1 to 10 production variants, given at once or one by one.

    It has no physical name and its logical id carries its content: a change
    makes a new one, and the old one stays until the endpoint has left it.

    :param variants: the variants; `add_variant` adds more.
    :param encryption_key: encrypts the volumes of the instances. SageMaker
        refuses a key when any variant's type has local NVMe storage, which
        encrypts itself in hardware; the key is left out then, and the finding
        that scanners make of it acknowledged with this reason.

    Raises `Mistake` without variants, with more than ten, or with two of one
    name. Source: API reference, CreateEndpointConfig; read 2026-11-21.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        variants: Sequence[InstanceVariant],
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._stack = stands_in(self, scope)
        _must_be_variants(self, variants)
        self._variants = tuple(variants)
        self._key = encryption_key
        self._resource = sagemaker.CfnEndpointConfig(
            self,
            "Resource",
            production_variants=[_rendered(variant) for variant in variants],
            kms_key_id=self._key_arn(),
        )
        self._identify()
        self.endpoint_config_name = self._resource.attr_endpoint_config_name
        """The EndpointConfig's generated name (a token)."""

    def add_variant(self, variant: InstanceVariant) -> None:
        """Adds one more variant, beside those there are."""
        _must_be_variants(self, [*self._variants, variant])
        self._variants += (variant,)
        self._resource.production_variants = [_rendered(every) for every in self._variants]
        self._resource.kms_key_id = self._key_arn()
        self._identify()

    def _identify(self) -> None:
        content = [_content(variant) for variant in self._variants]
        identify_by_content(self._stack, self._resource, [self._key_arn(), content])
        with_nvme = self._with_nvme()
        if self._key is not None and with_nvme:
            acknowledge(
                self._resource,
                NO_KEY_ON_VOLUMES,
                f"SageMaker takes no key for {', '.join(with_nvme)}: their local NVMe storage "
                "encrypts itself in hardware",
            )

    def _key_arn(self) -> str | None:
        return None if self._key is None or self._with_nvme() else self._key.key_arn

    def _with_nvme(self) -> list[str]:
        types = {variant.instance_type for variant in self._variants}
        return sorted(name for name in types if not is_token(name) and _has_nvme(name))


def _has_nvme(instance_type: str) -> bool:
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
    return {**given, "model": variant.model.identity}


def _must_be_variants(config: EndpointConfig, variants: Sequence[InstanceVariant]) -> None:
    names = [variant.name for variant in variants]
    if not 1 <= len(names) <= 10:
        raise Mistake(
            f"{config.node.path}: there are {len(names)} variants; an endpoint takes 1 to 10"
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Mistake(
            f"{config.node.path}: more than one variant is named {', '.join(twice)}; "
            "rename all but one"
        )
