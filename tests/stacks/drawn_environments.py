"""Environment files drawn from the JSON Schema: a kind of docs/kinds.md, some fields made anew.

A file is told by its number alone, so that what fails can be made again.
"""

from __future__ import annotations

import copy
import json
import random
import re
from functools import cache
from typing import Any

import yaml

from sagemaker_serving.spec.schema import environment_schema
from tests.stacks.kinds import PAGE

EXAMPLES = yaml.safe_load("".join(re.findall(r"```yaml\n(.*?)```", PAGE, re.S)))
TOPIC = "arn:aws:sns:eu-west-1:111122223333:mine"

TEXTS: dict[str, list[Any]] = {
    "artifact": ["model", "s3://models/k.tar.gz", {"folder": "model", "uncompressed": True}],
    "framework": ["tensorflow", "pytorch"],
    "framework_version": ["2.20", "2.19", "2.16", "2.6.0"],
    "image_uri": ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1"],
    "image_digest": [f"sha256:{'0a' * 32}"],
    "instance_type": ["ml.c5.large", "ml.m5.xlarge", "ml.g4dn.xlarge", "ml.c7g.large"],
    "instance_types": ["ml.c5.large", "ml.m5.large", "ml.c6i.large"],
    "schedule": ["rate(1 day)", "cron(0 8 ? * MON#2 *)", "cron(0 8 L * ? *)"],
    "timezone": ["Europe/Berlin", "UTC"],
    "content_type": ["application/jsonlines", "text/csv", "image/png"],
    "accept": ["application/json", "text/csv"],
    "input_filter": ["$", "$.x"],
    "output_filter": ["$", "$[0]"],
    "alarm_topic_arn": [TOPIC],
    "success_topic": ["new", TOPIC],
    "error_topic": ["new", TOPIC],
    "notification_topic": ["new", TOPIC],
    "ml_reservation_arn": ["arn:aws:sagemaker:eu-west-1:111122223333:training-plan/mine"],
    "inference_ami_version": ["al2-ami-sagemaker-inference-gpu-3-1"],
    "transform_ami_version": ["al2-ami-sagemaker-batch-gpu-470"],
    "safe_port_range": ["9000-9999", "1024-65535"],
    "s3_prefix": ["s3://models/many/"],
    "s3": ["s3://models/k.tar.gz", "s3://models/prefix/"],
    "folder": ["model"],
    "cidr": ["10.0.0.0/16", "192.168.0.0/19", "100.64.0.0/16"],
    "subnet_ids": ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    "security_group_ids": ["sg-0123456789abcdef0"],
    "region": ["eu-west-1", "us-east-1", "cn-north-1", "us-gov-west-1"],
    "account": ["111122223333"],
    "model_data": ["s3://models/k.tar.gz"],
    "metric_name": ["CPUUtilization", "x" * 255],
    "json_content_types": ["application/json", "a/b"],
    "csv_content_types": ["text/csv"],
    "alarms": ["my-alarm", "a b", "x" * 255],
    "container_hostname": ["a", "b-c"],
    "default_model_name": ["half_plus_three"],
}
"""Values of the fields whose text has a form."""

WORDS = [
    *("a", "a-b", "A1", "x" * 63, "Default", "Resource"),
    *("a b", "\u00fc", "a_b", "a/b", "${a}", "$a", "{{x}}", ""),
]
"""The first six may be names."""

NUMBERS = [0, 1, 2, 3, 5, 10, 60, 100, 300, 512, 600, 1024, 2048, 3600, 2**31 - 1]
SKIPPED = {
    *("extends", "transition", "compile", "model_package"),
    *("accelerator_type", "accept_retired", "organization"),
}
"""Fields that name another file or a deploy, or what AWS ended; Neo and organizations
have tests of their own."""


@cache
def whole() -> Any:
    """The schema of environment files, made when it is first asked for: it takes half a second."""
    return json.loads(environment_schema())


def drawn_environment(number: int) -> dict[str, Any]:
    """An environment file that the schema takes; the rules may not."""
    dice = random.Random(number)
    kinds = dice.sample(sorted(EXAMPLES), dice.choice([1, 1, 2]))
    models = {_word(dice, name): copy.deepcopy(EXAMPLES[name]) for name in kinds}
    environment: dict[str, Any] = {
        "name": _word(dice, "prod"),
        "region": "eu-west-1",
        "models": models,
    }
    for model in models.values():
        for place, schema in dice.choices(places(model), k=dice.randint(1, 3)):
            _change(place, schema, dice)
    for field in dice.sample(sorted(whole()["properties"]), 2):
        if field not in (*SKIPPED, "models", "name"):
            environment[field] = value(whole()["properties"][field], field, dice)
    return environment


def places(model: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The mappings of a model that have fields, each with its type."""
    found = [(model, _type("Model"))]
    for field, kind in (
        ("containers", "PipelineContainer"),
        ("shadow_variants", "InstanceVariant"),
        ("inference_components", "InferenceComponent"),
        ("scaling", "Scaling"),
    ):
        entries = model.get(field, [])
        each = entries.values() if isinstance(entries, dict) else entries
        found += [(entry, _type(kind)) for entry in each]
    for variant in model.get("variants", []):
        kind = "ServerlessVariant" if "memory_size_in_mb" in variant else "InstanceVariant"
        found.append((variant, _type(kind)))
    for field, kind in (("batch_transform", "BatchTransform"), ("monitoring", "Monitoring")):
        if field in model:
            found.append((model[field], _type(kind)))
    return found


def _type(name: str) -> dict[str, Any]:
    found: dict[str, Any] = whole()["$defs"][name]
    return found


def _change(place: dict[str, Any], schema: dict[str, Any], dice: random.Random) -> None:
    fields = sorted(set(schema["properties"]) - SKIPPED)
    for field in dice.sample(fields, dice.randint(1, min(3, len(fields)))):
        if field in place and dice.random() < 0.1 and field not in schema.get("required", ()):
            del place[field]
        else:
            place[field] = value(schema["properties"][field], field, dice)


def value(schema: dict[str, Any], field: str, dice: random.Random) -> Any:
    """A value that ``schema`` takes, for the field of that name."""
    if "$ref" in schema:
        return value(_type(schema["$ref"].rpartition("/")[2]), field, dice)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return value(dice.choice(schema[several]), field, dice)
    if "const" in schema or "enum" in schema:
        return dice.choice(schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        return _object(schema, dice)
    if kind == "object":
        entries = schema.get("additionalProperties")
        if not isinstance(entries, dict):
            return {}
        return {dice.choice(WORDS): value(entries, "", dice) for _ in range(dice.randint(0, 2))}
    if kind == "array":
        return [value(schema["items"], field, dice) for _ in range(dice.randint(0, 2))]
    if kind == "string":
        return dice.choice(TEXTS.get(field, WORDS))
    if kind == "integer":
        return dice.choice(NUMBERS)
    if kind == "number":
        return dice.choice([*NUMBERS, 0.5, 0.1, 1e-9, 99.9])
    return dice.random() < 0.5 if kind == "boolean" else None


def _object(schema: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    return {
        field: value(inner, field, dice)
        for field, inner in schema["properties"].items()
        if field not in SKIPPED and (field in required or dice.random() < 0.25)
    }


def _word(dice: random.Random, usual: str) -> str:
    return dice.choice([usual] * 6 + WORDS[:6])
