"""What ``production: true`` adds by itself, and where AWS leaves nothing to add."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
MODEL = """\
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
"""
ENVIRONMENT = f"""\
name: live
region: eu-west-1
production: true
models:
  plain:
{MODEL}    variants:
      - {{name: cpu, instance_type: ml.c5.large, initial_instance_count: 2}}
    scaling: {{cpu: {{min: 2, max: 2}}}}
  chosen:
{MODEL}    variants:
      - {{name: cpu, instance_type: ml.c5.large, initial_instance_count: 2}}
    scaling: {{cpu: {{min: 2, max: 2}}}}
    update: {{rolling_percent: 20, alarms: [pager], maximum_execution_timeout_seconds: 3600}}
  serverless:
{MODEL}    variants:
      - {{name: all, memory_size_in_mb: 1024, max_concurrency: 5}}
  inf1:
    image_uri: 763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference-neuron:1
    artifact: model
    variants:
      - {{name: inf, instance_type: ml.inf1.xlarge, initial_instance_count: 2}}
    scaling: {{inf: {{min: 2, max: 2}}}}
  shared:
{MODEL}    variants:
      - name: host
        instance_type: ml.c5.large
        managed_instance_scaling: {{max_instance_count: 2}}
    inference_components:
      half: {{min_memory_required_in_mb: 512}}
    scaling: {{half: {{min: 1, max: 2, invocations_per_instance: 60}}}}
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> EnvironmentStage:
    folder = tmp_path_factory.mktemp("live")
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    (folder / "live.yaml").write_text(ENVIRONMENT)
    file = read_environment(folder / "live.yaml")
    assert file.environment is not None, file.shape_problems
    app = cdk.App(outdir=str(folder / "cdk.out"))
    return EnvironmentStage(app, file.environment, folder=folder)


def deployment(stage: EnvironmentStage, model: str, kind: str = "Endpoint") -> Any:
    template = Template.from_stack(stage.node.find_child(model))  # type: ignore[arg-type]
    (resource,) = template.find_resources(f"AWS::SageMaker::{kind}").values()
    return resource["Properties"].get("DeploymentConfig")


def test_an_endpoint_moves_by_a_canary_that_alarms_watch(stage: EnvironmentStage) -> None:
    said = deployment(stage, "plain")
    routing = said["BlueGreenUpdatePolicy"]["TrafficRoutingConfiguration"]
    assert (routing["Type"], routing["CanarySize"]["Value"]) == ("CANARY", 10)
    assert len(said["AutoRollbackConfiguration"]["Alarms"]) >= 3


def test_what_the_file_says_is_done_and_its_own_alarms_come_first(stage: EnvironmentStage) -> None:
    said = deployment(stage, "chosen")
    assert said["RollingUpdatePolicy"]["MaximumBatchSize"]["Value"] == 20
    assert said["RollingUpdatePolicy"]["MaximumExecutionTimeoutInSeconds"] == 3600
    alarms = said["AutoRollbackConfiguration"]["Alarms"]
    assert alarms[0] == {"AlarmName": "pager"}
    assert 1 < len(alarms) <= 10


@pytest.mark.parametrize("model", ["serverless", "inf1"])
def test_where_sagemaker_has_no_guardrails_none_are_pretended(
    stage: EnvironmentStage, model: str
) -> None:
    assert deployment(stage, model) is None


def test_components_are_replaced_by_halves_and_watched(stage: EnvironmentStage) -> None:
    assert deployment(stage, "shared") is None
    said = deployment(stage, "shared", "InferenceComponent")
    assert said["RollingUpdatePolicy"]["MaximumBatchSize"]["Value"] == 50
    assert len(said["AutoRollbackConfiguration"]["Alarms"]) >= 1


def test_nobody_destroys_its_stacks_by_mistake(stage: EnvironmentStage) -> None:
    stacks = [each for each in stage.node.children if isinstance(each, cdk.Stack)]
    assert stacks
    assert all(each.termination_protection for each in stacks)
