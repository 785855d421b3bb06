"""Endpoints: from Creating to InService or Failed, updates beside what serves, weights.

::

    Creating ──> InService <──> Updating     an update that fails ends InService on the
        │            │                       old config, with a FailureReason
        └──> Failed  └──> Deleting
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.container import Container, ContainerFailed, Launch, Plan
from sagemaker_serving.local.sagemaker.fleet import Fleet, Variant, in_parallel
from sagemaker_serving.local.sagemaker.listing import Listing
from sagemaker_serving.local.sagemaker.resources import find_endpoint_config, find_model
from sagemaker_serving.local.sagemaker.store import Region, Resource, now

Parameters = Mapping[str, Any]

_log = logging.getLogger(__name__)


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

    def __init__(self, context: LocalContext, launch: Launch) -> None:
        self._context = context
        self._launch = launch
        self._live: dict[str, _Live] = {}  # by ARN
        self._generations = count(1)
        self._closed = False

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
            region.tag(arn, parameters.get("Tags"))
            self._live[arn] = _Live()
            endpoint = region.endpoints[name]
        self._in_background(self._bring_up, region, endpoint, config)
        return {"EndpointArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The endpoint as it stands now."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            live = self._live[endpoint["EndpointArn"]]
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
            _refuse_unless_in_service(endpoint)
            config = find_endpoint_config(region, parameters["EndpointConfigName"])
            endpoint["EndpointStatus"] = "Updating"
            endpoint["LastModifiedTime"] = now()
        self._in_background(self._replace, region, endpoint, config)
        return {"EndpointArn": endpoint["EndpointArn"]}

    def update_weights(self, region: Region, parameters: Parameters) -> Resource:
        """Change weights and counts at once, without a new fleet."""
        with region.lock:
            endpoint = find_endpoint(region, parameters["EndpointName"])
            _refuse_unless_in_service(endpoint)
            fleet = self._live[endpoint["EndpointArn"]].serving
            wanted = parameters["DesiredWeightsAndCapacities"]
            variants = fleet.variants if fleet is not None else {}
            for change in wanted:
                _refuse_unknown_variant(change["VariantName"], variants, endpoint)
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
            _refuse_in_progress(endpoint)
            endpoint["EndpointStatus"] = "Deleting"
            endpoint["LastModifiedTime"] = now()
        self._in_background(self._take_down, region, endpoint)
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
                f"Endpoint {name} of account {self._context.account_id} not found.",
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
                (endpoint, self._live[endpoint["EndpointArn"]].fleets())
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

    def close(self, regions: Iterable[Region]) -> None:
        """End every process; endpoints that were starting fail."""
        self._closed = True
        fleets: list[Fleet] = []
        for region in regions:
            with region.lock:
                for endpoint in region.endpoints.values():
                    fleets += self._live[endpoint["EndpointArn"]].fleets()
        in_parallel([fleet.stop for fleet in fleets])

    def _bring_up(self, region: Region, endpoint: Resource, config: Resource) -> None:
        live = self._live[endpoint["EndpointArn"]]
        try:
            fleet = self._start_fleet(region, endpoint, config)
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                _settle(endpoint, "Failed", failed)
            return
        with region.lock:
            live.serving, live.starting = fleet, None
            _settle(endpoint, "InService")

    def _replace(self, region: Region, endpoint: Resource, config: Resource) -> None:
        live = self._live[endpoint["EndpointArn"]]
        try:
            fleet = self._start_fleet(region, endpoint, config)
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                _settle(endpoint, "InService", failed)
            return
        with region.lock:
            replaced, live.serving, live.starting = live.serving, fleet, None
            if replaced is not None:
                live.draining.append(replaced)
            endpoint["EndpointConfigName"] = fleet.config_name
            _settle(endpoint, "InService")
        if replaced is not None:
            replaced.drain_and_stop()
            with region.lock:
                live.draining.remove(replaced)

    def _take_down(self, region: Region, endpoint: Resource) -> None:
        arn = endpoint["EndpointArn"]
        for fleet in self._live[arn].fleets():
            fleet.stop()
        shutil.rmtree(self._folder(region, endpoint["EndpointName"]), ignore_errors=True)
        with region.lock:
            del region.endpoints[endpoint["EndpointName"]]
            region.tags.pop(arn, None)
            del self._live[arn]

    def _start_fleet(self, region: Region, endpoint: Resource, config: Resource) -> Fleet:
        """A healthy fleet of the config; raises `ContainerFailed` with nothing left running."""
        try:
            fleet = self._fleet(region, endpoint["EndpointName"], config)
            with region.lock:
                if self._closed:
                    raise ContainerFailed("The local AWS was stopped.")
                self._live[endpoint["EndpointArn"]].starting = fleet
            fleet.start()
        except ContainerFailed:
            raise
        except AwsError as error:
            raise ContainerFailed(error.message) from None
        except Exception as error:
            _log.exception("starting %s", endpoint["EndpointArn"])
            raise ContainerFailed(f"Request to service failed. ({error})") from None
        return fleet

    def _fleet(self, region: Region, name: str, config: Resource) -> Fleet:
        generation = next(self._generations)
        logs = self._context.state_dir / "logs" / "endpoints" / region.name / name
        variants = []
        for variant in config["ProductionVariants"]:
            place = f"{variant['VariantName']}-{generation}"
            plan = Plan(
                title=f"The primary container for production variant {variant['VariantName']}",
                model=find_model(region, variant["ModelName"]),
                region=region.name,
                folder=self._folder(region, name) / place,
                log_path=logs / f"{place}.log",
            )
            variants.append(Variant(variant, Container(plan, self._context, self._launch)))
        return Fleet(config["EndpointConfigName"], variants)

    def _folder(self, region: Region, name: str) -> Path:
        return self._context.state_dir / "endpoints" / region.name / name

    def _serving(self, region: Region, name: str) -> Fleet | None:
        endpoint = region.endpoints.get(name)
        if endpoint is None or endpoint["EndpointStatus"] not in ("InService", "Updating"):
            return None
        return self._live[endpoint["EndpointArn"]].serving

    def _in_background(self, work: Callable[..., None], *arguments: Any) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()


@dataclass
class _Live:
    """What runs for one endpoint: the fleet that serves, and those that come and go."""

    serving: Fleet | None = None
    starting: Fleet | None = None
    draining: list[Fleet] = field(default_factory=list)

    def fleets(self) -> list[Fleet]:
        every = (self.serving, self.starting, *self.draining)
        return [fleet for fleet in every if fleet is not None]


def find_endpoint(region: Region, name: str) -> Resource:
    """The endpoint of that name; raises AWS's "Could not find endpoint"."""
    with region.lock:
        endpoint = region.endpoints.get(name)
    if endpoint is None:
        arn = region.arn("endpoint", name)
        raise AwsError("ValidationException", f'Could not find endpoint "{arn}".')
    return endpoint


def _settle(endpoint: Resource, status: str, failed: ContainerFailed | None = None) -> None:
    endpoint["EndpointStatus"] = status
    endpoint["LastModifiedTime"] = now()
    endpoint.pop("FailureReason", None)
    if failed is not None:
        endpoint["FailureReason"] = str(failed)


def _refuse_in_progress(endpoint: Resource) -> None:
    if endpoint["EndpointStatus"] in ("Creating", "Updating", "Deleting"):
        raise AwsError(
            "ValidationException",
            f'Cannot update in-progress endpoint "{endpoint["EndpointArn"]}".',
        )


def _refuse_unless_in_service(endpoint: Resource) -> None:
    _refuse_in_progress(endpoint)
    if endpoint["EndpointStatus"] != "InService":
        raise AwsError(
            "ValidationException",
            f'Cannot update endpoint "{endpoint["EndpointArn"]}" in status '
            f"{endpoint['EndpointStatus']}; it can only be deleted.",
        )


def _refuse_unknown_variant(name: str, known: Iterable[str], endpoint: Resource) -> None:
    if name not in known:
        raise AwsError(
            "ValidationException",
            f"Variant '{name}' is not of endpoint \"{endpoint['EndpointArn']}\"; "
            f"it has {', '.join(known)}.",
        )
