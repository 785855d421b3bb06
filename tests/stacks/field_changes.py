"""For each field of an environment file's types another value, that no example has by itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.spec import (
    AlarmThresholds,
    AllAtOnceUpdate,
    Asynchronous,
    BatchTransform,
    CanaryUpdate,
    CapacityReservation,
    Container,
    CoreDump,
    DataCapture,
    Extra,
    InferenceComponent,
    InstanceVariant,
    LinearUpdate,
    ManagedInstanceScaling,
    MetricsConfig,
    ModelPackage,
    Monitoring,
    MultiModel,
    PipelineContainer,
    PrefixAwareRouting,
    RollingUpdate,
    ScaleInPolicy,
    Scaling,
    Schedule,
    ServerlessVariant,
    StepPolicy,
    TrackedMetric,
)

Values = Mapping[str, Any]
Path = tuple[str | int, ...]

TOPIC = "arn:aws:sns:eu-west-1:111122223333:another"
RESERVATION = "arn:aws:sagemaker:eu-west-1:111122223333:training-plan/mine"
KEY = "arn:aws:kms:eu-west-1:111122223333:key/models"
OWN_IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:9"
_CONTAINER: Values = {
    "artifact": "s3://models/another.tar.gz",
    "framework": "pytorch",
    "framework_version": "2.16",
    "image_uri": OWN_IMAGE,
    "image_digest": f"sha256:{'0a' * 32}",
    "environment": {"LEVEL": "2"},
    "batching": {"max_batch_size": 7, "batch_timeout_micros": 1100},
    "server": {"gunicorn_workers": 3},
    "compile": {"data_input_config": {"x": [1]}, "target_device": "ml_c5"},
    "network_isolation": True,
}
_STARTS: Values = {
    "model_data_download_timeout_in_seconds": 321,
    "container_startup_health_check_timeout_in_seconds": 123,
}
_METRIC: Values = {
    "metric_name": "Another",
    "namespace": "Mine",
    "statistic": "Maximum",
    "dimensions": {"Queue": "q"},
}
_UPDATE: Values = {
    "alarms": ["mine"],
    "maximum_execution_timeout_seconds": 4000,
    "replay": {"capture": "not-there"},
}

VALUES: Mapping[type, Values] = {
    Container: _CONTAINER,
    PipelineContainer: {**_CONTAINER, "container_hostname": "another"},
    InstanceVariant: {
        **_CONTAINER,
        **_STARTS,
        "name": "another",
        "instance_type": "ml.m5.2xlarge",
        "instance_types": ["ml.m5.2xlarge"],
        "initial_instance_count": 3,
        "weight": 0.25,
        "accelerator_type": "ml.eia2.medium",
        "inference_ami_version": "al2-ami-sagemaker-inference-gpu-2",
        "volume_size_in_gb": 77,
        "variant_instance_provision_timeout_in_seconds": 456,
        "routing_strategy": "RANDOM",
        "prefix_aware_routing": {"prefix_length": 2048, "concurrency_threshold": 8},
        "capacity_reservation": {"ml_reservation_arn": RESERVATION},
        "enable_ssm_access": True,
        "core_dump": {},
        "managed_instance_scaling": {"min_instance_count": 1, "max_instance_count": 9},
        "extra": {"InstancePools": [{"ModelNameOverride": "another"}]},
    },
    ManagedInstanceScaling: {
        "min_instance_count": 2,
        "max_instance_count": 7,
        "scale_in_policy": {"strategy": "IDLE_RELEASE"},
    },
    ScaleInPolicy: {
        "strategy": "IDLE_RELEASE",
        "maximum_step_size": 3,
        "cooldown_in_minutes": 33,
    },
    PrefixAwareRouting: {"prefix_length": 4096, "concurrency_threshold": 9},
    CapacityReservation: {
        "ml_reservation_arn": f"{RESERVATION}s",
        "capacity_reservation_preference": "capacity-reservations-only",
    },
    CoreDump: {"prefix": "dumps/of/mine"},
    ServerlessVariant: {
        **_CONTAINER,
        "name": "another",
        "memory_size_in_mb": 4096,
        "max_concurrency": 33,
        "provisioned_concurrency": 5,
        "extra": {"RoutingConfig": {"RoutingStrategy": "RANDOM"}},
    },
    InferenceComponent: {
        **_CONTAINER,
        **_STARTS,
        "copy_count": 3,
        "min_memory_required_in_mb": 700,
        "max_memory_required_in_mb": 900,
        "number_of_cpu_cores_required": 2,
        "number_of_accelerator_devices_required": 1,
        "scheduling_config": {
            "placement_strategy": "SPREAD",
            "availability_zone_balance": {"max_imbalance": 2},
        },
        "enable_caching": True,
        "extra": {"Tags": [{"Key": "team", "Value": "search"}]},
    },
    Extra: {
        "model": {"InferenceExecutionConfig": {"Mode": "Serial"}},
        "endpoint_config": {
            "ExplainerConfig": {"ClarifyExplainerConfig": {"EnableExplanations": "`x`"}}
        },
        "endpoint": {"RetainDeploymentConfig": True},
    },
    Asynchronous: {
        "max_concurrent_invocations_per_instance": 9,
        "success_topic": TOPIC,
        "error_topic": TOPIC,
        "include_inference_response_in": ["SUCCESS_NOTIFICATION_TOPIC"],
    },
    MultiModel: {
        "s3_prefix": "s3://models-of-others/x/",
        "kms_key_arn": KEY,
        "archives": {"another": "model"},
        "model_cache_setting": "Disabled",
        "safe_port_range": "8000-8500",
    },
    ModelPackage: {
        "name": "arn:aws:sagemaker:eu-west-1:111122223333:model-package/digits/4",
        "model_data": "s3://models/another.tar.gz",
        "kms_key_arn": KEY,
        "image_uri": OWN_IMAGE,
    },
    CanaryUpdate: {
        **_UPDATE,
        "canary_percent": 7,
        "wait_seconds": 77,
        "termination_wait_seconds": 88,
    },
    LinearUpdate: {
        **_UPDATE,
        "linear_percent": 12,
        "wait_seconds": 77,
        "termination_wait_seconds": 88,
    },
    RollingUpdate: {
        **_UPDATE,
        "rolling_percent": 7,
        "wait_seconds": 77,
        "rollback_percent": 20,
    },
    AllAtOnceUpdate: {**_UPDATE, "all_at_once": False, "termination_wait_seconds": 88},
    DataCapture: {
        "sampling_percent": 33,
        "capture": ["Output"],
        "prefix": "s3://captured/x",
        "json_content_types": ["application/x"],
        "csv_content_types": ["text/x"],
    },
    Monitoring: {
        "alarms": False,
        "alarm_topic_arn": TOPIC,
        "thresholds": {"memory_utilization_percent": 33},
        "dashboard": False,
        "log_retention_days": 5,
    },
    MetricsConfig: {
        "enable_enhanced_metrics": True,
        "enable_detailed_observability": False,
        "metric_publish_frequency_in_seconds": 30,
    },
    AlarmThresholds: {
        "invocation_5xx_errors_percent": 3.5,
        "model_latency_p99_milliseconds": 77,
        "overhead_latency_p99_milliseconds": 88,
        "cpu_utilization_percent": 66,
        "gpu_utilization_percent": 67,
        "memory_utilization_percent": 68,
        "disk_utilization_percent": 69,
        "serverless_concurrency_percent": 71,
        "oldest_request_seconds": 72,
        "period_seconds": 300,
        "evaluation_periods": 4,
        "datapoints_to_alarm": 1,
    },
    Scaling: {
        "min": 2,
        "max": 7,
        "invocations_per_instance": 55,
        "concurrent_requests": 6,
        "backlog_per_instance": 7,
        "provisioned_concurrency_utilization": 0.3,
        "tracked_metrics": [{"metric_name": "MemoryUtilization", "target": 50}],
        "step_policies": [{"metric_name": "Invocations", "steps": [{"lower": 9, "change": 1}]}],
        "schedules": [{"name": "n", "schedule": "rate(1 day)", "max": 3}],
        "scale_in_cooldown_seconds": 77,
        "scale_out_cooldown_seconds": 88,
    },
    TrackedMetric: {**_METRIC, "target": 33},
    StepPolicy: {
        **_METRIC,
        "steps": [{"lower": 3, "change": 2}],
        "evaluation_minutes": 3,
        "cooldown_seconds": 77,
    },
    Schedule: {
        "name": "another",
        "schedule": "rate(2 days)",
        "timezone": "Europe/Berlin",
        "min": 2,
        "max": 3,
    },
    BatchTransform: {
        "instance_type": "ml.m5.4xlarge",
        "instance_types": ["ml.m5.4xlarge"],
        "instance_count": 2,
        "transform_ami_version": "al2-ami-sagemaker-batch-gpu-470",
        "input_type": "ManifestFile",
        "content_type": "text/csv",
        "compression_type": "Gzip",
        "accept": "text/csv",
        "split_type": "Line",
        "batch_strategy": "MultiRecord",
        "assemble_with": "Line",
        "input_filter": "$[1]",
        "output_filter": "$[0]",
        "join_source": "Input",
        "max_payload_in_mb": 3,
        "max_concurrent_transforms": 2,
        "invocations_timeout_in_seconds": 77,
        "invocations_max_retries": 2,
        "environment": {"LEVEL": "2"},
        "encrypt_volumes": False,
        "tags": {"another": "tag"},
        "max_objects_per_shard": 77,
        "max_bytes_per_shard": 12_345_678,
        "max_concurrent_jobs": 3,
        "max_concurrent_executions": 3,
        "max_input_objects": 99,
        "max_input_bytes": 999_999,
        "retries": {"throttling": {"max_attempts": 3}},
        "fail_on_quarantine": True,
        "line_per_record": True,
        "schedule": "rate(1 day)",
        "arrivals": "objects",
        "notification_topic": TOPIC,
    },
}


@dataclass(frozen=True, kw_only=True)
class Changed:
    """One field of a model changed: ``before`` and ``after`` differ in it alone."""

    path: Path
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


def _parts(model: Mapping[str, Any]) -> Iterator[tuple[Path, type, Any]]:
    """Where a part is, its type, and what it is before the change where the example lacks it."""
    variant = model["variants"][0]
    serverless = "memory_size_in_mb" in variant
    components = next(iter(model.get("inference_components", ())), None)
    yield (), Container, None
    yield ("variants", 0), ServerlessVariant if serverless else InstanceVariant, None
    if components is not None:
        managed = (*("variants", 0), "managed_instance_scaling")
        yield managed, ManagedInstanceScaling, None
        consolidation = {"strategy": "CONSOLIDATION"}
        yield (*managed, "scale_in_policy"), ScaleInPolicy, consolidation
    for name, kind in (("asynchronous", Asynchronous), ("multi_model", MultiModel)):
        if name in model:
            yield (name,), kind, None
    if "model_package" in model:
        yield ("model_package",), ModelPackage, None
    if "shadow_variants" in model:
        yield ("shadow_variants", 0), InstanceVariant, None
    if "containers" in model:
        yield ("containers", 0), PipelineContainer, None
    if components is not None:
        yield ("inference_components", components), InferenceComponent, None
        yield ("update",), RollingUpdate, {"rolling_percent": 10, "wait_seconds": 60}
    else:
        yield ("update",), CanaryUpdate, {"canary_percent": 10, "wait_seconds": 60}
    yield ("data_capture",), DataCapture, {"sampling_percent": 50}
    yield ("metrics_config",), MetricsConfig, {}
    yield ("extra",), Extra, {}
    yield ("monitoring",), Monitoring, {}
    yield ("monitoring", "thresholds"), AlarmThresholds, {}
    scaled = components if components is not None else variant["name"]
    bounds = {"min": 1, "max": 4}
    yield ("scaling", scaled), Scaling, {**bounds, **_moved_by(model, serverless)}
    if _is_plain(model):
        yield from _alike_for_every_kind(("scaling", scaled), bounds)


def _is_plain(model: Mapping[str, Any]) -> bool:
    special = ("asynchronous", "shadow_variants", "inference_components")
    return "artifact" in model and len(model["variants"]) > 1 and not model.keys() & set(special)


def _alike_for_every_kind(scaling: Path, bounds: Values) -> Iterator[tuple[Path, type, Any]]:
    yield ("update",), LinearUpdate, {"linear_percent": 10, "wait_seconds": 60}
    yield ("update",), RollingUpdate, {"rolling_percent": 10, "wait_seconds": 60}
    yield ("update",), AllAtOnceUpdate, {"all_at_once": True}
    metric = {"metric_name": "MemoryUtilization"}
    for name, kind, item in (
        ("tracked_metrics", TrackedMetric, {**metric, "target": 50}),
        ("step_policies", StepPolicy, {**metric, "steps": [{"lower": 9, "change": 1}]}),
        ("schedules", Schedule, {"name": "n", "schedule": "cron(0 8 * * ? *)", "max": 4}),
    ):
        yield (*scaling, name, 0), kind, item
    yield from _of_variants(("variants", 0))
    batch = {"instance_type": "ml.m5.large", "content_type": "application/json"}
    yield ("batch_transform",), BatchTransform, batch


def _of_variants(variant: Path) -> Iterator[tuple[Path, type, Any]]:
    prefixes = {"prefix_length": 2048, "concurrency_threshold": 8}
    yield (*variant, "prefix_aware_routing"), PrefixAwareRouting, prefixes
    reservation = {"ml_reservation_arn": RESERVATION}
    yield (*variant, "capacity_reservation"), CapacityReservation, reservation
    yield (*variant, "core_dump"), CoreDump, {}


def _moved_by(model: Mapping[str, Any], serverless: bool) -> Values:
    if "asynchronous" in model:
        return {"backlog_per_instance": 10}
    if serverless:
        return {"provisioned_concurrency_utilization": 0.7}
    return {"invocations_per_instance": 70}


def _put(within: Any, path: Path, value: Any) -> None:
    *above, last = path
    for name, following in zip(above, path[1:], strict=True):
        if isinstance(within, dict) and within.get(name) is None:
            within[name] = [] if isinstance(following, int) else {}
        within = within[name]
    if isinstance(within, list) and len(within) == last:
        within.append(value)
    else:
        within[last] = value
