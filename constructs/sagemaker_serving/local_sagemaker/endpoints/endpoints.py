"""Endpoints: from Creating to InService or Failed, updates beside what serves, weights.

::

    Creating ──> InService <──> Updating     an update that fails ends InService on the
        │            │                       old config, with a FailureReason
        └──> Failed  └──> Deleting
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from local_aws.context import LocalContext
from local_aws.faults import Faults
from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.async_inference.service import AsyncQueue
from sagemaker_serving.local_sagemaker.common.judged import CONFIG, refuse
from sagemaker_serving.local_sagemaker.common.quotas import refuse_beyond
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.endpoints.async_tasks import AsyncWork
from sagemaker_serving.local_sagemaker.endpoints.configs import EndpointConfigs
from sagemaker_serving.local_sagemaker.endpoints.tasks import EndpointTasks
from sagemaker_serving.local_sagemaker.endpoints.views import EndpointViews
from sagemaker_serving.local_sagemaker.engines.engines import NO_ENGINES, Engines
from sagemaker_serving.local_sagemaker.fleets.deployment import (
    Deployment,
    refuse_other_variants,
)
from sagemaker_serving.local_sagemaker.fleets.endpoint_runtime import EndpointRuntime
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleet_builder import FleetBuilder
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets, with_retained_properties
from sagemaker_serving.local_sagemaker.fleets.request_pipeline import RequestPipeline, Route
from sagemaker_serving.local_sagemaker.fleets.rollout import Rollouts
from sagemaker_serving.local_sagemaker.fleets.routing import not_found, pick_variant
from sagemaker_serving.local_sagemaker.fleets.scalable import (
    deregister,
    refuse_registered_variants,
    registered_variants,
)
from sagemaker_serving.local_sagemaker.fleets.states import (
    KeptEndpoints,
    deployment_config,
    keep_deployment_config,
    refuse_in_progress,
    refuse_no_instances,
    refuse_unknown_variant,
    refuse_unless_in_service,
    refuse_with_components,
)
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.inference_components.components import InferenceComponents
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics

Parameters = Mapping[str, Any]

VARIANTS = ("ProductionVariants", "ShadowProductionVariants")


class Endpoints(KeptEndpoints):
    """CreateEndpoint, UpdateEndpoint and the other actions on endpoints, and what serves them."""

    def __init__(
        self,
        context: LocalContext,
        engines: Engines,
        *,
        logs: LogShipper,
        faults: Faults,
        metrics: Metrics,
        pipeline: RequestPipeline,
        settings: Settings,
    ) -> None:
        self._context = context
        self._engines = engines
        self._quotas = settings.quotas
        assembly = FleetBuilder(context, engines, logs=logs, metrics=metrics, settings=settings)
        self._fleets = Fleets(context.state_dir, assembly, faults)
        rollouts = Rollouts(
            context,
            settings,
            publish=lambda: metrics.flush(instances=False),
            look_seconds=metrics.publish_seconds,
        )
        async_work = AsyncWork(context, metrics=metrics, pipeline=pipeline, settings=settings)
        self._work = EndpointTasks(self._fleets, rollouts, async_work)
        self.components = InferenceComponents(self._fleets, rollouts, metrics)
        self.views = EndpointViews(self._fleets, settings)

    def create(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to serve a config; DescribeEndpoint tells when it does."""
        name = parameters["EndpointName"]
        arn = region.arn("endpoint", name)
        with region.lock:
            self.refuse_existing(region, name)
            config = EndpointConfigs.find(region, parameters["EndpointConfigName"])
            refuse(region, "CreateEndpoint", parameters, (CONFIG, config))
            self._refuse_beyond_quotas(region, _instances(config))
            created = now()
            region.endpoints[name] = {
                "EndpointName": name,
                "EndpointArn": arn,
                "EndpointConfigName": config["EndpointConfigName"],
                "EndpointStatus": "Creating",
                "CreationTime": created,
                "LastModifiedTime": created,
            }
            keep_deployment_config(region.endpoints[name], parameters.get("DeploymentConfig"))
            region.tag(arn, parameters.get("Tags"))
            self._fleets.begin(arn)
            endpoint = region.endpoints[name]
        self._work.bring_up(region, endpoint, config)
        return {"EndpointArn": arn}

    def describe(self, region: Region, parameters: Parameters) -> Resource:
        """The endpoint as it stands now.

        Where engines are off, its FailureReason says so: AWS gives an InService endpoint one, too,
        after an update that failed.
        """
        with region.lock:
            endpoint = self.find(region, parameters["EndpointName"])
            live = self._fleets.of(endpoint["EndpointArn"])
            described = {**endpoint, **_of_the_fleet(live)}
            if self._engines.are_off and endpoint["EndpointStatus"] != "Failed":
                described.setdefault("FailureReason", NO_ENGINES)
            if endpoint["EndpointStatus"] == "Updating":
                pending = live.pending(endpoint["LastModifiedTime"])
                if pending is not None:
                    described["PendingDeploymentSummary"] = pending
        return described

    def update(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to replace what serves; the old fleet serves until the new one is healthy."""
        name = parameters["EndpointName"]
        scaled = registered_variants(self._context, region.name, name)  # without the lock
        with region.lock:
            endpoint = self.find(region, name)
            refuse_unless_in_service(endpoint)
            fleet = self._fleets.of(endpoint["EndpointArn"]).serving
            config = EndpointConfigs.find(region, parameters["EndpointConfigName"])
            variants = fleet.variants if fleet is not None else {}
            refuse_registered_variants(
                {each.name: each.instance_type for each in variants.values()}, config, scaled
            )
            _refuse_becoming_serverless(name, variants.values(), config)
            config = with_retained_properties(config, fleet, parameters)
            way = deployment_config(endpoint, parameters)
            refuse(
                region, "UpdateEndpoint", {**parameters, "DeploymentConfig": way}, (CONFIG, config)
            )
            refuse_other_variants(way, variants, config)
            instances = _instances(config)
            deployment = Deployment.of(way, _instances(config, VARIANTS[:1]).total())
            # A rolling update takes one batch beside what serves, any other the whole new fleet.
            beside = deployment.steps[0].share if "RollingUpdatePolicy" in (way or {}) else 1.0
            self._refuse_beyond_quotas(
                region, {kind: math.ceil(beside * count) for kind, count in instances.items()}
            )
            keep_deployment_config(endpoint, way)
            endpoint["EndpointStatus"] = "Updating"
            endpoint["LastModifiedTime"] = now()
        self._work.replace(region, endpoint, config, deployment)
        return {"EndpointArn": endpoint["EndpointArn"]}

    def update_weights(self, region: Region, parameters: Parameters) -> Resource:
        """Change weights and counts without a new fleet: at once, but for a count from or to 0."""
        with region.lock:
            endpoint = self.find(region, parameters["EndpointName"])
            refuse_unless_in_service(endpoint)
            fleet = self._fleets.of(endpoint["EndpointArn"]).serving
            wanted = parameters["DesiredWeightsAndCapacities"]
            variants = fleet.every if fleet is not None else []
            by_name = {variant.name: variant for variant in variants}
            for change in wanted:
                refuse_unknown_variant(change["VariantName"], by_name, endpoint)
                refuse_no_instances(change, fleet.config if fleet is not None else {})
            more: Counter[str] = Counter()
            for change in wanted:
                variant = by_name[change["VariantName"]]
                count = change.get("DesiredInstanceCount", variant.instance_count)
                more[variant.instance_type or ""] += count - variant.instance_count
            self._refuse_beyond_quotas(region, more)
            counts = {}
            for change in wanted:
                variant = by_name[change["VariantName"]]
                variant.weight = change.get("DesiredWeight", variant.weight)
                variant.configure(change.get("ServerlessUpdateConfig", {}))
                count = change.get("DesiredInstanceCount", variant.instance_count)
                if 0 in (count, variant.instance_count) and count != variant.instance_count:
                    counts[variant.name] = count
                else:
                    variant.instance_count = count
            endpoint["LastModifiedTime"] = now()
            if counts:
                endpoint["EndpointStatus"] = "Updating"
        if counts:
            self._work.rescale(region, endpoint, counts)
        return {"EndpointArn": endpoint["EndpointArn"]}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Begin to end an endpoint's processes; it is gone when DescribeEndpoint says so."""
        with region.lock:
            endpoint = self.find(region, parameters["EndpointName"])
            refuse_in_progress(endpoint)
            refuse_with_components(region, endpoint)
            endpoint["EndpointStatus"] = "Deleting"
            endpoint["LastModifiedTime"] = now()
        deregister(self._context, region.name, parameters["EndpointName"])
        self._work.take_down(region, endpoint)
        return {}

    @contextmanager
    def route(self, region: Region, name: str, target: str | None) -> Iterator[Route]:
        """Where one request goes; its fleet is kept until the request is done.

        Raises `AwsError` as InvokeEndpoint answers it when nothing serves.
        """
        with pick_variant(region, name, self._serving(region, name), target) as route:
            yield route

    def queue(self, region: Region, name: str) -> tuple[AsyncQueue, Resource]:
        """The queue of an asynchronous endpoint, and its AsyncInferenceConfig.

        Raises ValidationError for any other endpoint.
        """
        live = self._serving(region, name)
        with region.lock:
            if live.serving is None:
                raise not_found(region, name)
            config = live.serving.config.get("AsyncInferenceConfig")
            if config is None or live.queue is None:
                raise AwsError(
                    "ValidationError",
                    f"Endpoint {name} is not an asynchronous endpoint; use InvokeEndpoint.",
                )
            return live.queue, config

    def resume(self, region: Region, serving: Mapping[str, Resource]) -> None:
        """Take up a region's endpoints that were restored; start those that were serving."""
        self._work.resume(region, serving)
        self.components.resume(region, serving)

    def close(self) -> None:
        """End every process; endpoints that were starting fail."""
        self._work.close()

    def _refuse_beyond_quotas(self, region: Region, wanted: Mapping[str, int]) -> None:
        """Raise `AwsError` where ``wanted`` more instances by type are beyond a quota."""
        if not self._quotas:
            return
        taken: Counter[str] = Counter()
        for endpoint in region.endpoints.values():
            fleet = self._fleets.of(endpoint["EndpointArn"]).serving
            if fleet is not None:
                for variant in fleet.every:
                    taken[variant.instance_type or ""] += variant.instance_count
            elif endpoint["EndpointStatus"] == "Creating":
                taken += _instances(EndpointConfigs.find(region, endpoint["EndpointConfigName"]))
        refuse_beyond(self._quotas, "endpoint", wanted, taken)

    def _serving(self, region: Region, name: str) -> EndpointRuntime:
        """What serves there; InvokeEndpoint has to match the name's case (as CreateEndpoint's
        documentation says; botocore)."""
        with region.lock:
            endpoint = region.endpoints.get(name)
            if (
                endpoint is None
                or endpoint["EndpointName"] != name
                or endpoint["EndpointStatus"] not in ("InService", "Updating", "SystemUpdating")
            ):
                return EndpointRuntime()
        return self._fleets.awaited(endpoint["EndpointArn"])


def _instances(config: Resource, kinds: Iterable[str] = VARIANTS) -> Counter[str]:
    """How many a config begins with, by type; which of several it gets is not known before."""
    counts: Counter[str] = Counter()
    for kind in kinds:
        for variant in config.get(kind, ()):
            counts[variant.get("InstanceType", "")] += variant.get("InitialInstanceCount", 1)
    return counts


def _of_the_fleet(live: EndpointRuntime) -> Resource:
    """What DescribeEndpoint tells of the fleet that serves."""
    fleet = live.serving
    if fleet is None:
        return {}
    described: Resource = {"ProductionVariants": fleet.describe()}
    if fleet.shadows:
        described["ShadowProductionVariants"] = fleet.describe_shadows()
    if fleet.capture is not None:
        described["DataCaptureConfig"] = fleet.capture.describe()
    elif "DataCaptureConfig" in fleet.config:
        described["DataCaptureConfig"] = _stopped(fleet)
    if "AsyncInferenceConfig" in fleet.config:
        described["AsyncInferenceConfig"] = fleet.config["AsyncInferenceConfig"]
    return described


def _stopped(fleet: Fleet) -> Resource:
    config = fleet.config["DataCaptureConfig"]
    return {
        "EnableCapture": False,
        "CaptureStatus": "Stopped",
        "CurrentSamplingPercentage": config["InitialSamplingPercentage"],
        "DestinationS3Uri": config["DestinationS3Uri"],
        "KmsKeyId": config.get("KmsKeyId", ""),
    }


def _refuse_becoming_serverless(
    endpoint: str, serving: Iterable[Variant], config: Resource
) -> None:
    """Raise `AwsError` for a serverless config of an endpoint that serves on instances.

    (Developer guide, "Serverless endpoint operations", tells that it cannot be; the words are
    documented nowhere.)
    """
    is_serverless = any("ServerlessConfig" in each for each in config["ProductionVariants"])
    if is_serverless and any(each.serverless is None for each in serving):
        raise AwsError(
            "ValidationException",
            f"Endpoint {endpoint} serves on instances, and cannot be updated to the serverless "
            f"configuration {config['EndpointConfigName']}. Create another endpoint with it.",
        )
