"""What runs for endpoints, looked at: by ``local status``, by CloudWatch, by what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.endpoints.seen import (
    QUIET_SECONDS,
    backlog_of,
    concurrency_of,
    instances_of,
    loaded_models,
)
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.observability.metrics import Instance, Series


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
