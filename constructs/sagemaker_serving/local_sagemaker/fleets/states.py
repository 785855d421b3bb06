"""An endpoint's record: finding it, moving it, and what its status forbids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.kept import Kept
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed


class KeptEndpoints(Kept):
    """Endpoints, by their names."""

    kind = "Endpoint"
    arn_kind = words = "endpoint"
    places = "endpoints"


def deployment_config(endpoint: Resource, parameters: Mapping[str, Any]) -> Resource | None:
    """The DeploymentConfig of an update: its own, or the last one where it is told to retain it."""
    retained = parameters.get("RetainDeploymentConfig", False)
    config: Resource | None = parameters.get(
        "DeploymentConfig", endpoint.get("LastDeploymentConfig") if retained else None
    )
    return config


def keep_deployment_config(endpoint: Resource, config: Resource | None) -> None:
    """Describe tells the last deployment's; one without any makes it forgotten."""
    endpoint.pop("LastDeploymentConfig", None)
    if config is not None:
        endpoint["LastDeploymentConfig"] = config


def settle(endpoint: Resource, status: str, failed: ContainerFailed | None = None) -> None:
    """Move an endpoint to a status that lasts, with the reason when it got there by a failure."""
    endpoint["EndpointStatus"] = status
    endpoint["LastModifiedTime"] = now()
    endpoint.pop("FailureReason", None)
    if failed is not None:
        endpoint["FailureReason"] = str(failed)


def refuse_in_progress(endpoint: Resource) -> None:
    """Raise AWS's "Cannot update in-progress endpoint" while something is done to it."""
    if endpoint["EndpointStatus"] in ("Creating", "Updating", "SystemUpdating", "Deleting"):
        raise AwsError(
            "ValidationException",
            f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".',
        )


def refuse_unless_in_service(endpoint: Resource) -> None:
    """Raise `AwsError` for an endpoint that is on its way or has failed."""
    refuse_in_progress(endpoint)
    if endpoint["EndpointStatus"] != "InService":
        raise AwsError(
            "ValidationException",
            f'Cannot update endpoint "{endpoint["EndpointArn"]}" in status '
            f"{endpoint['EndpointStatus']}; it can only be deleted.",
        )


def refuse_unknown_variant(name: str, known: Iterable[str], endpoint: Resource) -> None:
    """Raise `AwsError` for a variant that the endpoint does not have."""
    if name not in known:
        raise AwsError(
            "ValidationException",
            f"Variant '{name}' is not of endpoint \"{endpoint['EndpointArn']}\"; "
            f"it has {', '.join(known)}.",
        )


def refuse_no_instances(change: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Raise `AwsError` for a count of 0 where AWS has none: anywhere but behind a queue.

    (Developer guide, "Autoscale an asynchronous endpoint"; in
    words of our own.)
    """
    if change.get("DesiredInstanceCount") == 0 and "AsyncInferenceConfig" not in config:
        raise AwsError(
            "ValidationException",
            f"Variant '{change['VariantName']}': DesiredInstanceCount is 0; only asynchronous "
            "endpoints can have no instance",
        )


def refuse_with_components(region: Region, endpoint: Resource) -> None:
    """Raise `AwsError` for an endpoint that still has inference components, in our own words."""
    held = [
        component["InferenceComponentName"]
        for component in region.inference_components.values()
        if component["EndpointArn"] == endpoint["EndpointArn"]
    ]
    if held:
        raise AwsError(
            "ValidationException",
            f'Cannot delete endpoint "{endpoint["EndpointArn"]}": it has the inference components '
            f"{', '.join(held)}; delete them first",
        )
