"""The temporary endpoint: made, looked at, removed, always with its config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.custom_resource.clients import (
    client,
    code_of,
    described,
    is_missing,
    tags_of,
)

from .request import Request


class NotOurs(Exception):
    """The name is another's, who keeps what has it."""


def found(request: Request) -> Mapping[str, Any] | None:
    """The endpoint as it stands, None where there is none."""
    return described("describe_endpoint", EndpointName=request.name)


def is_begun(request: Request) -> bool:
    """Whether this very request has begun it, in a call that was killed since, and it may be."""
    endpoint = found(request)
    if endpoint is None or endpoint["EndpointStatus"] not in ("Creating", "InService"):
        return False
    return request.began(tags_of(endpoint["EndpointArn"]))


def begin(request: Request) -> None:
    """Makes the config and begins to make the endpoint."""
    sagemaker = client("sagemaker")
    sagemaker.create_endpoint_config(
        EndpointConfigName=request.name, Tags=request.tags, **request.config
    )
    sagemaker.create_endpoint(
        EndpointName=request.name, EndpointConfigName=request.name, Tags=request.tags
    )
    print(f"began {request.name}")


def remove(request: Request) -> bool:
    """Removes endpoint and config; whether the endpoint is still there, so that it is tried again.

    AWS deletes no endpoint that is being made: one is waited for. (AWS's own operator says so,
    aws/amazon-sagemaker-operator-for-k8s, controllers/hosting/hostingdeployment_controller.go:
    deletions "are only supported in SageMaker when the Endpoint is "InService" […] or "Failed"";
    and aws-controllers-k8s/sagemaker-controller tests that it waits, too.) Raises
    `NotOurs` for what another has made.
    """
    endpoint = found(request)
    if endpoint is not None:
        if _stays(endpoint):
            if request.is_left_by_it(tags_of(endpoint["EndpointArn"])):
                _delete("delete_endpoint", EndpointName=request.name)
            elif _stays(found(request)):  # one that went meanwhile has no tags any more
                raise NotOurs(endpoint["EndpointArn"])
        return True
    config = described("describe_endpoint_config", EndpointConfigName=request.name)
    if config is None:
        return False
    if not request.is_left_by_it(tags_of(config["EndpointConfigArn"])):
        raise NotOurs(config["EndpointConfigArn"])
    _delete("delete_endpoint_config", EndpointConfigName=request.name)
    return False


def _stays(endpoint: Mapping[str, Any] | None) -> bool:
    return endpoint is not None and endpoint["EndpointStatus"] != "Deleting"


def _delete(operation: str, **named: str) -> None:
    try:
        getattr(client("sagemaker"), operation)(**named)
    except ClientError as error:
        # Gone meanwhile, or "Cannot update in-progress endpoint", which is said of a deletion, too
        # (controllers/sdkutil/clientwrapper/sagemaker_client.go of that operator).
        if not is_missing(error) and code_of(error) != "ValidationException":
            raise
        print(f"{operation} of {named}: {error}")
    else:
        print(f"{operation} of {named}")
