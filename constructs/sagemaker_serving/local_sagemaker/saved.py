"""What SageMaker holds, as JSON and back: what ran when it was saved does not run any more."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from sagemaker_serving.local_sagemaker.common.store import Region, Resource, now

_KEPT = (
    "models",
    "model_package_groups",
    "model_packages",
    "endpoint_configs",
    "endpoints",
    "inference_components",
    "inference_routers",
    "transform_jobs",
    "compilation_jobs",
    "tags",
)
_STOPPED_MEANWHILE = "The local AWS was stopped meanwhile."


def export_region(region: Region) -> dict[str, Any]:
    """Everything of a region as plain JSON values, of one moment."""
    with region.lock:
        return copy.deepcopy({kind: dict(getattr(region, kind)) for kind in _KEPT})


def restore_region(region: Region, state: Mapping[str, Any]) -> None:
    """Hold what `export_region` gave, and say of what was on its way that it was cut off.

    Endpoints that served are SystemUpdating until their servers run again.
    """
    with region.lock:
        for kind in _KEPT:
            getattr(region, kind).update(state.get(kind, {}))
        for name, endpoint in list(region.endpoints.items()):
            if endpoint["EndpointStatus"] == "Deleting":
                del region.endpoints[name]
                region.tags.pop(endpoint["EndpointArn"], None)
            else:
                _cut_off_endpoint(endpoint)
        for name, component in list(region.inference_components.items()):
            if component["InferenceComponentStatus"] == "Deleting":
                del region.inference_components[name]
                region.tags.pop(component["InferenceComponentArn"], None)
            else:
                _cut_off_component(component)
        for job in region.transform_jobs.values():
            _cut_off_job(job, "Transform", failed="Failed", stopped="Stopped")
        for job in region.compilation_jobs.values():
            _cut_off_job(job, "Compilation", failed="FAILED", stopped="STOPPED")


def _cut_off_endpoint(endpoint: Resource) -> None:
    match endpoint["EndpointStatus"]:
        case "InService" | "SystemUpdating":
            endpoint["EndpointStatus"] = "SystemUpdating"
        case "Updating":
            endpoint["EndpointStatus"] = "SystemUpdating"
            endpoint["FailureReason"] = _STOPPED_MEANWHILE
        case "Creating":
            endpoint["EndpointStatus"] = "Failed"
            endpoint["FailureReason"] = _STOPPED_MEANWHILE
            endpoint["LastModifiedTime"] = now()


def _cut_off_component(component: Resource) -> None:
    """Those that served are started again, and are Updating meanwhile."""
    if component["InferenceComponentStatus"] != "Creating":
        return
    component["InferenceComponentStatus"] = "Failed"
    component["FailureReason"] = _STOPPED_MEANWHILE
    component["LastModifiedTime"] = now()


def _cut_off_job(job: Resource, kind: str, *, failed: str, stopped: str) -> None:
    """One that ran has failed; one that was being stopped has stopped."""
    status = job[f"{kind}JobStatus"].upper()
    if status not in ("STARTING", "INPROGRESS", "STOPPING"):
        return
    job[f"{kind}JobStatus"] = stopped if status == "STOPPING" else failed
    if status != "STOPPING":
        job["FailureReason"] = f"InternalServerError: {_STOPPED_MEANWHILE}"
    job[f"{kind}EndTime"] = job["LastModifiedTime"] = now()
