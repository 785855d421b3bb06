"""What runs for each endpoint: fleets are started and ended, and counted."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from local_aws.faults import Faults, Kind
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.parallel import in_parallel
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.fleets.endpoint_runtime import EndpointRuntime
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleet_builder import FleetBuilder, ModelsByName
from sagemaker_serving.local_sagemaker.fleets.placement import placed
from sagemaker_serving.local_sagemaker.observability.log_files import last_generation

_log = logging.getLogger(__name__)
_REQUEST_SECONDS = 60.0
"""InvokeEndpoint's own limit (API reference of InvokeEndpoint)."""


class WentBack(ContainerFailed):
    """The update was undone, and DescribeEndpoint has no FailureReason
    (hashicorp/terraform-provider-aws#48997)."""


class Fleets:
    """Starts and ends the fleets of endpoints; hold a region's lock to read one's runtime."""

    def __init__(self, state_dir: Path, assembly: FleetBuilder, faults: Faults) -> None:
        self._state_dir = state_dir
        self._assembly = assembly
        self._faults = faults
        self._live: dict[str, EndpointRuntime] = {}  # by ARN
        self._numbers: dict[str, count[int]] = {}
        self._numbering = threading.Lock()
        self._closed = False

    def begin(self, arn: str) -> EndpointRuntime:
        """An endpoint comes to be, with nothing running."""
        live = self._live[arn] = EndpointRuntime()
        return live

    def of(self, arn: str) -> EndpointRuntime:
        """What runs for an endpoint."""
        return self._live[arn]

    def awaited(self, arn: str) -> EndpointRuntime:
        """What runs for an endpoint, once it serves again after a restart, as AWS's do meanwhile.

        Raises ServiceUnavailable where that takes longer than a request may. Wait without a lock.
        """
        live = self._live[arn]
        if live.kept is not None and not live.resumed.wait(_REQUEST_SECONDS):
            name = arn.rpartition("/")[2]
            raise AwsError(
                "ServiceUnavailable", f"The servers of {name} are still being started.", status=503
            )
        return live

    def start(
        self,
        region: Region,
        endpoint: Resource,
        config: Resource,
        operation: str,
        models: ModelsByName | None = None,
    ) -> Fleet:
        """A healthy fleet of the config, in ``starting`` meanwhile.

        ``models`` are those that the config names, when they are not the
        region's. Raises `ContainerFailed` with nothing left running.
        """
        name = endpoint["EndpointName"]
        try:
            self._goes_back(operation, endpoint, config)
            config = self._placed(operation, endpoint, config)
            number = self._next_generation(region, name)
            fleet = self._assembly.fleet(region, name, config, models, number)
            with region.lock:
                if self._closed:
                    raise ContainerFailed("The local AWS was stopped.")
                live = self._live[endpoint["EndpointArn"]]
                live.starting = fleet
                live.enter("Creating", 0.0)
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
        live = self._live[endpoint["EndpointArn"]]
        if live.queue is not None:
            live.queue.close()
        for fleet in live.fleets():
            fleet.stop()
        shutil.rmtree(self.folder(region, endpoint["EndpointName"]), ignore_errors=True)

    def folder(self, region: Region, endpoint: str) -> Path:
        """Where everything that an endpoint unpacks is."""
        return self._assembly.folder(region, endpoint)

    def forget(self, arn: str) -> None:
        """The endpoint is gone."""
        del self._live[arn]

    def close(self) -> None:
        """End every process; fleets that were starting fail."""
        self._closed = True
        fleets: list[Fleet] = []
        for live in list(self._live.values()):
            live.resumed.set()
            fleets += live.fleets()
            if live.queue is not None:
                live.queue.close()
        in_parallel([fleet.stop for fleet in fleets])

    def serving(self, region: Region) -> Iterator[tuple[str, Fleet]]:
        """Each endpoint of a region that serves, by name; hold the region's lock."""
        for endpoint in region.endpoints.values():
            fleet = self._live[endpoint["EndpointArn"]].serving
            if fleet is not None:
                yield endpoint["EndpointName"], fleet

    def components(self, region: Region) -> Iterator[tuple[str, Fleet]]:
        """Each inference component that serves, by its endpoint; hold the region's lock."""
        for component in region.inference_components.values():
            fleet = self._live[component["InferenceComponentArn"]].serving
            if fleet is not None:
                yield component["EndpointName"], fleet

    def _goes_back(self, operation: str, endpoint: Resource, config: Resource) -> None:
        names = (endpoint["EndpointName"], config["EndpointConfigName"])
        if self._faults.strike((Kind.SILENT_ROLLBACK,), "sagemaker", operation, *names):
            raise WentBack("The update was rolled back.")

    def _placed(self, operation: str, endpoint: Resource, config: Resource) -> Resource:
        names = (endpoint["EndpointName"], config["EndpointConfigName"])

        def is_struck(*types: str) -> bool:
            kinds = (Kind.NO_CAPACITY,)
            return self._faults.strike(kinds, "sagemaker", operation, *names, *types) is not None

        return placed(config, is_struck)

    def _next_generation(self, region: Region, name: str) -> int:
        """One more than any that has written a log: a new fleet overwrites nothing."""
        with self._numbering:
            arn = region.arn("endpoint", name)
            if arn not in self._numbers:
                last = last_generation(self._state_dir, region.name, name)
                self._numbers[arn] = count(last + 1)
            return next(self._numbers[arn])


def with_retained_properties(
    config: Resource, serving: Fleet | None, parameters: Mapping[str, object]
) -> Resource:
    """The config with counts, weights and capture that variants of the same name have now.

    As UpdateEndpoint asks for with RetainAllVariantProperties; those that
    ExcludeRetainedVariantProperties lists are the config's own (API reference).
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
        if (
            now is not None
            and "DesiredInstanceCount" not in own
            and "ServerlessConfig" not in variant
        ):
            kept["InitialInstanceCount"] = now.instance_count
        if now is not None and "DesiredWeight" not in own:
            kept["InitialVariantWeight"] = now.weight
        variants.append({**variant, **kept})
    retained = {**config, "ProductionVariants": variants}
    if "DataCaptureConfig" not in own and "DataCaptureConfig" in serving.config:
        retained["DataCaptureConfig"] = serving.config["DataCaptureConfig"]
    return retained
