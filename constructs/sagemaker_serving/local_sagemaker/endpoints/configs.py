"""Endpoint configs: what is written down, and what of it SageMaker refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import MODEL, refuse
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now, without_tags
from sagemaker_serving.local_sagemaker.fleets.placement import split_by_type
from sagemaker_serving.local_sagemaker.models.models import find_model

Parameters = Mapping[str, Any]


class EndpointConfigs:
    """CreateEndpointConfig, DescribeEndpointConfig, ListEndpointConfigs, DeleteEndpointConfig."""

    _listing = Listing("EndpointConfig")

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a config whose variants name models that exist."""
        name = parameters["EndpointConfigName"]
        arn = region.arn("endpoint-config", name)
        given = parameters["ProductionVariants"], parameters.get("ShadowProductionVariants", [])
        refuse(region, "CreateEndpointConfig", parameters, *_models(region, chain(*given)))
        variants, shadows = ([_variant(each) for each in kind] for kind in given)
        with region.lock:
            if name in region.endpoint_configs:
                raise AwsError(
                    "ValidationException",
                    f'Cannot create already existing endpoint configuration "{arn}".',
                )
            region.endpoint_configs[name] = {
                **without_tags(parameters),
                "ProductionVariants": variants,
                **({"ShadowProductionVariants": shadows} if shadows else {}),
                "EndpointConfigArn": arn,
                "CreationTime": now(),
            }
            region.tag(arn, parameters.get("Tags"))
        return {"EndpointConfigArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The config as it was created, its weights filled in."""
        return find_endpoint_config(region, parameters["EndpointConfigName"])

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The configs of the region, page by page."""
        with region.lock:
            return self._listing.page(region.endpoint_configs.values(), parameters)

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a config, in use or not, as on AWS; endpoints go on with what they run."""
        with region.lock:
            config = find_endpoint_config(region, parameters["EndpointConfigName"])
            del region.endpoint_configs[config["EndpointConfigName"]]
            region.tags.pop(config["EndpointConfigArn"], None)
        return {}


def find_endpoint_config(region: Region, name: str) -> Resource:
    """The config of that name; raises AWS's "Could not find endpoint configuration"."""
    with region.lock:
        config = region.endpoint_configs.get(name)
    if config is None:
        arn = region.arn("endpoint-config", name)
        raise AwsError("ValidationException", f'Could not find endpoint configuration "{arn}".')
    return config


def _models(region: Region, variants: Iterable[Resource]) -> list[tuple[str, Resource]]:
    """The models that variants run; raises AWS's "Could not find model"."""
    with region.lock:
        return [
            (MODEL, find_model(region, each["ModelName"]))
            for variant in variants
            for each in split_by_type(variant)
            if "ModelName" in each
        ]


def _variant(variant: Resource) -> Resource:
    if "ServerlessConfig" not in variant and "InitialInstanceCount" not in variant:
        raise AwsError(
            "ValidationException",
            f"the local AWS serves variant '{variant['VariantName']}' with an InitialInstanceCount "
            "alone",
        )
    return {"InitialVariantWeight": 1.0, **variant}
