"""The right environment files that wrong changes are made of, and those changes by places."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong.changes import Change, Pair, Place, changed
from benchmarks.wrong.values import of_schedule, of_time_zone, of_variable

M, V = ("models", "m"), ("models", "m", "variants", 0)

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
        acknowledge={
            "image-support": "its variables are judged, and no later image has TorchServe"
        },
    ),
}


for _base in ("instances", "asynchronous"):
    BASES[_base]["models"]["m"].setdefault("data_capture", {"sampling_percent": 5}).update(
        json_content_types=["application/json"], csv_content_types=["text/csv"]
    )


def pair(name: str, wrong: Change, right: Change | None = None) -> Pair:
    """A base with a wrong change, and with a right one."""
    return changed(BASES[name], wrong), changed(BASES[name], right or {})


def schedule(dice: random.Random) -> Pair:
    """A schedule that the grammar of its kind does not have."""
    kind, wrong, right = of_schedule(dice)
    places = (
        [(*ACTION, "schedule")] if kind == "at" else [(*ACTION, "schedule"), (*JOB, "schedule")]
    )
    place = dice.choice(places)
    return pair("instances", {place: wrong}, {place: right})


def time_zone(dice: random.Random) -> Pair:
    place = (*ACTION, "timezone")
    wrong, right = of_time_zone(dice)
    return pair("instances", {place: wrong}, {place: right})


def container_variable(dice: random.Random) -> Pair:
    """A variable of a container with a value that it does not take."""
    base, name, wrong, right = of_variable(dice)
    place = dice.choice([M, M, JOB]) if base == "instances" else M
    sized = name.startswith("SAGEMAKER_TFS_") and not name.endswith("ENABLE_BATCHING")
    beside: Change = {(*M, "batching"): {}} if base == "instances" and sized else {}
    at = (*place, "environment", name)
    return pair(base, {**beside, at: wrong}, {**beside, at: right})


def together(dice: random.Random) -> Pair:
    """What is right by itself and wrong beside something else, or of the wrong kind."""
    return pair(*dice.choice(TOGETHER))


def _one(base: str, place: Place, wrong: Any, right: Any) -> tuple[str, Change, Change]:
    return base, {place: wrong}, {place: right}


_SECOND = {**MODEL, "variants": [ONE]}
_SG, _SUBNET = "sg-0123456789abcdef0", "subnet-0123456789abcdef0"
_IDS = ("network", "subnet_ids"), ("network", "security_group_ids")
_SCALED = (*M, "scaling", "blue")
TOGETHER: list[tuple[str, Change, Change]] = [
    ("instances", {("models", "M"): _SECOND}, {("models", "n"): _SECOND}),
    ("instances", {("name",): "1dev"}, {("name",): "dev1"}),
    ("instances", {("models",): {}}, {}),
    ("instances", {("tags",): {"A": "1", "a": "2"}}, {("tags",): {"A": "1", "b": "2"}}),
    ("instances", {(*JOB, "tags"): {"aws:a": "1"}}, {(*JOB, "tags"): {"a": "1"}}),
    ("instances", {(*_SCALED, "min"): 5}, {(*_SCALED, "min"): 4}),
    ("instances", {(*_SCALED, "min"): 0}, {(*_SCALED, "min"): 2}),
    ("instances", {(*POLICY, "steps", 1, "lower"): 10.0}, {(*POLICY, "steps", 0, "lower"): 1.0}),
    ("instances", {(*POLICY, "steps", 1, "lower"): 8.0}, {(*POLICY, "steps", 1, "change"): 3}),
    (
        "instances",
        {(*POLICY, "dimensions"): {f"d{n}": "v" for n in range(31)}},
        {(*POLICY, "dimensions"): {f"d{n}": "v" for n in range(30)}},
    ),
    (
        "asynchronous",
        {_IDS[0]: [_SG], _IDS[1]: [_SG]},
        {_IDS[0]: [_SUBNET], _IDS[1]: [_SG]},
    ),
    *(
        _one("asynchronous", ("network", "cidr"), wrong, "10.0.0.0/16")
        for wrong in ("127.0.0.0/16", "8.8.8.0/16", "169.254.0.0/16", "10.0.0.0/28", "10.0.0.1/16")
    ),
    *(
        _one("instances", ("account",), wrong, "012345678901")
        for wrong in ("12345", "1234-5678-9012", "\u0661" * 12, "")
    ),
    *(
        _one("instances", ("region",), wrong, "us-east-1")
        for wrong in ("eu-west-11", "europe", "EU-WEST-1", "")
    ),
    (
        "pipeline",
        {(*M, "containers", 0, "container_hostname"): "a"},
        {
            (*M, "containers", 0, "container_hostname"): "a",
            (*M, "containers", 1, "container_hostname"): "b",
        },
    ),
    (
        "instances",
        {("storage",): {"kms": True}, (*JOB, "instance_type"): "ml.g4dn.xlarge",
         (*JOB, "encrypt_volumes"): True},
        {("storage",): {"kms": True}, (*JOB, "encrypt_volumes"): True},
    ),
    ("components", {(*HALF, "copy_count"): -1}, {(*HALF, "copy_count"): 2}),
    ("serverless", {(*V, "memory_size_in_mb"): 1500}, {(*V, "memory_size_in_mb"): 6144}),
]  # fmt: skip
