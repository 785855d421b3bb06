"""What each step of a change that takes several deploys makes of the templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
PLAIN = """\
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    scaling:
      blue: {min: 2, max: 4, invocations_per_instance: 60}
      green: {min: 2, max: 2}
    variants:
      - {name: green, instance_type: ml.c5.large, initial_instance_count: 2}
"""
OLD = "      - {name: blue, instance_type: ml.c5.large, initial_instance_count: 2}\n"
NEW = "      - {name: blue, instance_type: ml.m5.xlarge, initial_instance_count: 2}\n"
SERVERLESS = """\
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: all, memory_size_in_mb: 1024, max_concurrency: 5, provisioned_concurrency: 1}
    scaling: {all: {min: 1, max: 2}}
"""
ENVIRONMENT = f"""\
name: live
region: eu-west-1
production: true
models:
  before:
{PLAIN}{OLD}  released:
{PLAIN}{NEW}    transition: {{step: release_scaling, keep: {{blue: ml.c5.large}}}}
  alone:
{PLAIN}{OLD}    transition:
      step: release_scaling
      keep: {{blue: ml.c5.large, green: ml.c5.large}}
  changed:
{PLAIN}{NEW}    transition: {{step: change_variants}}
  after:
{PLAIN}{NEW}  serverless:
{SERVERLESS}    transition: {{step: release_scaling, keep: {{all: serverless}}}}
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> EnvironmentStage:
    folder = tmp_path_factory.mktemp("live")
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    (folder / "live.yaml").write_text(ENVIRONMENT)
    environment = read_environment(folder / "live.yaml").sound
    return EnvironmentStage(cdk.App(outdir=str(folder / "cdk.out")), environment, folder=folder)


def properties(stage: EnvironmentStage, model: str, kind: str) -> list[Any]:
    template = Template.from_stack(stage.node.find_child(model))  # type: ignore[arg-type]
    return [found["Properties"] for found in template.find_resources(f"AWS::{kind}").values()]


def types(stage: EnvironmentStage, model: str) -> dict[str, str]:
    (config,) = properties(stage, model, "SageMaker::EndpointConfig")
    return {each["VariantName"]: each["InstanceType"] for each in config["ProductionVariants"]}


def scaled(stage: EnvironmentStage, model: str) -> set[str]:
    targets = properties(stage, model, "ApplicationAutoScaling::ScalableTarget")
    return {each["ResourceId"]["Fn::Join"][1][-1].rpartition("/")[2] for each in targets}


def test_released_scaling_is_gone_and_the_variant_serves_on_as_before(
    stage: EnvironmentStage,
) -> None:
    assert types(stage, "released") == types(stage, "before")
    assert scaled(stage, "before") == {"blue", "green"}
    assert scaled(stage, "released") == {"green"}
    (before,) = properties(stage, "before", "SageMaker::Endpoint")
    (released,) = properties(stage, "released", "SageMaker::Endpoint")
    for name in ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties"):
        assert released[name] == before[name]
    assert released["DeploymentConfig"].keys() == before["DeploymentConfig"].keys()


def test_the_instances_that_scaling_left_are_kept_when_nothing_else_is_scaled(
    stage: EnvironmentStage,
) -> None:
    assert scaled(stage, "alone") == set()
    (endpoint,) = properties(stage, "alone", "SageMaker::Endpoint")
    assert endpoint["RetainAllVariantProperties"] is True


def test_a_change_of_variants_has_no_guardrails_and_all_of_the_scaling(
    stage: EnvironmentStage,
) -> None:
    (endpoint,) = properties(stage, "changed", "SageMaker::Endpoint")
    assert "DeploymentConfig" not in endpoint
    assert scaled(stage, "changed") == {"blue", "green"}


def test_without_a_transition_the_file_is_what_is_deployed(stage: EnvironmentStage) -> None:
    assert types(stage, "after") == {"blue": "ml.m5.xlarge", "green": "ml.c5.large"}
    assert scaled(stage, "after") == {"blue", "green"}


def test_warm_workers_are_released_like_instances(stage: EnvironmentStage) -> None:
    assert scaled(stage, "serverless") == set()
    (endpoint,) = properties(stage, "serverless", "SageMaker::Endpoint")
    assert "RetainAllVariantProperties" not in endpoint
