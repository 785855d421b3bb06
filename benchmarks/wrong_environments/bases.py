"""The right environment files that wrong changes are made of."""

from __future__ import annotations

from typing import Any

Place = tuple[str | int, ...]
Change = dict[Place, Any]
Pair = tuple[str, Change, Change]
"""A base's name, a wrong change of it, and the nearest right one."""

M, V = ("models", "m"), ("models", "m", "variants", 0)
GONE = object()
"""Stands for a field that is taken away."""

POLICY = (*M, "scaling", "blue", "step_policies", 0)
ACTION = (*M, "scaling", "blue", "schedules", 0)
JOB = (*M, "batch_transform")
HALF = (*M, "inference_components", "half")


MODEL = {"artifact": "model", "framework": "tensorflow", "framework_version": "2.20"}
ONE = {"name": "blue", "instance_type": "ml.c5.large"}
_STEPS = [{"lower": 5.0, "upper": 9.0, "change": 1}, {"lower": 9.0, "change": 2}]
_SCALING = {
    "min": 1,
    "max": 4,
    "invocations_per_instance": 70.0,
    "step_policies": [{"metric_name": "ConcurrentRequestsPerModel", "steps": _STEPS}],
    "tracked_metrics": [{"metric_name": "CPUUtilization", "target": 70.0}],
    "schedules": [
        {"name": "day", "schedule": "cron(0 8 * * ? *)", "timezone": "Europe/Berlin", "min": 2}
    ],
}


def _environment(**model: Any) -> dict[str, Any]:
    return {"name": "dev", "region": "eu-west-1", "models": {"m": {**MODEL, **model}}}


BASES: dict[str, dict[str, Any]] = {
    "instances": _environment(
        variants=[{**ONE, "volume_size_in_gb": 30}],
        scaling={"blue": _SCALING},
        update={"canary_percent": 10, "wait_seconds": 60, "alarms": ["mine"]},
        data_capture={"sampling_percent": 5},
        monitoring={"thresholds": {"cpu_utilization_percent": 80.0}, "log_retention_days": 30},
        batch_transform={"instance_type": "ml.m5.large", "schedule": "rate(1 day)"},
    ),
    "serverless": _environment(
        variants=[{"name": "all", "memory_size_in_mb": 2048, "max_concurrency": 20}]
    ),
    "asynchronous": _environment(variants=[ONE], asynchronous={}),
    "components": _environment(
        variants=[{**ONE, "managed_instance_scaling": {"max_instance_count": 2}}],
        inference_components={"half": {"min_memory_required_in_mb": 512}},
    ),
    "pipeline": {
        **_environment(),
        "models": {
            "m": {
                **{name: value for name, value in MODEL.items() if name != "artifact"},
                "containers": [{"artifact": "model"}, {"artifact": "model"}],
                "variants": [ONE],
            }
        },
    },
    "pytorch": _environment(
        framework="pytorch",
        framework_version="2.6.0",
        artifact={"s3": "s3://models/k.tar.gz", "sha256": "0" * 64},
        variants=[ONE],
    ),
}


for _base in ("instances", "asynchronous"):
    BASES[_base]["models"]["m"].setdefault("data_capture", {"sampling_percent": 5}).update(
        json_content_types=["application/json"], csv_content_types=["text/csv"]
    )
