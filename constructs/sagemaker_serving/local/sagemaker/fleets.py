"""What runs for each endpoint: fleets that serve, that start, and that finish their requests."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from sagemaker_serving.local.context import LocalContext
from sagemaker_serving.local.faults import Faults, Kind
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.container import Container, ContainerFailed, Launch, Plan
from sagemaker_serving.local.sagemaker.fleet import Fleet, Variant, in_parallel
from sagemaker_serving.local.sagemaker.log_files import endpoint_log, last_generation
from sagemaker_serving.local.sagemaker.log_shipper import LogShipper, instance_id
from sagemaker_serving.local.sagemaker.metrics import ENDPOINT_INSTANCES, Instance
from sagemaker_serving.local.sagemaker.resources import find_model
from sagemaker_serving.local.sagemaker.store import Region, Resource

NO_CAPACITY = (
    "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error. "
    "Please retry using a different ML instance type or after some time."
)
"""An endpoint's FailureReason (github.com/aws/deep-learning-containers/pull/6673,
read 2026-11-21)."""

Models = Mapping[str, Resource]
"""Models by name."""

_log = logging.getLogger(__name__)


@dataclass
class Live:
    """What runs for one endpoint: the fleet that serves, and those that come and go."""

    serving: Fleet | None = None
    starting: Fleet | None = None
    draining: list[Fleet] = field(default_factory=list)

    def fleets(self) -> list[Fleet]:
        """All of them, the one that serves first."""
        every = (self.serving, self.starting, *self.draining)
        return [fleet for fleet in every if fleet is not None]


class Fleets:
    """Starts and ends the fleets of endpoints; hold a region's lock to read its `Live`."""

    def __init__(
        self, context: LocalContext, launch: Launch, logs: LogShipper, faults: Faults
    ) -> None:
        self._context = context
        self._launch = launch
        self._logs = logs
        self._faults = faults
        self._live: dict[str, Live] = {}  # by ARN
        self._numbers: dict[str, count[int]] = {}
        self._numbering = threading.Lock()
        self._closed = False

    def begin(self, arn: str) -> Live:
        """An endpoint comes to be, with nothing running."""
        live = self._live[arn] = Live()
        return live

    def of(self, arn: str) -> Live:
        """What runs for an endpoint."""
        return self._live[arn]

    def start(
        self,
        region: Region,
        endpoint: Resource,
        config: Resource,
        operation: str,
        models: Models | None = None,
    ) -> Fleet:
        """A healthy fleet of the config, in ``starting`` meanwhile.

        ``models`` are those that the config names, when they are not the
        region's. Raises `ContainerFailed` with nothing left running.
        """
        try:
            self._refuse_without_capacity(operation, endpoint, config)
            fleet = self._make(region, endpoint["EndpointName"], config, models)
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

    def end(self, region: Region, endpoint: Resource) -> None:
        """End every process of an endpoint and remove its files; its logs stay."""
        for fleet in self._live[endpoint["EndpointArn"]].fleets():
            fleet.stop()
        shutil.rmtree(self._folder(region, endpoint["EndpointName"]), ignore_errors=True)

    def forget(self, arn: str) -> None:
        """The endpoint is gone."""
        del self._live[arn]

    def close(self, regions: Iterable[Region]) -> None:
        """End every process; fleets that were starting fail."""
        self._closed = True
        fleets: list[Fleet] = []
        for region in regions:
            with region.lock:
                for endpoint in region.endpoints.values():
                    fleets += self._live[endpoint["EndpointArn"]].fleets()
        in_parallel([fleet.stop for fleet in fleets])

    def instances(self, region: Region) -> list[Instance]:
        """The processes that serve in a region now."""
        with region.lock:
            serving = [
                (endpoint["EndpointName"], variant)
                for endpoint in region.endpoints.values()
                if (fleet := self._live[endpoint["EndpointArn"]].serving) is not None
                for variant in fleet.variants.values()
            ]
        return [
            Instance(
                namespace=ENDPOINT_INSTANCES,
                dimensions={"EndpointName": name, "VariantName": variant.name},
                region=region.name,
                role_arn=variant.container.plan.model.get("ExecutionRoleArn"),
                pid=server.pid,
                usage=variant.usage,
            )
            for name, variant in serving
            if (server := variant.container.server) is not None
        ]

    def _refuse_without_capacity(
        self, operation: str, endpoint: Resource, config: Resource
    ) -> None:
        types = [variant["InstanceType"] for variant in config["ProductionVariants"]]
        names = (endpoint["EndpointName"], config["EndpointConfigName"], *types)
        if self._faults.strike((Kind.NO_CAPACITY,), "sagemaker", operation, *names) is not None:
            raise ContainerFailed(NO_CAPACITY)

    def _make(self, region: Region, name: str, config: Resource, models: Models | None) -> Fleet:
        generation = self._next_generation(region, name)
        variants = []
        for variant in config["ProductionVariants"]:
            model = variant["ModelName"]
            place = f"{variant['VariantName']}-{generation}"
            plan = Plan(
                title=f"The primary container for production variant {variant['VariantName']}",
                model=find_model(region, model) if models is None else models[model],
                region=region.name,
                folder=self._folder(region, name) / place,
                log_path=endpoint_log(self._context.state_dir, region.name, name, place),
                log_group=f"/aws/sagemaker/Endpoints/{name}",
                log_stream=f"{variant['VariantName']}/{instance_id(region.name, name, place)}",
            )
            container = Container(plan, self._context, self._launch, self._logs)
            variants.append(Variant(variant, container))
        return Fleet(config, variants)

    def _next_generation(self, region: Region, name: str) -> int:
        """One more than any that has written a log: a new fleet overwrites nothing."""
        with self._numbering:
            arn = region.arn("endpoint", name)
            if arn not in self._numbers:
                last = last_generation(self._context.state_dir, region.name, name)
                self._numbers[arn] = count(last + 1)
            return next(self._numbers[arn])

    def _folder(self, region: Region, name: str) -> Path:
        return self._context.state_dir / "endpoints" / region.name / name


def with_retained_properties(
    config: Resource, serving: Fleet | None, parameters: Mapping[str, object]
) -> Resource:
    """The config with counts and weights that variants of the same name have now.

    As UpdateEndpoint asks for with RetainAllVariantProperties; those that
    ExcludeRetainedVariantProperties lists are the config's own (API reference,
    read 2026-11-21).
    """
    if serving is None or not parameters.get("RetainAllVariantProperties", False):
        return config
    excluded = parameters.get("ExcludeRetainedVariantProperties", [])
    assert isinstance(excluded, list)
    own = {entry["VariantPropertyType"] for entry in excluded}
    variants = []
    for variant in config["ProductionVariants"]:
        now = serving.variants.get(variant["VariantName"])
        kept: Resource = {}
        if now is not None and "DesiredInstanceCount" not in own:
            kept["InitialInstanceCount"] = now.instance_count
        if now is not None and "DesiredWeight" not in own:
            kept["InitialVariantWeight"] = now.weight
        variants.append({**variant, **kept})
    return {**config, "ProductionVariants": variants}
