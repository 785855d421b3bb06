"""The variant of a serverless endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_sagemaker as sagemaker

from sagemaker_serving.infra.model.model import Model


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
