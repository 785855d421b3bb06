"""Changes that the JSON Schema, or botocore's service models, call wrong."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from typing import Any

import botocore.loaders

from benchmarks.wrong.changes import GONE, Pair, Place
from benchmarks.wrong.environments import (
    ACTION,
    BASES,
    HALF,
    JOB,
    POLICY,
    M,
    V,
    pair,
)
from sagemaker_serving.spec.schema import environment_schema

# what the JSON Schema says


def unknown_field(dice: random.Random) -> Pair:
    base = dice.choice(sorted(BASES))
    place, _ = dice.choice(_mappings(base))
    name = dice.choice(["timeout", "instance_typ", "Name", "enviroment", "x-note", "VariantName"])
    return pair(base, {(*place, name): dice.choice([1, "a", None, {}])})


def missing_field(dice: random.Random) -> Pair:
    base = dice.choice(sorted(BASES))
    found = [
        (*place, field) for place, schema in _mappings(base) for field in schema.get("required", ())
    ]
    return pair(base, {dice.choice(found): GONE})


def wrong_type(dice: random.Random) -> Pair:
    base = dice.choice(sorted(BASES))
    place, schema = dice.choice([each for each in _mappings(base) if each[1]["properties"]])
    field = dice.choice(sorted(schema["properties"]))
    kinds = _kinds(schema["properties"][field])
    wrong = [
        value
        for kind, value in (
            ("integer", 7), ("number", 1.5), ("string", "seven"), ("boolean", True),
            ("array", ["a"]), ("object", {"a": "b"}), ("integer", float("nan")),
        )
        if kind not in kinds and not (kind == "integer" and "number" in kinds)
    ]  # fmt: skip
    return pair(base, {(*place, field): dice.choice(wrong)})


def choice(dice: random.Random) -> Pair:
    base, place, field, words = dice.choice(_choices())
    wrong = dice.choice([words[0].swapcase(), words[0] + "s", "", "none of them", words[0] + " "])
    others = [word for word in words if (field, word) != ("routing_strategy", "PREFIX_AWARE")]
    return pair(base, {(*place, field): wrong}, {(*place, field): dice.choice(others)})


@cache
def _choices() -> list[tuple[str, Place, str, list[str]]]:
    return [
        (base, place, field, words)
        for base in BASES
        for place, schema in _mappings(base)
        for field, inner in schema["properties"].items()
        if (words := _words(inner)) and field not in _BESIDE
    ]


_BESIDE = ("batch_strategy", "join_source", "input_type", "arrivals")
"""Fields of which a word is right or wrong by what stands beside it."""


@cache
def _mappings(base: str) -> list[tuple[Place, dict[str, Any]]]:
    """Where a base has mappings with fields, each with its schema."""
    return list(_walk(BASES[base], _schema(), ()))


def _walk(value: Any, schema: dict[str, Any], place: Place) -> Any:
    schema = _resolved(schema, value)
    if isinstance(value, dict) and "properties" in schema:
        yield place, schema
        for key, inner in value.items():
            yield from _walk(inner, schema["properties"][key], (*place, key))
    elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        for key, inner in value.items():
            yield from _walk(inner, schema["additionalProperties"], (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _walk(inner, schema.get("items", {}), (*place, index))


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(environment_schema())
    return found


def _resolved(schema: dict[str, Any], value: Any) -> dict[str, Any]:
    """The member of a union that a value is meant to be: the one that has most of its fields."""
    if "$ref" in schema:
        return _resolved(_schema()["$defs"][schema["$ref"].rpartition("/")[2]], value)
    members = [_resolved(each, value) for each in schema.get("anyOf", schema.get("oneOf", ()))]
    if not members:
        return schema
    keys = set(value) if isinstance(value, dict) else set()
    fitting = [
        each for each in members if isinstance(value, dict) == (each.get("type") == "object")
    ]
    return max(fitting or members, key=lambda each: len(keys & set(each.get("properties", ()))))


def _kinds(schema: dict[str, Any]) -> set[str]:
    if "$ref" in schema:
        return _kinds(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
    members = schema.get("anyOf", schema.get("oneOf"))
    if members is not None:
        return {kind for each in members for kind in _kinds(each)}
    return {schema.get("type", "string")}


def _words(schema: dict[str, Any]) -> list[str]:
    members = schema.get("anyOf", [schema])
    return [word for each in members for word in each.get("enum", ()) if isinstance(word, str)]


# what botocore's service models say


def number(dice: random.Random) -> Pair:
    base, place, (low, high) = dice.choice(NUMBERS)
    far = [low - 1, low - 1000, -(2**31), 2**63, float("nan"), float("inf"), -float("inf")]
    if high is not None:
        far += [high + 1, high * 10 + 1, 2**31]
    right = dice.choice([low, low if high is None else high])
    return pair(base, {place: dice.choice(far)}, {place: right})


@cache
def _shapes(service: str = "sagemaker") -> dict[str, Any]:
    model: dict[str, Any] = botocore.loaders.Loader().load_service_model(service, "service-2")
    shapes: dict[str, Any] = model["shapes"]
    return shapes


def _range(shape: str) -> tuple[int, int | None]:
    found = _shapes()[shape]
    return found["min"], found.get("max")


_PV = "ProductionVariant"
NUMBERS: list[tuple[str, Place, tuple[int, int | None]]] = [
    ("instances", (*V, "initial_instance_count"), _range("InitialTaskCount")),
    ("instances", (*V, "volume_size_in_gb"), _range(f"{_PV}VolumeSizeInGB")),
    (
        "instances",
        (*V, "model_data_download_timeout_in_seconds"),
        _range(f"{_PV}ModelDataDownloadTimeoutInSeconds"),
    ),
    (
        "instances",
        (*V, "container_startup_health_check_timeout_in_seconds"),
        _range(f"{_PV}ContainerStartupHealthCheckTimeoutInSeconds"),
    ),
    ("instances", (*M, "data_capture", "sampling_percent"), _range("SamplingPercentage")),
    ("instances", (*M, "update", "wait_seconds"), _range("WaitIntervalInSeconds")),
    ("instances", (*M, "update", "termination_wait_seconds"), _range("TerminationWaitInSeconds")),
    (
        "instances",
        (*M, "update", "maximum_execution_timeout_seconds"),
        _range("MaximumExecutionTimeoutInSeconds"),
    ),
    ("instances", (*JOB, "instance_count"), _range("TransformInstanceCount")),
    (
        "instances",
        (*JOB, "invocations_timeout_in_seconds"),
        _range("InvocationsTimeoutInSeconds"),
    ),
    ("instances", (*JOB, "invocations_max_retries"), _range("InvocationsMaxRetries")),
    ("serverless", (*V, "max_concurrency"), _range("ServerlessMaxConcurrency")),
    (
        "asynchronous",
        (*M, "asynchronous", "max_concurrent_invocations_per_instance"),
        _range("MaxConcurrentInvocationsPerInstance"),
    ),
    ("components", (*HALF, "copy_count"), (1, None)),  # 0 is refused at first: component-start
    ("components", (*HALF, "min_memory_required_in_mb"), (128, None)),
    ("instances", (*POLICY, "cooldown_seconds"), (0, None)),
    ("instances", (*POLICY, "evaluation_minutes"), (1, None)),
    ("instances", (*M, "scaling", "blue", "scale_in_cooldown_seconds"), (0, None)),
    ("instances", (*M, "scaling", "blue", "scale_out_cooldown_seconds"), (0, None)),
    ("instances", (*M, "scaling", "blue", "schedules", 0, "min"), (1, 4)),
]
"""Fields, each with the least and most that its shape takes; without one, what its text says."""


def text(dice: random.Random) -> Pair:
    base, place, shape, right = dice.choice(TEXTS)
    service, _, name = shape.rpartition(":")
    facts = _shapes(service or "sagemaker")[name]
    tried = ["", "a_b", "-a", "a b", "a" * (facts.get("max", 300) + 1), "\u00e9", "a/b", "a,b", "."]
    wrong = [text for text in tried if not _fits(facts, text)]
    return pair(base, {place: dice.choice(wrong)}, {place: right})


def _fits(facts: dict[str, Any], text: str) -> bool:
    fits = facts.get("min", 0) <= len(text) <= facts.get("max", len(text))
    pattern = facts.get("pattern", ".*").replace(r"\p{Print}", r"[\x20-\x7e]")
    return fits and re.fullmatch(pattern, text, re.S) is not None


_CAPTURE = (*M, "data_capture")
_TOPIC = "arn:aws:sns:eu-west-1:111122223333:t"
TEXTS: list[tuple[str, Place, str, Any]] = [
    ("serverless", (*V, "name"), "VariantName", "x" * 63),
    ("pipeline", (*V, "name"), "VariantName", "a-b"),
    ("instances", (*ACTION, "name"), "application-autoscaling:ScheduledActionName", "a b_c"),
    ("instances", (*_CAPTURE, "json_content_types", 0), "JsonContentType", "a/b"),
    ("instances", (*_CAPTURE, "csv_content_types", 0), "CsvContentType", "text/csv"),
    ("instances", (*M, "update", "alarms", 0), "AlarmName", "any name"),
    ("instances", (*M, "monitoring", "alarm_topic_arn"), "SnsTopicArn", _TOPIC),
    ("asynchronous", (*M, "asynchronous", "success_topic"), "SnsTopicArn", _TOPIC),
    ("instances", (*JOB, "notification_topic"), "SnsTopicArn", _TOPIC),
]
"""Texts, each with the shape whose length and pattern they have, and a right one."""
