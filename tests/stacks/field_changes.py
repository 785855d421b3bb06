"""For each field of an environment file's types another value, that no example has by itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sagemaker_serving import spec

Values = Mapping[str, Any]
Place = tuple[str | int, ...]

RESERVATION = "arn:aws:sagemaker:eu-west-1:111122223333:training-plan/mine"

VALUES: Mapping[type, Values] = {
    getattr(spec, name): values
    for name, values in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text()).items()
    if not name.startswith(".")
}


@dataclass(frozen=True, kw_only=True)
class Changed:
    """One field of a model changed: ``before`` and ``after`` differ in it alone."""

    path: Place
    before: dict[str, Any]
    after: dict[str, Any]


def changes(model: Mapping[str, Any]) -> Iterator[Changed]:
    """Every field of every part that ``model`` has or may have, changed by itself."""
    for at, kind, beginning in _parts(model):
        before = copy.deepcopy(dict(model))
        if beginning is not None:
            _put(before, at, beginning)
        for name, value in VALUES[kind].items():
            after = copy.deepcopy(before)
            _put(after, (*at, name), value)
            yield Changed(path=(*at, name), before=before, after=after)


def _parts(model: Mapping[str, Any]) -> Iterator[tuple[Place, type, Any]]:
    """Where a part is, its type, and what it is before the change where the example lacks it."""
    variant = model["variants"][0]
    serverless = "memory_size_in_mb" in variant
    components = next(iter(model.get("inference_components", ())), None)
    yield (), spec.Container, None
    yield ("variants", 0), spec.ServerlessVariant if serverless else spec.InstanceVariant, None
    if components is not None:
        managed = (*("variants", 0), "managed_instance_scaling")
        yield managed, spec.ManagedInstanceScaling, None
        consolidation = {"strategy": "CONSOLIDATION"}
        yield (*managed, "scale_in_policy"), spec.ScaleInPolicy, consolidation
    for name, kind in (("asynchronous", spec.Asynchronous), ("multi_model", spec.MultiModel)):
        if name in model:
            yield (name,), kind, None
    if "model_package" in model:
        yield ("model_package",), spec.ModelPackage, None
    if "shadow_variants" in model:
        yield ("shadow_variants", 0), spec.InstanceVariant, None
    if "containers" in model:
        yield ("containers", 0), spec.PipelineContainer, None
    if components is not None:
        yield ("inference_components", components), spec.InferenceComponent, None
        yield ("update",), spec.RollingUpdate, {"rolling_percent": 10, "wait_seconds": 60}
    else:
        yield ("update",), spec.CanaryUpdate, {"canary_percent": 10, "wait_seconds": 60}
    yield ("data_capture",), spec.DataCapture, {"sampling_percent": 50}
    yield ("metrics_config",), spec.MetricsConfig, {}
    yield ("extra",), spec.Extra, {}
    yield ("monitoring",), spec.Monitoring, {}
    yield ("monitoring", "thresholds"), spec.AlarmThresholds, {}
    scaled = components if components is not None else variant["name"]
    bounds = {"min": 1, "max": 4}
    yield ("scaling", scaled), spec.Scaling, {**bounds, **_moved_by(model, serverless)}
    if _is_plain(model):
        yield from _alike_for_every_kind(("scaling", scaled), bounds)


def _is_plain(model: Mapping[str, Any]) -> bool:
    special = ("asynchronous", "shadow_variants", "inference_components")
    return "artifact" in model and len(model["variants"]) > 1 and not model.keys() & set(special)


def _alike_for_every_kind(scaling: Place, bounds: Values) -> Iterator[tuple[Place, type, Any]]:
    yield ("update",), spec.LinearUpdate, {"linear_percent": 10, "wait_seconds": 60}
    yield ("update",), spec.RollingUpdate, {"rolling_percent": 10, "wait_seconds": 60}
    yield ("update",), spec.AllAtOnceUpdate, {"all_at_once": True}
    metric = {"metric_name": "MemoryUtilization"}
    for name, kind, item in (
        ("tracked_metrics", spec.TrackedMetric, {**metric, "target": 50}),
        ("step_policies", spec.StepPolicy, {**metric, "steps": [{"lower": 9, "change": 1}]}),
        ("schedules", spec.Schedule, {"name": "n", "schedule": "cron(0 8 * * ? *)", "max": 4}),
    ):
        yield (*scaling, name, 0), kind, item
    yield from _of_variants(("variants", 0))
    batch = {"instance_type": "ml.m5.large", "content_type": "application/json"}
    yield ("batch_transform",), spec.BatchTransform, batch


def _of_variants(variant: Place) -> Iterator[tuple[Place, type, Any]]:
    prefixes = {"prefix_length": 2048, "concurrency_threshold": 8}
    yield (*variant, "prefix_aware_routing"), spec.PrefixAwareRouting, prefixes
    reservation = {"ml_reservation_arn": RESERVATION}
    yield (*variant, "capacity_reservation"), spec.CapacityReservation, reservation
    yield (*variant, "core_dump"), spec.CoreDump, {}


def _moved_by(model: Mapping[str, Any], serverless: bool) -> Values:
    if "asynchronous" in model:
        return {"backlog_per_instance": 10}
    if serverless:
        return {"provisioned_concurrency_utilization": 0.7}
    return {"invocations_per_instance": 70}


def _put(within: Any, path: Place, value: Any) -> None:
    *above, last = path
    for name, following in zip(above, path[1:], strict=True):
        if isinstance(within, dict) and within.get(name) is None:
            within[name] = [] if isinstance(following, int) else {}
        within = within[name]
    if isinstance(within, list) and len(within) == last:
        within.append(value)
    else:
        within[last] = value
