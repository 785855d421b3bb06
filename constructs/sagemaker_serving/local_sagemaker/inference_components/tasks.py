"""What is done to an inference component in the background: start, replace, rescale, end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.fleets.deployment import Deployment
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.fleets import Fleets
from sagemaker_serving.local_sagemaker.fleets.rollout import Rollouts
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.inference_components.adapters import Adapters

STATUS = "InferenceComponentStatus"


class ComponentWork:
    """Each method begins its work in a thread and returns at once."""

    def __init__(self, fleets: Fleets, rollouts: Rollouts, adapters: Adapters) -> None:
        self._fleets = fleets
        self._rollouts = rollouts
        self._adapters = adapters

    def bring_up(self, region: Region, component: Resource, model: Resource) -> None:
        """Creating, or Updating after a restart, then InService or Failed."""
        self._begin(region, self._bring_up, component, model)

    def replace(
        self, region: Region, component: Resource, specification: Resource, model: Resource
    ) -> None:
        """Updating, then InService with the new specification, or the old one and a reason."""
        self._begin(region, self._replace, component, specification, model)

    def adapt(
        self, region: Region, adapter: Resource, specification: Resource, base: Resource
    ) -> None:
        """As `replace`, of an adapter; one that was Creating is Failed where that fails."""
        self._begin(region, self._adapt, adapter, specification, base)

    def rescale(self, region: Region, component: Resource) -> None:
        """Updating, then InService with as many copies as are desired."""
        self._begin(region, self._rescale, component)

    def take_down(self, region: Region, component: Resource) -> None:
        """Deleting, then gone."""
        self._begin(region, self._take_down, component)

    def resume(self, region: Region, serving: Mapping[str, Resource]) -> None:
        """Take up components that were restored; start those that were serving."""
        with region.lock:
            for component in region.inference_components.values():
                arn = component["InferenceComponentArn"]
                live = self._fleets.begin(arn)
                if arn in serving:
                    live.kept = serving[arn]
                    component[STATUS] = "Updating"
                    (model,) = serving[arn]["models"].values()
                    self.bring_up(region, component, model)

    def _start(self, region: Region, component: Resource, model: Resource) -> Fleet:
        startup = component["Specification"].get("StartupParameters", {})
        variant = {
            "VariantName": component["VariantName"],
            "ModelName": model["ModelName"],
            "InitialVariantWeight": 1.0,
            "InitialInstanceCount": component["RuntimeConfig"]["DesiredCopyCount"],
            **startup,
        }
        config = {
            "EndpointConfigName": component["InferenceComponentName"],
            "InferenceComponentName": component["InferenceComponentName"],
            "ProductionVariants": [variant],
        }
        place = {
            "EndpointName": component["EndpointName"],
            "EndpointArn": component["InferenceComponentArn"],
        }
        return self._fleets.start(
            region, place, config, "CreateInferenceComponent", {model["ModelName"]: model}
        )

    def _bring_up(self, region: Region, component: Resource, model: Resource) -> None:
        live = self._fleets.of(component["InferenceComponentArn"])
        try:
            fleet = self._start(region, component, model)
        except ContainerFailed as failed:
            with region.lock:
                live.starting = None
                _settle(component, "Failed", failed)
            live.resumed.set()
            return
        with region.lock:
            live.serving, live.starting, live.kept = fleet, None, None
            live.resumed.set()
            _settle(component, "InService")

    def _replace(
        self, region: Region, component: Resource, specification: Resource, model: Resource
    ) -> None:
        live = self._fleets.of(component["InferenceComponentArn"])
        before = component["Specification"]
        copies = component["RuntimeConfig"]["DesiredCopyCount"]
        deployment = Deployment.of(component.get("LastDeploymentConfig"), copies)
        component["Specification"] = specification
        failure: ContainerFailed | None = None
        try:
            fleet = self._start(region, component, model)
            self._rollouts.shift(region, live, fleet, deployment, 0.0)
        except ContainerFailed as failed:
            failure = failed
        with region.lock:
            old = live.starting if failure is not None else live.serving
            if failure is not None:
                component["Specification"] = before
            else:
                live.serving = fleet
            live.starting, live.share = None, 0.0
            if old is not None:
                live.draining.append(old)
            status = "InService" if live.serving is not None else "Failed"
            _settle(component, status, failure)
        if old is not None:
            old.drain_and_stop()
            with region.lock:
                live.draining.remove(old)

    def _adapt(
        self, region: Region, adapter: Resource, specification: Resource, base: Resource
    ) -> None:
        is_new, before = adapter[STATUS] == "Creating", adapter["Specification"]
        adapter["Specification"] = specification
        variant, failure = self._variant_of(region, base), None
        try:
            if variant is not None:
                self._adapters.load(region, adapter, variant)
        except ContainerFailed as failed:
            failure = failed
        with region.lock:
            if failure is not None:
                adapter["Specification"] = before
            _settle(adapter, "Failed" if failure is not None and is_new else "InService", failure)

    def _variant_of(self, region: Region, base: Resource | None) -> Variant | None:
        """What serves a component, None where nothing does."""
        with region.lock:
            live = None if base is None else self._fleets.of(base["InferenceComponentArn"])
            fleet = None if live is None else live.serving
        return None if fleet is None else fleet.every[0]

    def _rescale(self, region: Region, component: Resource) -> None:
        with region.lock:
            fleet = self._fleets.of(component["InferenceComponentArn"]).serving
        failure: ContainerFailed | None = None
        if fleet is not None:
            try:
                fleet.scale(fleet.every[0], component["RuntimeConfig"]["DesiredCopyCount"])
            except ContainerFailed as failed:
                failure = failed
        with region.lock:
            _settle(component, "InService", failure)

    def _take_down(self, region: Region, component: Resource) -> None:
        arn = component["InferenceComponentArn"]
        base = component["Specification"].get("BaseInferenceComponentName")
        if base is not None:
            serves = self._variant_of(region, region.inference_components.get(base))
            self._adapters.unload(region, component, serves)
        for fleet in self._fleets.of(arn).fleets():
            fleet.stop()
        with region.lock:
            del region.inference_components[component["InferenceComponentName"]]
            region.tags.pop(arn, None)
            self._fleets.forget(arn)

    def _begin(self, region: Region, work: Callable[..., None], *arguments: Any) -> None:
        def do() -> None:
            work(region, *arguments)
            region.changed()

        threading.Thread(target=do, daemon=True).start()


def _settle(component: Resource, status: str, failed: ContainerFailed | None = None) -> None:
    runtime = component["RuntimeConfig"]
    component[STATUS] = status
    component["LastModifiedTime"] = now()
    component.pop("FailureReason", None)
    if failed is None:
        runtime["CurrentCopyCount"] = runtime["DesiredCopyCount"]
    else:
        component["FailureReason"] = str(failed)
