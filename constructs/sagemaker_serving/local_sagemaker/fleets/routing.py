"""Which variant serves a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.fleets.endpoint_runtime import EndpointRuntime
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import Route


@contextmanager
def pick_variant(
    region: Region, name: str, live: EndpointRuntime, target: str | None
) -> Iterator[Route]:
    """The variant for one request, by the deployment's step, the target, or the weights.

    Its fleet is kept until the request is done. Raises ValidationError when
    nothing serves, or no such variant does.
    """
    with region.lock:
        fleet = live.route()
        variant = fleet.pick(target) if fleet is not None else None
    if fleet is None:
        raise not_found(region, name)
    if variant is None:
        known = ", ".join(fleet.variants)
        wanted = f"Variant {target} not found" if target is not None else "Every weight is 0"
        raise AwsError("ValidationError", f"{wanted} for endpoint {name}; it has {known}.")
    try:
        yield Route(region=region.name, endpoint=name, fleet=fleet, variant=variant)
    finally:
        fleet.release(variant)


def not_found(region: Region, name: str) -> AwsError:
    """What InvokeEndpoint says of an endpoint that is not there."""
    return AwsError("ValidationError", f"Endpoint {name} of account {region.account} not found.")
