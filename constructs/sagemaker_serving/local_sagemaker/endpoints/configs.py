"""Endpoint configs: what is written down, and what of it SageMaker refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.catalog import variant_types
from sagemaker_serving.local_sagemaker.common.listing import Listing
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now, without_tags
from sagemaker_serving.local_sagemaker.fleets.placement import with_each_type
from sagemaker_serving.local_sagemaker.models.models import (
    containers_of,
    find_model,
    is_multi_model,
    refuse_data_source,
)

Parameters = Mapping[str, Any]


class EndpointConfigs:
    """CreateEndpointConfig, DescribeEndpointConfig, ListEndpointConfigs, DeleteEndpointConfig."""

    _listing = Listing(
        items="EndpointConfigs",
        kind="EndpointConfig",
        members=("EndpointConfigName", "EndpointConfigArn", "CreationTime"),
    )

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a config whose variants name models that exist."""
        name = parameters["EndpointConfigName"]
        arn = region.arn("endpoint-config", name)
        variants = [_variant(variant) for variant in parameters["ProductionVariants"]]
        shadows = [_variant(variant) for variant in parameters.get("ShadowProductionVariants", [])]
        for problem in _problems(parameters, variants, shadows):
            raise AwsError("ValidationException", problem)
        with region.lock:
            if name in region.endpoint_configs:
                raise AwsError(
                    "ValidationException",
                    f'Cannot create already existing endpoint configuration "{arn}".',
                )
            for variant in (*variants, *shadows):
                for each in with_each_type(variant):
                    _check_model(region, each, parameters)
                    if shadows and "ModelName" in each:
                        _check_in_shadow_test(region, each)
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


def serverless_of(variant: Parameters) -> Resource | None:
    """The variant's ServerlessConfig, None for one of instances."""
    config: Resource | None = variant.get("ServerlessConfig")
    return config


def _variant(variant: Resource) -> Resource:
    name, serverless = variant["VariantName"], "ServerlessConfig" in variant
    if variant.get("AcceleratorType") is not None:
        raise AwsError("ValidationException", f"Variant '{name}' has an AcceleratorType. {_ENDED}")
    pools = variant.get("InstancePools")
    if pools and variant.get("InstanceType") is not None:
        raise AwsError(
            "ValidationException",
            f"Variant '{name}' has both InstancePools and an InstanceType; give one of them",
        )
    on = "InstancePools" if pools else "InstanceType"
    needed = ("ModelName",) if serverless else (on, _COUNT)
    missing = [member for member in needed if variant.get(member) is None]
    if missing:
        raise AwsError(
            "ValidationException",
            f"Variant '{name}' has no {missing[0]}; the local AWS serves variants that have an "
            "instance type and a count, or a model and a ServerlessConfig",
        )
    for member in ("InstanceType", "InstancePools", _COUNT, "VolumeSizeInGB") if serverless else ():
        if variant.get(member) is not None:
            raise AwsError(
                "ValidationException",
                f"Variant '{name}' has both a ServerlessConfig and {member}; "
                "a serverless variant has no instances",
            )
    return {"InitialVariantWeight": 1.0, **variant}


_COUNT = "InitialInstanceCount"
_ENDED = "This parameter is no longer supported. Elastic Inference (EI) is no longer available."
"""botocore's words of ProductionVariant.AcceleratorType; what the API itself says is unverified."""


def _problems(
    parameters: Parameters, variants: list[Resource], shadows: list[Resource]
) -> Iterator[str]:
    """What cannot stand together, in words of our own where nobody has reported SageMaker's.

    Serverless: one variant, without capture, shadows and asynchronous
    inference; memory in steps of 1 GB; no more provisioned than at most
    concurrent. Shadows: one beside one (developer guide, "Serverless
    Inference" and "Shadow tests"; API reference, CreateEndpointConfig). Asynchronous: not on Inf1
    (the guide's edition of 2023).
    Managed scaling: of inference components, in SageMaker's words
    (hashicorp/terraform-provider-aws#45926).
    """
    names = [variant["VariantName"] for variant in (*variants, *shadows)]
    if len(set(names)) < len(names):
        yield f"Variant names must be unique; found {', '.join(names)}"
    if shadows and (len(variants), len(shadows)) != (1, 1):
        yield (
            "ShadowProductionVariants takes one variant beside one of ProductionVariants; found "
            f"{len(shadows)} beside {len(variants)}"
        )
    if shadows and "AsyncInferenceConfig" in parameters:
        yield "Shadow variants and AsyncInferenceConfig exclude each other"
    for variant in (*variants, *shadows):
        if "AsyncInferenceConfig" in parameters and _is_on_inf1(variant):
            yield f"Variant '{variant['VariantName']}' is on Inf1; such an endpoint answers at once"
        managed = variant.get("ManagedInstanceScaling", {})
        if "ModelName" in variant and managed.get("Status") == "ENABLED":
            yield "ManagedInstanceScaling is only supported for inference component endpoints."
        config = serverless_of(variant)
        if config is None:
            continue
        name = variant["VariantName"]
        if len(names) > 1:
            yield f"Variant '{name}' is serverless; such an endpoint has this one variant only"
        for member in ("DataCaptureConfig", "AsyncInferenceConfig"):
            if member in parameters:
                yield f"Variant '{name}' is serverless; such an endpoint takes no {member}"
        if config["MemorySizeInMB"] % 1024:
            yield (
                f"Variant '{name}': MemorySizeInMB is {config['MemorySizeInMB']}; it must be "
                "1024, 2048, 3072, 4096, 5120 or 6144"
            )
        if config.get("ProvisionedConcurrency", 0) > config["MaxConcurrency"]:
            yield (
                f"Variant '{name}': ProvisionedConcurrency is "
                f"{config['ProvisionedConcurrency']}, above its MaxConcurrency of "
                f"{config['MaxConcurrency']}"
            )


def _check_model(region: Region, variant: Resource, parameters: Parameters) -> None:
    """Serverless variants and asynchronous endpoints serve one container of one model.

    A variant without a model is for inference components, whose role the config names.
    """
    if "ModelName" not in variant:
        if "ExecutionRoleArn" not in parameters:
            raise AwsError(
                "ValidationException",
                f"Variant '{variant['VariantName']}' has no ModelName; a variant for inference "
                "components needs the config's ExecutionRoleArn",
            )
        if "AsyncInferenceConfig" in parameters:
            raise AwsError(
                "ValidationException",
                f"Variant '{variant['VariantName']}' has no ModelName; InvokeEndpointAsync names "
                "no inference component, so an asynchronous endpoint may not have one",
            )
        return
    model = find_model(region, variant["ModelName"])
    containers = containers_of(model)
    several, multi = len(containers) > 1, is_multi_model(containers[0])
    name = variant["VariantName"]
    if "ServerlessConfig" in variant:
        refuse_data_source(model, f"Variant '{name}' is serverless")
    if "ServerlessConfig" in variant and (several or multi):
        what = "a pipeline of containers" if several else "a MultiModel container"
        raise AwsError(
            "ValidationException", f"Variant '{name}' is serverless; its model may not be {what}"
        )
    if "AsyncInferenceConfig" in parameters and multi:
        raise AwsError(
            "ValidationException",
            f"Variant '{name}' has a MultiModel container; InvokeEndpointAsync names no target "
            "model, so an asynchronous endpoint may not have one",
        )


def _check_in_shadow_test(region: Region, variant: Resource) -> None:
    """Where a shadow is, each variant runs one container with one model, and none is on Inf1.

    Source: developer guide, shadow-tests-exclusions; the words are our own.
    """
    name, where = variant["VariantName"], "an endpoint with a shadow variant takes none"
    containers = containers_of(find_model(region, variant["ModelName"]))
    if len(containers) > 1 or is_multi_model(containers[0]):
        what = "several containers" if len(containers) > 1 else "a MultiModel container"
        raise AwsError("ValidationException", f"Variant '{name}' has {what}; {where}")
    if _is_on_inf1(variant):
        raise AwsError("ValidationException", f"Variant '{name}' is on Inf1; {where}")


def _is_on_inf1(variant: Resource) -> bool:
    return any(each.startswith("ml.inf1.") for each in variant_types(variant))
