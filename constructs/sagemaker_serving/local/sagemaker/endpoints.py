"""Endpoints: from Creating to InService or Failed, updates beside what serves, weights.

::

    Creating ──> InService <──> Updating     an update that fails ends InService on the
        │            │                       old config, with a FailureReason
        └──> Failed  └──> Deleting
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.faults import Faults
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.container import ContainerFailed, Launch
from sagemaker_serving.local.sagemaker.endpoint_states import (
    find_endpoint,
    keep_deployment_config,
    refuse_in_progress,
    refuse_unknown_variant,
    refuse_unless_in_service,
    settle,
)
from sagemaker_serving.local.sagemaker.fleet import Fleet, Variant
from sagemaker_serving.local.sagemaker.fleets import Fleets, Models, with_retained_properties
from sagemaker_serving.local.sagemaker.listing import Listing
from sagemaker_serving.local.sagemaker.log_shipper import LogShipper
from sagemaker_serving.local.sagemaker.metrics import Instance
from sagemaker_serving.local.sagemaker.resources import find_endpoint_config
from sagemaker_serving.local.sagemaker.store import Region, Resource, now

Parameters = Mapping[str, Any]


class Endpoints:
    """CreateEndpoint, UpdateEndpoint and the other actions on endpoints, and what serves them."""

    _listing = Listing(
        items="Endpoints",
        kind="Endpoint",
        members=(
            "EndpointName",
            "EndpointArn",
            "CreationTime",
            "LastModifiedTime",
            "EndpointStatus",
        ),
        status="EndpointStatus",
    )

    def __init__(
        self, context: LocalContext, launch: Launch, *, logs: LogShipper, faults: Faults
    ) -> None:
        self._account_id = context.account_id
        self._fleets = Fleets(context, launch, logs, faults)

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to serve a config; DescribeEndpoint tells when it does."""
        name = parameters["EndpointName"]
        arn = region.arn("endpoint", name)
        with region.lock:
            if name in region.endpoints:
                raise AwsError(
                    "ValidationException", f'Cannot create already existing endpoint "{arn}".'
                )
            config = find_endpoint_config(region, parameters["EndpointConfigName"])
            created = now()
            region.endpoints[name] = {
                "EndpointName": name,
                "EndpointArn": arn,
                "EndpointConfigName": parameters["EndpointConfigName"],
                "EndpointStatus": "Creating",
                "CreationTime": created,
                "LastModifiedTime": created,
            }
            keep_deployment_config(region.endpoints[name], parameters)
            region.tag(arn, parameters.get("Tags"))
            self._fleets.begin(arn)
            endpoint = region.endpoints[name]
        self._in_background(region, self._bring_up, endpoint, config)
        return {"EndpointArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The endpoint as it stands now."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            live = self._fleets.of(endpoint["EndpointArn"])
            described = dict(endpoint)
            if live.serving is not None:
                described["ProductionVariants"] = live.serving.describe()
            if endpoint["EndpointStatus"] == "Updating" and live.starting is not None:
                described["PendingDeploymentSummary"] = {
                    "EndpointConfigName": live.starting.config_name,
                    "ProductionVariants": live.starting.describe(),
                    "StartTime": endpoint["LastModifiedTime"],
                }
        return described

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """The endpoints of the region, page by page."""
        with region.lock:
            return self._listing.page(region.endpoints.values(), parameters)

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to replace what serves; the old fleet serves until the new one is healthy."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            refuse_unless_in_service(endpoint)
            config = with_retained_properties(
                find_endpoint_config(region, parameters["EndpointConfigName"]),
                self._fleets.of(endpoint["EndpointArn"]).serving,
                parameters,
            )
            keep_deployment_config(endpoint, parameters)
            endpoint["EndpointStatus"] = "Updating"
            endpoint["LastModifiedTime"] = now()
        self._in_background(region, self._replace, endpoint, config)
        return {"EndpointArn": endpoint["EndpointArn"]}

    def update_weights(self, region: Region, parameters: Parameters) -> Resource:
        """Change weights and counts at once, without a new fleet."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            refuse_unless_in_service(endpoint)
            fleet = self._fleets.of(endpoint["EndpointArn"]).serving
            wanted = parameters["DesiredWeightsAndCapacities"]
            variants = fleet.variants if fleet is not None else {}
            for change in wanted:
                refuse_unknown_variant(change["VariantName"], variants, endpoint)
            for change in wanted:
                variant = variants[change["VariantName"]]
                variant.weight = change.get("DesiredWeight", variant.weight)
                variant.instance_count = change.get("DesiredInstanceCount", variant.instance_count)
            endpoint["LastModifiedTime"] = now()
        return {"EndpointArn": endpoint["EndpointArn"]}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to end an endpoint's processes; it is gone when DescribeEndpoint says so."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            refuse_in_progress(endpoint)
            endpoint["EndpointStatus"] = "Deleting"
            endpoint["LastModifiedTime"] = now()
        self._in_background(region, self._take_down, endpoint)
        return {}

    @contextmanager
    def variant_for(self, region: Region, name: str, target: str | None) -> Iterator[Variant]:
        """The variant that serves one request; its fleet is kept until the request is done.

        Raises `AwsError` as InvokeEndpoint answers it when nothing serves.
        """
        with region.lock:
            fleet = self._serving(region, name)
            variant = fleet.pick(target) if fleet is not None else None
        if fleet is None:
            raise AwsError(
                "ValidationError",
                f"Endpoint {name} of account {self._account_id} not found.",
            )
        if variant is None:
            known = ", ".join(fleet.variants)
            wanted = f"Variant {target} not found" if target is not None else "Every weight is 0"
            raise AwsError("ValidationError", f"{wanted} for endpoint {name}; it has {known}.")
        try:
            yield variant
        finally:
            fleet.release(variant)

    def summaries(self, region: Region) -> Sequence[dict[str, Any]]:
        """The endpoints as ``local status`` shows them."""
        with region.lock:
            shown = [
                (endpoint, self._fleets.of(endpoint["EndpointArn"]).fleets())
                for endpoint in region.endpoints.values()
            ]
        return [
            {
                "name": endpoint["EndpointName"],
                "region": region.name,
                "status": endpoint["EndpointStatus"],
                "config": endpoint["EndpointConfigName"],
                "failure_reason": endpoint.get("FailureReason"),
                "variants": [
                    {"config": fleet.config_name, **variant.summary()}
                    for fleet in fleets
                    for variant in fleet.variants.values()
                ],
            }
            for endpoint, fleets in shown
        ]

    def instances(self, region: Region) -> Sequence[Instance]:
        """The processes that serve in a region now."""
        return self._fleets.instances(region)

    def export_serving(self, region: Region) -> dict[str, Resource]:
        """By endpoint ARN: the config and the models that serve now, whatever became of them."""
        with region.lock:
            return {
                endpoint["EndpointArn"]: serving.export()
                for endpoint in region.endpoints.values()
                if (serving := self._fleets.of(endpoint["EndpointArn"]).serving) is not None
            }

    def resume(self, region: Region, serving: Mapping[str, Resource]) -> None:
        """Take up a region's endpoints that were restored; start those that were serving."""
        with region.lock:
            for endpoint in region.endpoints.values():
                arn = endpoint["EndpointArn"]
                self._fleets.begin(arn)
                if endpoint["EndpointStatus"] != "SystemUpdating":
                    continue
                if arn in serving:
                    fleet = serving[arn]
                    self._in_background(
                        region, self._bring_up, endpoint, fleet["config"], fleet["models"]
                    )
                else:
                    settle(endpoint, "Failed", ContainerFailed("What it served was not kept."))

    def close(self, regions: Iterable[Region]) -> None:
        """End every process; endpoints that were starting fail."""
        self._fleets.close(regions)

    def _bring_up(
        self, region: Region, endpoint: Resource, config: Resource, models: Models | None = None
    ) -> None:
        live = self._fleets.of(endpoint["EndpointArn"])
        try:
            fleet = self._fleets.start(region, endpoint, config, "CreateEndpoint", models)
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                settle(endpoint, "Failed", failed)
            return
        with region.lock:
            live.serving, live.starting = fleet, None
            reason = endpoint.get("FailureReason")
            settle(endpoint, "InService")
            if reason is not None:  # of an update that was cut off
                endpoint["FailureReason"] = reason

    def _replace(self, region: Region, endpoint: Resource, config: Resource) -> None:
        live = self._fleets.of(endpoint["EndpointArn"])
        try:
            fleet = self._fleets.start(region, endpoint, config, "UpdateEndpoint")
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                settle(endpoint, "InService", failed)
            return
        with region.lock:
            replaced, live.serving, live.starting = live.serving, fleet, None
            if replaced is not None:
                live.draining.append(replaced)
            endpoint["EndpointConfigName"] = fleet.config_name
            settle(endpoint, "InService")
        region.changed()
        if replaced is not None:
            replaced.drain_and_stop()
            with region.lock:
                live.draining.remove(replaced)

    def _take_down(self, region: Region, endpoint: Resource) -> None:
        self._fleets.end(region, endpoint)
        with region.lock:
            del region.endpoints[endpoint["EndpointName"]]
            region.tags.pop(endpoint["EndpointArn"], None)
            self._fleets.forget(endpoint["EndpointArn"])

    def _serving(self, region: Region, name: str) -> Fleet | None:
        endpoint = region.endpoints.get(name)
        if endpoint is None or endpoint["EndpointStatus"] not in ("InService", "Updating"):
            return None
        return self._fleets.of(endpoint["EndpointArn"]).serving

    def _in_background(self, region: Region, work: Callable[..., None], *arguments: Any) -> None:
        def do() -> None:
            work(region, *arguments)
            region.changed()

        threading.Thread(target=do, daemon=True).start()
