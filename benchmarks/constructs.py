"""Seconds for synth per resource, beside the same endpoints built with CDK's own alpha library."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, Ratio
from benchmarks.synth import EMPTY_APP, seconds_of

RUNS = 5
MODELS = (1, 10, 50, 100)

_BEGIN = """\
import sys
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
app = cdk.App()
models = int(sys.argv[1])
stack = None
def stack_of(number):
    global stack
    if number % 10 == 0:
        stack = cdk.Stack(app, f"Stack{number}", env=cdk.Environment(region="eu-west-1"))
    return stack
VARIANTS = ("blue", "green", "red")
"""

OURS = f"""{_BEGIN}
from sagemaker_serving.infra import (
    ContainerImage, Endpoint, EndpointConfig, ExecutionRole, InstanceVariant, Model, ModelData)
for number in range(models):
    stack = stack_of(number)
    role = ExecutionRole(stack, f"Role{{number}}")
    model = Model(
        stack, f"Model{{number}}", role=role, instance_type="ml.c5.large",
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_s3(f"s3://models/{{number}}.tar.gz"))
    config = EndpointConfig(stack, f"Config{{number}}", variants=[
        InstanceVariant(name=name, model=model, instance_type="ml.c5.large") for name in VARIANTS])
    Endpoint(stack, f"Endpoint{{number}}", endpoint_name=f"e{{number}}", endpoint_config=config)
app.synth()
"""

ALPHA = f"""{_BEGIN}
import aws_cdk.aws_sagemaker_alpha as alpha
for number in range(models):
    stack = stack_of(number)
    model = alpha.Model(stack, f"Model{{number}}", containers=[alpha.ContainerDefinition(
        image=alpha.ContainerImage.from_dlc("tensorflow-inference", "2.20-cpu-py312"),
        model_data=alpha.ModelData.from_bucket(
            s3.Bucket.from_bucket_name(stack, f"Bucket{{number}}", "models"),
            f"{{number}}.tar.gz"))])
    config = alpha.EndpointConfig(
        stack, f"Config{{number}}",
        instance_production_variants=[
            alpha.InstanceProductionVariantProps(
                variant_name=name, model=model, instance_type=alpha.InstanceType.C5_LARGE)
            for name in VARIANTS])
    alpha.Endpoint(stack, f"Endpoint{{number}}", endpoint_name=f"e{{number}}",
        endpoint_config=config)
app.synth()
"""


@dataclass(frozen=True)
class Synth:
    """One synth: its seconds, and the resources in its templates."""

    seconds: float
    resources: int


def measure() -> list[Figure | Ratio]:
    """Medians with CDK's own validator off, and the ratio of seconds per resource over empty."""
    figures: list[Figure | Ratio] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, text in (("empty", EMPTY_APP), ("ours", OURS), ("alpha", ALPHA)):
            (place / f"{name}.py").write_text(text)
        empty = statistics.median(_synth(place, "empty", 0).seconds for _ in range(RUNS))
        figures.append(("empty app", f"{empty:.2f} s"))
        for models in MODELS:
            ours, alpha = [], []
            for _ in range(RUNS):
                ours.append(_synth(place, "ours", models))
                alpha.append(_synth(place, "alpha", models))
            figures += _compared(models, ours, alpha, empty)
    return figures


def _compared(
    models: int, ours: list[Synth], alpha: list[Synth], empty: float
) -> list[Figure | Ratio]:
    ratio = statistics.median(
        (a.seconds / a.resources) / (b.seconds / b.resources)
        for a, b in zip(ours, alpha, strict=True)
    )
    return [
        (f"{models} models of three variants", _shown(ours, empty)),
        (f"{models} models of three variants, alpha", _shown(alpha, empty)),
        Ratio(name=f"{models} models, ratio per resource", value=ratio, at_most=1.1),
    ]


def _shown(runs: list[Synth], empty: float) -> str:
    seconds = statistics.median(run.seconds for run in runs)
    resources = runs[0].resources
    return (
        f"{seconds:.2f} s, {resources} resources, "
        f"{1000 * (seconds - empty) / resources:.1f} ms each over the empty app"
    )


def _synth(place: Path, name: str, models: int) -> Synth:
    seconds = seconds_of([f"{name}.py", str(models)], place, folder := str(place / name), "false")
    templates = Path(folder, "cdk.out").glob("*.template.json")
    resources = sum(len(json.loads(path.read_text()).get("Resources", {})) for path in templates)
    return Synth(seconds, resources)
