"""Endpoint configs: what is written down, and what of it SageMaker refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.judged import MODEL, refuse
from sagemaker_serving.local_sagemaker.common.kept import Kept
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now, without_tags
from sagemaker_serving.local_sagemaker.fleets.placement import split_by_type
from sagemaker_serving.local_sagemaker.models.models import Models

Parameters = Mapping[str, Any]


class EndpointConfigs(Kept):
    """CreateEndpointConfig, DescribeEndpointConfig, ListEndpointConfigs, DeleteEndpointConfig."""

    kind = "EndpointConfig"
    arn_kind = "endpoint-config"
    places = "endpoint_configs"
    words = "endpoint configuration"

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a config whose variants name models that exist."""
        name = parameters["EndpointConfigName"]
        arn = region.arn("endpoint-config", name)
        given = parameters["ProductionVariants"], parameters.get("ShadowProductionVariants", [])
        refuse(region, "CreateEndpointConfig", parameters, *_models(region, chain(*given)))
        variants, shadows = ([_variant(each) for each in kind] for kind in given)
        with region.lock:
            self.refuse_existing(region, name)
            region.endpoint_configs[name] = {
                **without_tags(parameters),
                "ProductionVariants": variants,
                **({"ShadowProductionVariants": shadows} if shadows else {}),
                "EndpointConfigArn": arn,
                "CreationTime": now(),
            }
            region.tag(arn, parameters.get("Tags"))
        return {"EndpointConfigArn": arn}


def _models(region: Region, variants: Iterable[Resource]) -> list[tuple[str, Resource]]:
    """The models that variants run; raises AWS's "Could not find model"."""
    with region.lock:
        return [
            (MODEL, Models.find(region, each["ModelName"]))
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
