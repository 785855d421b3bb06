"""What is done to an endpoint in the background: start, replace, rescale, take down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from sagemaker_serving.local_sagemaker.async_inference.request import AsyncRequest
from sagemaker_serving.local_sagemaker.async_inference.service import (
    DEFAULT_CONCURRENCY,
    AsyncQueue,
)
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.endpoints.async_tasks import AsyncWork
from sagemaker_serving.local_sagemaker.fleets.deployment import Deployment
from sagemaker_serving.local_sagemaker.fleets.endpoint_runtime import EndpointRuntime
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleet_builder import ModelsByName
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets, WentBack
from sagemaker_serving.local_sagemaker.fleets.rollout import Rollouts
from sagemaker_serving.local_sagemaker.fleets.routing import pick_variant
from sagemaker_serving.local_sagemaker.fleets.states import settle


class EndpointTasks:
    """Each method begins its work in a thread and returns at once."""

    def __init__(self, fleets: Fleets, rollouts: Rollouts, async_work: AsyncWork) -> None:
        self._fleets = fleets
        self._rollouts = rollouts
        self._async_work = async_work

    def bring_up(self, region: Region, endpoint: Resource, config: Resource) -> None:
        """Creating, then InService or Failed."""
        self._begin(region, self._bring_up, endpoint, config, None)

    def replace(
        self, region: Region, endpoint: Resource, config: Resource, deployment: Deployment
    ) -> None:
        """Updating, then InService on the new config, or on the old one with a FailureReason."""
        self._begin(region, self._replace, endpoint, config, deployment)

    def rescale(self, region: Region, endpoint: Resource, counts: Mapping[str, int]) -> None:
        """Updating, then InService with these counts by variant, or a FailureReason."""
        self._begin(region, self._rescale, endpoint, counts)

    def take_down(self, region: Region, endpoint: Resource) -> None:
        """Deleting, then gone."""
        self._begin(region, self._take_down, endpoint)

    def resume(self, region: Region, serving: Mapping[str, Resource]) -> None:
        """Take up a region's endpoints that were restored; start those that were serving."""
        with region.lock:
            for endpoint in region.endpoints.values():
                arn = endpoint["EndpointArn"]
                live = self._fleets.begin(arn)
                if arn in serving:
                    if endpoint["EndpointStatus"] != "SystemUpdating":
                        settle(endpoint, "SystemUpdating")  # it failed to serve again
                    kept = live.kept = serving[arn]
                    self._begin(region, self._bring_up, endpoint, kept["config"], kept["models"])
                elif endpoint["EndpointStatus"] == "SystemUpdating":
                    settle(endpoint, "Failed", ContainerFailed("What it served was not kept."))

    def close(self) -> None:
        """End every process; endpoints that were starting fail, deployments are rolled back."""
        self._rollouts.close()
        self._fleets.close()

    def _bring_up(
        self, region: Region, endpoint: Resource, config: Resource, models: ModelsByName | None
    ) -> None:
        live = self._fleets.of(endpoint["EndpointArn"])
        try:
            fleet = self._fleets.start(region, endpoint, config, "CreateEndpoint", models)
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                settle(endpoint, "Failed", failed)
            live.resumed.set()
            return
        with region.lock:
            self._serve(region, endpoint, live, fleet)
            live.kept = None
            live.resumed.set()
            reason = endpoint.get("FailureReason")
            settle(endpoint, "InService")
            if reason is not None:  # of an update that was cut off
                endpoint["FailureReason"] = reason

    def _replace(
        self, region: Region, endpoint: Resource, config: Resource, deployment: Deployment
    ) -> None:
        live = self._fleets.of(endpoint["EndpointArn"])
        began = time.monotonic()
        try:
            fleet = self._fleets.start(region, endpoint, config, "UpdateEndpoint")
            self._rollouts.shift(region, live, fleet, deployment, time.monotonic() - began)
        except ContainerFailed as failed:
            with region.lock:
                refused, live.starting, live.share = live.starting, None, 0.0
                if refused is not None:
                    live.draining.append(refused)
                settle(endpoint, "InService", None if isinstance(failed, WentBack) else failed)
            self._drain(region, live, refused)
            return
        with region.lock:
            replaced = live.serving
            self._serve(region, endpoint, live, fleet)
            if replaced is not None:
                live.draining.append(replaced)
            endpoint["EndpointConfigName"] = fleet.config_name
            settle(endpoint, "InService")
        region.changed()
        self._drain(region, live, replaced)

    def _drain(self, region: Region, live: EndpointRuntime, fleet: Fleet | None) -> None:
        if fleet is not None:
            fleet.drain_and_stop()
            with region.lock:
                live.draining.remove(fleet)

    def _rescale(self, region: Region, endpoint: Resource, counts: Mapping[str, int]) -> None:
        with region.lock:
            fleet = self._fleets.of(endpoint["EndpointArn"]).serving
        reason: ContainerFailed | None = None
        assert fleet is not None, "what is InService has one"
        for name, count in counts.items():
            try:
                fleet.scale(fleet.variants[name], count)
            except ContainerFailed as failed:
                reason = failed
        with region.lock:
            settle(endpoint, "InService", reason)

    def _take_down(self, region: Region, endpoint: Resource) -> None:
        self._fleets.end(region, endpoint)
        with region.lock:
            del region.endpoints[endpoint["EndpointName"]]
            region.tags.pop(endpoint["EndpointArn"], None)
            self._fleets.forget(endpoint["EndpointArn"])

    def _serve(
        self, region: Region, endpoint: Resource, live: EndpointRuntime, fleet: Fleet
    ) -> None:
        live.serving, live.starting, live.share = fleet, None, 0.0
        if "AsyncInferenceConfig" in fleet.config and live.queue is None:
            live.queue = AsyncQueue(
                room=lambda: _room(region, live),
                work=lambda request: self._do_async(region, endpoint, live, request),
                is_expired=self._async_work.is_expired,
            )

    def _do_async(
        self, region: Region, endpoint: Resource, live: EndpointRuntime, request: AsyncRequest
    ) -> bool:
        """Whether it is done; where the last instance has just ended, it is not."""
        with pick_variant(region, endpoint["EndpointName"], live, None) as route:
            is_due = bool(route.variant.instance_count) or self._async_work.is_expired(request)
            if is_due:
                self._async_work.do(request, route)
            return is_due

    def _begin(self, region: Region, work: Callable[..., None], *arguments: Any) -> None:
        def do() -> None:
            work(region, *arguments)
            region.changed()

        threading.Thread(target=do, daemon=True).start()


def _room(region: Region, live: EndpointRuntime) -> int:
    """How many asynchronous requests the instances take at one time."""
    with region.lock:
        fleet = live.serving
    if fleet is None:
        return 0
    client = fleet.config.get("AsyncInferenceConfig", {}).get("ClientConfig", {})
    each: int = client.get("MaxConcurrentInvocationsPerInstance", DEFAULT_CONCURRENCY)
    return each * sum(variant.instance_count for variant in fleet.variants.values())
