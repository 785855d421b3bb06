"""What an endpoint says of itself: its limits, its kind, its images."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from sagemaker_serving.catalog.request_sizes import (
    ASYNCHRONOUS,
    REAL_TIME,
    SERVERLESS,
    PayloadLimits,
    narrowest,
)
from sagemaker_serving.client.aws import Aws, aws_failures

_CONNECT_SECONDS = 3.0
"""boto3 tries three times: without a way to AWS's control plane the first call takes as long."""


@dataclass(frozen=True, kw_only=True)
class EndpointFacts:
    """An endpoint as its caller needs to know it.

    ``asynchronous`` is None when it is unknown; ``serverless`` are the names of
    the variants that are; ``images`` the containers' images by variant, without
    those of inference components and model packages. ``most_records`` is how
    many records a request may have, by variant, where the container batches.
    """

    asynchronous: bool | None = None
    variants: tuple[str, ...] = ()
    serverless: frozenset[str] = frozenset()
    images: Mapping[str, str] = field(default_factory=dict)
    most_records: Mapping[str, int] = field(default_factory=dict)

    def limits(self, variant: str | None = None) -> PayloadLimits:
        """What requests to ``variant`` may have, or to any variant of the endpoint."""
        if self.asynchronous:
            return ASYNCHRONOUS
        asked = [variant] if variant is not None else list(self.variants)
        return narrowest([SERVERLESS if name in self.serverless else REAL_TIME for name in asked])

    def records(self, variant: str | None = None) -> int | None:
        """How many records a request to ``variant``, or to any, may have; None: any number."""
        if variant is not None:
            return self.most_records.get(variant)
        return min(self.most_records.values(), default=None)

    def image(self, variant: str | None = None) -> str | None:
        """The image of ``variant``, or the one of all variants; None when unknown or several."""
        if variant is not None:
            return self.images.get(variant)
        images = set(self.images.values())
        return images.pop() if len(images) == 1 else None


def look_up(aws: Aws, endpoint: str) -> EndpointFacts:
    """What DescribeEndpoint tells, and DescribeEndpointConfig and DescribeModel below it.

    Where they are not permitted, or out of reach (a VPC may have a way to the
    runtime only), the facts are unknown, and that is no error.
    """
    client = aws.client("sagemaker", connect_seconds=_CONNECT_SECONDS)
    described = _described(lambda: client.describe_endpoint(EndpointName=endpoint))
    if described is None:
        return EndpointFacts()
    config_name = described["EndpointConfigName"]
    config = (
        _described(lambda: client.describe_endpoint_config(EndpointConfigName=config_name)) or {}
    )
    configured = config.get("ProductionVariants", [])
    containers = {
        variant["VariantName"]: _container(client, variant["ModelName"])
        for variant in configured
        if "ModelName" in variant
    }
    images = {name: container["Image"] for name, container in containers.items() if container}
    variants = described.get("ProductionVariants", [])
    return EndpointFacts(
        asynchronous="AsyncInferenceConfig" in described or "AsyncInferenceConfig" in config,
        variants=tuple(variant["VariantName"] for variant in variants),
        serverless=frozenset(
            variant["VariantName"]
            for variant in (*variants, *configured)
            if variant.get("CurrentServerlessConfig") or variant.get("ServerlessConfig")
        ),
        images={**images, **{v["VariantName"]: image for v in variants if (image := _image(v))}},
        most_records={
            name: most
            for name, container in containers.items()
            if (most := _most_records(container.get("Environment", {}))) is not None
        },
    )


def _most_records(environment: Mapping[str, str]) -> int | None:
    """What TensorFlow Serving's batching takes in one request: it refuses larger ones.

    8 unless told otherwise (github.com/aws/deep-learning-containers,
    ``tensorflow/inference``).
    """
    if environment.get("SAGEMAKER_TFS_ENABLE_BATCHING") != "true":
        return None
    told = environment.get("SAGEMAKER_TFS_MAX_BATCH_SIZE", "8")
    return int(told) if told.isdigit() and int(told) > 0 else None


def _image(variant: Mapping[str, Any]) -> str | None:
    """The image that takes a variant's requests: of a pipeline, the first."""
    for image in variant.get("DeployedImages", []):
        name = image.get("SpecifiedImage") or image.get("ResolvedImage")
        return str(name) if name else None
    return None


def _container(client: Any, model: str) -> Mapping[str, Any]:
    """The container that takes a model's requests; empty when it is unknown, or has no image."""
    described = _described(lambda: client.describe_model(ModelName=model)) or {}
    containers = described.get("Containers") or [described.get("PrimaryContainer") or {}]
    first: Mapping[str, Any] = containers[0]
    return first if first.get("Image") else {}


def _described(call: Callable[[], Any]) -> Any:
    """What ``call`` answers; None when AWS refuses or nobody answers.

    Whatever else is wrong then, the request itself will say better.
    """
    with aws_failures():
        try:
            return call()
        except (ClientError, ConnectionError, HTTPClientError):
            return None
