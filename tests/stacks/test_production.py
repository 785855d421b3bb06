"""What ``production: true`` adds by itself, and where AWS leaves nothing to add."""

from __future__ import annotations

import json
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


def found(synthesized: Any, environment: str, stack: str, kind: str) -> dict[str, Any]:
    resources: dict[str, Any] = synthesized.template(environment, stack).find_resources(kind)
    return resources


def alarms_of(synthesized: Any) -> tuple[dict[str, Any], list[Any]]:
    """The properties of prod-digits' alarms by name, and of those of the instances of one config,
    whose name is known at the deploy."""
    every = found(synthesized, "prod", "digits", "AWS::CloudWatch::Alarm").values()
    named = [one["Properties"] for one in every]
    of_config = [one for one in named if isinstance(one["AlarmName"], dict)]
    return {one["AlarmName"]: one for one in named if one not in of_config}, of_config


def test_production_alarms_tell_the_environments_own_topic(synthesized: Any) -> None:
    (topic,) = found(synthesized, "prod", "Storage", "AWS::SNS::Topic").values()
    assert "KmsMasterKeyId" in topic["Properties"]
    alarms, of_config = alarms_of(synthesized)
    watched = [alarm for name, alarm in alarms.items() if name.startswith("prod-digits-")]
    assert len(watched) == 13 + 2, "the batches' own"
    for alarm in watched:
        assert "alarmtopicarn" in json.dumps(alarm["AlarmActions"])
    assert of_config
    assert not any("AlarmActions" in alarm for alarm in of_config), "they take an update back"


def test_the_file_sets_thresholds_and_how_long_the_log_is_kept(synthesized: Any) -> None:
    (kept,) = found(synthesized, "prod", "digits", "Custom::LogRetention").values()
    group = kept["Properties"]
    assert group["LogGroupName"] == "/aws/sagemaker/Endpoints/prod-digits"
    assert (group["RetentionInDays"], group["Retain"]) == (365, True)
    assert "KmsKeyId" in group
    alarms, of_config = alarms_of(synthesized)
    assert alarms["prod-digits-gpu-model-latency"]["Threshold"] == 1_000_000
    latencies = [one["Threshold"] for one in of_config if one["MetricName"] == "ModelLatency"]
    assert set(latencies) == {1_000_000}


def test_the_log_group_comes_before_the_endpoint_that_would_make_it(synthesized: Any) -> None:
    (own,) = found(synthesized, "prod", "digits", "Custom::LogRetention")
    (endpoint,) = found(synthesized, "prod", "digits", "AWS::SageMaker::Endpoint").values()
    assert own in endpoint["DependsOn"]


def test_nothing_watches_where_nobody_asked(synthesized: Any) -> None:
    assert found(synthesized, "dev", "digits", "AWS::CloudWatch::Dashboard") == {}
    assert found(synthesized, "dev", "Storage", "AWS::SNS::TopicPolicy") == {}
