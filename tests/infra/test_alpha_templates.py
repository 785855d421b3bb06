"""No false alarm: the examples of aws-sagemaker-alpha's README, built here, have no problem."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import aws_cdk.aws_sagemaker_alpha as alpha
import pytest
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_s3 as s3

from sagemaker_serving.rules import check_template, read_template
from tests.today import TODAY

Build = Callable[[cdk.Stack, Path], None]


def container(stack: cdk.Stack, folder: Path, name: str = "repo") -> alpha.ContainerDefinition:
    repository = ecr.Repository.from_repository_name(stack, f"Repository-{name}", name)
    return alpha.ContainerDefinition(
        image=alpha.ContainerImage.from_ecr_repository(repository, "tag"),
        model_data=alpha.ModelData.from_asset(str(archive(folder, name))),
    )


def archive(folder: Path, name: str) -> Path:
    """An archive of its own: two alike in one model make the library stumble."""
    path = folder / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo(name))
    return path


def model(stack: cdk.Stack, folder: Path, name: str = "Model") -> alpha.Model:
    return alpha.Model(stack, name, containers=[container(stack, folder, name.lower())])


def config(stack: cdk.Stack, folder: Path, **change: Any) -> alpha.EndpointConfig:
    variant = alpha.InstanceProductionVariantProps(
        model=model(stack, folder), variant_name="my-variant", **change
    )
    return alpha.EndpointConfig(stack, "EndpointConfig", instance_production_variants=[variant])


def single_container(stack: cdk.Stack, folder: Path) -> None:
    model(stack, folder, "PrimaryContainerModel")


def inference_pipeline(stack: cdk.Stack, folder: Path) -> None:
    containers = [container(stack, folder, f"step{n}") for n in range(3)]
    alpha.Model(stack, "InferencePipelineModel", containers=containers)


def network_isolation(stack: cdk.Stack, folder: Path) -> None:
    alpha.Model(stack, "Model", containers=[container(stack, folder)], network_isolation=True)


def deep_learning_container(stack: cdk.Stack, folder: Path) -> None:
    image = alpha.ContainerImage.from_dlc(
        "huggingface-pytorch-training", "1.13.1-transformers4.26.0-gpu-py39-cu117-ubuntu20.04"
    )
    alpha.Model(stack, "Model", containers=[alpha.ContainerDefinition(image=image)])


def data_in_a_bucket(stack: cdk.Stack, folder: Path) -> None:
    bucket = s3.Bucket(stack, "MyBucket")
    data = alpha.ModelData.from_bucket(bucket, "path/to/artifact/file.tar.gz")
    repository = ecr.Repository.from_repository_name(stack, "Repository", "repo")
    image = alpha.ContainerImage.from_ecr_repository(repository, "tag")
    definition = alpha.ContainerDefinition(image=image, model_data=data)
    alpha.Model(stack, "Model", containers=[definition])


def two_variants(stack: cdk.Stack, folder: Path) -> None:
    variants = [
        alpha.InstanceProductionVariantProps(
            model=model(stack, folder, f"Model{name}"),
            variant_name=name,
            initial_variant_weight=weight,
        )
        for name, weight in (("modelA", 2), ("variantB", 1))
    ]
    alpha.EndpointConfig(stack, "EndpointConfig", instance_production_variants=variants)


def startup_timeout(stack: cdk.Stack, folder: Path) -> None:
    timeout = cdk.Duration.minutes(5)
    config(stack, folder, container_startup_health_check_timeout=timeout)


def serverless(stack: cdk.Stack, folder: Path) -> None:
    alpha.EndpointConfig(
        stack,
        "ServerlessEndpointConfig",
        serverless_production_variant=alpha.ServerlessProductionVariantProps(
            model=model(stack, folder),
            variant_name="serverlessVariant",
            max_concurrency=10,
            memory_size_in_mb=2048,
            provisioned_concurrency=5,
        ),
    )


def endpoint_with_alarm(stack: cdk.Stack, folder: Path) -> None:
    endpoint = alpha.Endpoint(stack, "Endpoint", endpoint_config=config(stack, folder))
    variant = endpoint.find_instance_production_variant("my-variant")
    variant.metric_model_latency().create_alarm(
        stack, "ModelLatencyAlarm", threshold=100000, evaluation_periods=3
    )


def autoscaling(stack: cdk.Stack, folder: Path) -> None:
    """With a type of its own: on its default, ml.t2.medium, the library itself refuses."""
    scaled = config(stack, folder, instance_type=alpha.InstanceType.M5_LARGE)
    endpoint = alpha.Endpoint(stack, "Endpoint", endpoint_config=scaled)
    variant = endpoint.find_instance_production_variant("my-variant")
    count = variant.auto_scale_instance_count(max_capacity=3)
    count.scale_on_invocations("LimitRPS", max_requests_per_second=30)


EXAMPLES: list[Build] = [
    single_container,
    inference_pipeline,
    network_isolation,
    deep_learning_container,
    data_in_a_bucket,
    two_variants,
    startup_timeout,
    serverless,
    endpoint_with_alarm,
    autoscaling,
]


TRUE = {"autoscaling": "scaling-retained"}
"""What is wrong with an example: an update of that endpoint takes back what scaling set."""


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One app, one stack per example, synthesized once."""
    folder = tmp_path_factory.mktemp("alpha")
    app = cdk.App(outdir=str(folder / "cdk.out"))
    for build in EXAMPLES:
        where = cdk.Environment(region="eu-west-1", account="111122223333")
        build(cdk.Stack(app, build.__name__.replace("_", "-"), env=where), folder)
    app.synth()
    return folder / "cdk.out"


@pytest.mark.parametrize("region", ["eu-west-1", None])
@pytest.mark.parametrize("build", EXAMPLES, ids=lambda build: build.__name__)
def test_the_example_has_no_problem(assembly: Path, build: Build, region: str | None) -> None:
    path = assembly / f"{build.__name__.replace('_', '-')}.template.json"
    assert "AWS::SageMaker::Model" in json.dumps(json.loads(path.read_text()))
    found = check_template(read_template(path), region, today=TODAY)
    true = TRUE.get(build.__name__)
    alarms = [problem for problem in found if problem.severity != "note" and problem.rule != true]
    assert [str(problem) for problem in alarms] == []
    assert true is None or true in {problem.rule for problem in found}
