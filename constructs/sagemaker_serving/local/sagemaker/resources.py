"""Models, endpoint configs and tags: what is only written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker import archives
from sagemaker_serving.local.sagemaker.listing import Listing
from sagemaker_serving.local.sagemaker.roles import role_client
from sagemaker_serving.local.sagemaker.store import Region, Resource, now

Parameters = Mapping[str, Any]

MAX_TAGS = 50
"""Tags of one resource (SageMaker API reference, AddTags, read 2026-11-21)."""


class Models:
    """CreateModel, DescribeModel, ListModels, DeleteModel."""

    _listing = Listing(
        items="Models", kind="Model", members=("ModelName", "ModelArn", "CreationTime")
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Keep a model, after a look at its archive, as SageMaker does."""
        name = parameters["ModelName"]
        arn = region.arn("model", name)
        self._check_container(region, parameters.get("ExecutionRoleArn"), container_of(parameters))
        with region.lock:
            if name in region.models:
                raise AwsError(
                    "ValidationException", f'Cannot create already existing model "{arn}".'
                )
            region.models[name] = {
                **_without_tags(parameters),
                "EnableNetworkIsolation": parameters.get("EnableNetworkIsolation", False),
                "ModelArn": arn,
                "CreationTime": now(),
            }
            region.tag(arn, parameters.get("Tags"))
        return {"ModelArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The model as it was created."""
        return find_model(region, parameters["ModelName"])

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The models of the region, page by page."""
        with region.lock:
            return self._listing.page(region.models.values(), parameters)

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Forget a model; what already serves it goes on, as on AWS."""
        with region.lock:
            model = find_model(region, parameters["ModelName"])
            del region.models[model["ModelName"]]
            region.tags.pop(model["ModelArn"], None)
        return {}

    def _check_container(self, region: Region, role: str | None, container: Resource) -> None:
        url = container.get("ModelDataUrl")
        if container.get("Image") is None or url is None:
            raise AwsError(
                "ValidationException",
                "the local AWS runs containers that have both an Image and a ModelDataUrl",
            )
        status = archives.head_status(role_client(self._context, role, "s3", region.name), url)
        if status == 403:
            raise AwsError("ValidationException", _no_access(url, role, region.name))
        if status != 200:
            raise AwsError("ValidationException", f"Could not find model data at {url}.")


def _no_access(url: str, role: str | None, region: str) -> str:
    """As AWS words it (github.com/philschmid/llm-sagemaker-sample/issues/2, read 2026-11-21)."""
    return (
        f'Could not access model data at {url}. Please ensure that the role "{role}" exists and '
        'that its trust relationship policy allows the action "sts:AssumeRole" for the service '
        'principal "sagemaker.amazonaws.com". Also ensure that the role has "s3:GetObject" '
        f"permissions and that the object is located in {region}. If your Model uses multiple "
        'models or uncompressed models, please ensure that the role has "s3:ListBucket" '
        "permission."
    )


def container_of(model: Parameters) -> Resource:
    """The model's one container: PrimaryContainer, or the only one of Containers."""
    primary, several = model.get("PrimaryContainer"), model.get("Containers") or []
    if primary is not None and several:
        raise AwsError(
            "ValidationException", "Both PrimaryContainer and Containers are set; use one of them"
        )
    if len(several) > 1:
        raise AwsError(
            "ValidationException", "the local AWS does not offer pipelines of containers yet"
        )
    containers = [primary] if primary is not None else several
    if not containers:
        raise AwsError("ValidationException", "A model needs PrimaryContainer or Containers")
    container: Resource = containers[0]
    return container


def find_model(region: Region, name: str) -> Resource:
    """The model of that name; raises AWS's "Could not find model"."""
    with region.lock:
        model = region.models.get(name)
    if model is None:
        arn = region.arn("model", name)
        raise AwsError("ValidationException", f'Could not find model "{arn}".')
    return model


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
        names = [variant["VariantName"] for variant in variants]
        if len(set(names)) < len(names):
            raise AwsError(
                "ValidationException", f"Variant names must be unique; found {', '.join(names)}"
            )
        with region.lock:
            if name in region.endpoint_configs:
                raise AwsError(
                    "ValidationException",
                    f'Cannot create already existing endpoint configuration "{arn}".',
                )
            for variant in variants:
                find_model(region, variant["ModelName"])
            region.endpoint_configs[name] = {
                **_without_tags(parameters),
                "ProductionVariants": variants,
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


def _variant(variant: Resource) -> Resource:
    name = variant["VariantName"]
    for member in ("ModelName", "InstanceType", "InitialInstanceCount"):
        if variant.get(member) is None:
            raise AwsError(
                "ValidationException",
                f"Variant '{name}' has no {member}; the local AWS serves variants that name a "
                "model, an instance type and a count",
            )
    return {"InitialVariantWeight": 1.0, **variant}


class Tags:
    """AddTags, ListTags, DeleteTags."""

    def add(self, region: Region, parameters: Parameters) -> Resource:
        """Add tags, or change their values; a resource has at most `MAX_TAGS`."""
        with region.lock:
            tags = _tags_of(region, parameters["ResourceArn"])
            changed = {**tags, **{tag["Key"]: tag["Value"] for tag in parameters["Tags"]}}
            if len(changed) > MAX_TAGS:
                raise AwsError(
                    "ResourceLimitExceeded",
                    f"A resource has at most {MAX_TAGS} tags; this would make {len(changed)}",
                )
            tags.update(changed)
            return {"Tags": _as_list(tags)}

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """Every tag of a resource, on one page."""
        with region.lock:
            return {"Tags": _as_list(_tags_of(region, parameters["ResourceArn"]))}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Remove tags by their keys; keys that are not there are passed over."""
        with region.lock:
            tags = _tags_of(region, parameters["ResourceArn"])
            for key in parameters["TagKeys"]:
                tags.pop(key, None)
        return {}


def _tags_of(region: Region, arn: str) -> dict[str, str]:
    tags = region.tags.get(arn)
    if tags is None:
        raise AwsError("ValidationException", f'Could not find resource "{arn}".')
    return tags


def _as_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _without_tags(parameters: Parameters) -> Resource:
    return {name: value for name, value in parameters.items() if name != "Tags"}
