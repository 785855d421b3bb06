"""Seconds and memory of ``sagemaker-serving check``, beside cfn-lint on the equivalent template."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from benchmarks.cost import MB, Cost, cost_of
from benchmarks.figures import Figure, Ratio
from sagemaker_serving.catalog.images import container_image

ROOT = Path(__file__).parents[1]
RUNS = 5
MODELS = 100
REGION = "eu-west-1"


def measure() -> list[Figure | Ratio]:
    """Medians of one environment and of 100 models in one file, and the ratio to cfn-lint's."""
    figures: list[Figure | Ratio] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        many = home / "environments" / "many.yaml"
        many.parent.mkdir()
        many.write_text(yaml.safe_dump(_environment()))
        template = home / "many.template.json"
        template.write_text(json.dumps({"Resources": _resources()}))
        choosing = home / "choosing.template.json"
        choosing.write_text(json.dumps(_choosing()))
        shipped = str(ROOT / "environments" / "prod.yaml")
        programs = Path(sys.executable).parent
        check = [str(programs / "sagemaker-serving"), "check"]
        lint = [str(programs / "cfn-lint"), "--regions", REGION, "--"]
        on_template = [*check, "--template", "--region", REGION]
        for name, command in (
            ("check, one environment", [*check, shipped]),
            (f"check, {MODELS} models in one file", [*check, str(many)]),
        ):
            seconds, megabytes = _run(command)
            figures += [(name, f"{seconds:.2f} s"), (f"{name}, memory", f"{megabytes:.0f} MB")]
        seconds, _ = _run([*on_template, str(choosing)])
        figures.append((f"check --template, {MODELS} models by a condition", f"{seconds:.2f} s"))
        ours, theirs, ratio = _beside([*on_template, str(template)], [*lint, str(template)])
        figures += [
            (f"check --template, {MODELS} models", f"{ours:.2f} s"),
            (f"cfn-lint, {MODELS} models", f"{theirs:.2f} s"),
            Ratio(name="cfn-lint's seconds to ours", value=ratio, at_least=4),
        ]
    return figures


def _beside(ours: list[str], theirs: list[str]) -> tuple[float, float, float]:
    """Medians of both, run in turn, and the median of their ratios."""
    pairs = [(_cost(ours).seconds, _cost(theirs).seconds) for _ in range(RUNS)]
    return (
        statistics.median(mine for mine, _ in pairs),
        statistics.median(other for _, other in pairs),
        statistics.median(other / mine for mine, other in pairs),
    )


def _run(command: list[str]) -> tuple[float, float]:
    """Median of seconds, and the peak of memory in MB; nothing may be found wrong."""
    found = [_cost(command) for _ in range(RUNS)]
    seconds = statistics.median(cost.seconds for cost in found)
    return seconds, max(cost.memory for cost in found) / MB


def _cost(command: list[str]) -> Cost:
    return cost_of(command, good=(0, 4))  # cfn-lint ends with 4 when there are only warnings


def _environment() -> dict[str, Any]:
    """An environment of many models, each of its own but for the archive."""
    model = {
        "artifact": str(ROOT / "model_assets" / "half_plus_three" / "model"),
        "framework": "tensorflow",
        "framework_version": "2.20",
        "batching": {"max_batch_size": 16},
        "variants": [
            {"name": "cpu", "instance_type": "ml.c5.large", "weight": 9},
            {"name": "gpu", "instance_type": "ml.g4dn.xlarge", "weight": 1},
        ],
        "batch_transform": {"instance_type": "ml.m5.large", "split_type": "Line"},
    }
    return {
        "name": "many",
        "region": REGION,
        "models": {f"model-{n}": json.loads(json.dumps(model)) for n in range(MODELS)},
    }


def _resources() -> dict[str, Any]:
    """The same as CloudFormation has it: two models, a configuration and an endpoint each."""
    resources: dict[str, Any] = {}
    for n in range(MODELS):
        variants = []
        for name, kind, processor in (
            ("cpu", "ml.c5.large", "cpu"),
            ("gpu", "ml.g4dn.xlarge", "gpu"),
        ):
            image = container_image(
                framework="tensorflow",
                version="2.20",
                region=REGION,
                processor="cpu" if processor == "cpu" else "gpu",
            ).uri
            resources[f"Model{n}{name}"] = {
                "Type": "AWS::SageMaker::Model",
                "Properties": {
                    "ExecutionRoleArn": "arn:aws:iam::111122223333:role/serving",
                    "PrimaryContainer": {
                        "Image": image,
                        "ModelDataUrl": f"s3://models/{n}.tar.gz",
                        "Environment": {
                            "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
                            "SAGEMAKER_TFS_MAX_BATCH_SIZE": "16",
                        },
                    },
                },
            }
            variants.append(
                {
                    "VariantName": name,
                    "ModelName": {"Fn::GetAtt": [f"Model{n}{name}", "ModelName"]},
                    "InstanceType": kind,
                    "InitialInstanceCount": 1,
                    "InitialVariantWeight": 1,
                }
            )
        resources[f"Config{n}"] = {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {"ProductionVariants": variants},
        }
        resources[f"Endpoint{n}"] = {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {
                "EndpointConfigName": {"Fn::GetAtt": [f"Config{n}", "EndpointConfigName"]}
            },
        }
    return resources


def _choosing() -> dict[str, Any]:
    """The same, but that a condition chooses the type of each first variant."""
    resources = _resources()
    for n in range(MODELS):
        (first, _) = resources[f"Config{n}"]["Properties"]["ProductionVariants"]
        first["InstanceType"] = {"Fn::If": ["IsProd", "ml.c5.xlarge", "ml.c5.large"]}
    stage = {"Type": "String", "Default": "dev", "AllowedValues": ["dev", "test", "prod"]}
    return {
        "Parameters": {"Stage": stage},
        "Conditions": {"IsProd": {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}},
        "Resources": resources,
    }
