"""What runs for endpoints, looked at: by ``local status``, by CloudWatch, by what is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from sagemaker_serving import log_groups
from sagemaker_serving.local_sagemaker.async_inference.service import AsyncQueue
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.hosting import MultiModel
from sagemaker_serving.local_sagemaker.observability.metrics import (
    Instance,
    Series,
)


class EndpointViews:
    """Of endpoints and of their inference components; nothing is changed."""

    def __init__(self, fleets: Fleets, settings: Settings) -> None:
        self._fleets = fleets
        self._quiet_seconds = settings.seconds(QUIET_SECONDS)

    def summaries(self, region: Region) -> Sequence[dict[str, Any]]:
        """The endpoints as ``local status`` shows them."""
        with region.lock:
            shown = [
                (endpoint, self._running(region, endpoint))
                for endpoint in region.endpoints.values()
            ]
        return [_summary(region, endpoint, fleets) for endpoint, fleets in shown]

    def instances(self, region: Region) -> Sequence[Instance]:
        """The processes that serve in a region now."""
        with region.lock:
            return [
                instance
                for name, fleet in (
                    *self._fleets.serving(region),
                    *self._fleets.components(region),
                )
                for instance in instances_of(region.name, name, fleet)
            ]

    def gauges(self, region: Region) -> Sequence[tuple[Series, float]]:
        """What is to be looked at in a region: queues, loaded models, requests under way."""
        seen: list[tuple[Series, float]] = []
        with region.lock:
            for name, fleet in self._fleets.serving(region):
                seen += loaded_models(region.name, name, fleet)
                queue = self._fleets.of(region.endpoints[name]["EndpointArn"]).queue
                if queue is not None:
                    seen += backlog_of(region.name, name, queue, fleet)
            for name, fleet in (*self._fleets.serving(region), *self._fleets.components(region)):
                quiet = self._quiet_seconds
                seen += concurrency_of(region.name, name, fleet, quiet_seconds=quiet)
        return seen

    def write_captures(self, region: Region) -> None:
        """Put what was captured so far into S3."""
        with region.lock:
            fleets = [
                fleet
                for endpoint in region.endpoints.values()
                for fleet in self._fleets.of(endpoint["EndpointArn"]).fleets()
            ]
        for fleet in fleets:
            if fleet.capture is not None:
                fleet.capture.write()

    def export_serving(self, region: Region) -> dict[str, Resource]:
        """By ARN, of endpoints and inference components: the config and the models that serve
        now, or are to serve again, whatever became of them."""
        with region.lock:
            return {
                arn: kept
                for arn in (
                    *(each["EndpointArn"] for each in region.endpoints.values()),
                    *(
                        each["InferenceComponentArn"]
                        for each in region.inference_components.values()
                    ),
                )
                if (kept := self._fleets.of(arn).export()) is not None
            }

    def _running(self, region: Region, endpoint: Resource) -> Sequence[Fleet]:
        """Every fleet of an endpoint, then those of its inference components."""
        arns = [endpoint["EndpointArn"]] + [
            component["InferenceComponentArn"]
            for component in region.inference_components.values()
            if component["EndpointArn"] == endpoint["EndpointArn"]
        ]
        return [fleet for arn in arns for fleet in self._fleets.of(arn).fleets()]


def _summary(region: Region, endpoint: Resource, fleets: Sequence[Fleet]) -> dict[str, Any]:
    variants = [
        {"config": fleet.config_name, **row}
        for fleet in fleets
        for variant in fleet.every
        for row in variant.summaries()
    ]
    return {
        "name": endpoint["EndpointName"],
        "region": region.name,
        "status": endpoint["EndpointStatus"],
        "config": endpoint["EndpointConfigName"],
        "failure_reason": endpoint.get("FailureReason"),
        "notes": sorted({row["note"] for row in variants} - {""}),
        "variants": variants,
    }


QUIET_SECONDS = 20 * 60.0
"""How long `concurrency_of` is sent after a request: target tracking looks at a quarter of an hour.
Who does nothing all day costs nothing."""


def instances_of(region: str, endpoint: str, fleet: Fleet) -> Iterator[Instance]:
    """The processes of a fleet, those of a variant together; of a serverless one only its memory
    (developer guide, "Alarms and logs for tracking metrics from serverless endpoints")."""
    for variant in fleet.every:
        pids = [
            container.server.pid
            for container in variant.host.containers
            if container.server is not None and container.is_running()
        ]
        if pids:
            yield Instance(
                namespace=log_groups.ENDPOINTS,
                dimensions=dict(_dimensions(endpoint, variant)),
                region=region,
                role_arn=variant.role_arn,
                pid=pids[0],
                more_pids=tuple(pids[1:]),
                usage=variant.usage,
                published=None if variant.serverless is None else {"MemoryUtilization"},
            )


def loaded_models(region: str, endpoint: str, fleet: Fleet) -> Iterator[tuple[Series, float]]:
    """LoadedModelCount of each multi-model variant."""
    for variant in fleet.variants.values():
        if isinstance(variant.host, MultiModel):
            series = Series(
                region=region,
                namespace=log_groups.ENDPOINTS,
                dimensions=_dimensions(endpoint, variant),
                name="LoadedModelCount",
                unit="None",
            )
            yield series, variant.host.loaded


def concurrency_of(
    region: str, endpoint: str, fleet: Fleet, *, quiet_seconds: float
) -> Iterator[tuple[Series, float]]:
    """How many requests each variant, or component, works on at this moment.

    On AWS it is sent every ten seconds, also while nobody asks: that is what scales a component in
    to zero (huggingface/skills, hf-cloud-sagemaker-deployment, measured so). Here
    it is sent until nobody has asked for ``quiet_seconds``. Real-time endpoints alone have it.
    """
    if "AsyncInferenceConfig" in fleet.config:
        return
    component = fleet.config.get("InferenceComponentName")
    for variant in fleet.variants.values():
        is_there = variant.instance_count and variant.host.containers and not variant.serverless
        if not is_there or time.monotonic() - variant.asked_at > quiet_seconds:
            continue
        series = (
            Series(
                region=region,
                dimensions=_dimensions(endpoint, variant),
                name="ConcurrentRequestsPerModel",
                unit="None",
            )
            if component is None
            else Series(
                region=region,
                dimensions=(("InferenceComponentName", component),),
                name="ConcurrentRequestsPerCopy",
                unit="None",
            )
        )
        yield series, variant.in_flight


def backlog_of(
    region: str, endpoint: str, queue: AsyncQueue, fleet: Fleet
) -> Iterator[tuple[Series, float]]:
    """A queue's metrics, as the developer guide lists them for asynchronous endpoints.

    HasBacklogWithoutCapacity is 1 where requests wait and no instance is there;
    ApproximateBacklogSizePerInstance is not sent then.
    """
    backlog = queue.backlog()
    size = backlog.waiting + backlog.running
    instances = sum(variant.instance_count for variant in fleet.variants.values())
    values = {
        "ApproximateBacklogSize": (size, "Count"),
        "ApproximateAgeOfOldestRequest": (backlog.oldest_seconds, "Seconds"),
        "HasBacklogWithoutCapacity": (float(backlog.waiting > 0 and instances == 0), "Count"),
    }
    if instances:
        values["ApproximateBacklogSizePerInstance"] = (size / instances, "Count")
    for name, (value, unit) in values.items():
        yield (
            Series(region=region, dimensions=(("EndpointName", endpoint),), name=name, unit=unit),
            value,
        )


def _dimensions(endpoint: str, variant: Variant) -> tuple[tuple[str, str], ...]:
    return (("EndpointName", endpoint), ("VariantName", variant.name))
