"""An EndpointConfig: which variants an endpoint has."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.content_identity import identify_by_content
from sagemaker_serving.infra.instance_variant import InstanceVariant


class EndpointConfig(Construct):
    """1 to 10 production variants.

    It has no physical name and its logical id carries its content: a change
    makes a new one, and the old one stays until the endpoint has left it.
    Raises `Mistake` without variants, with more than ten, or with two of one name.
    """

    def __init__(
        self, scope: Construct, construct_id: str, *, variants: Sequence[InstanceVariant]
    ) -> None:
        super().__init__(scope, construct_id)
        _must_be_variants(self.node.path, variants)
        resource = sagemaker.CfnEndpointConfig(
            self,
            "Resource",
            production_variants=[
                sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                    variant_name=variant.name,
                    model_name=variant.model.model_name,
                    instance_type=variant.instance_type,
                    initial_instance_count=variant.initial_instance_count,
                    initial_variant_weight=variant.weight,
                )
                for variant in variants
            ],
        )
        identify_by_content(
            resource,
            [
                [
                    variant.name,
                    variant.model.model_name,
                    variant.instance_type,
                    variant.initial_instance_count,
                    variant.weight,
                ]
                for variant in variants
            ],
        )
        self.endpoint_config_name = resource.attr_endpoint_config_name
        """The EndpointConfig's generated name (a token)."""


def _must_be_variants(path: str, variants: Sequence[InstanceVariant]) -> None:
    names = [variant.name for variant in variants]
    if not 1 <= len(names) <= 10:
        raise Mistake(f"{path}: there are {len(names)} variants; an endpoint takes 1 to 10")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Mistake(
            f"{path}: more than one variant is named {', '.join(twice)}; rename all but one"
        )
