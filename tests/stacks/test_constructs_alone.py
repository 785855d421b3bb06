"""What an environment file gives a model, the constructs give alone: the same resources."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import (
    AsyncInference,
    BatchTransform,
    BatchTransformSettings,
    ContainerImage,
    DeployGuard,
    Endpoint,
    EndpointConfig,
    EndpointMonitoring,
    ExecutionRole,
    Guardrails,
    InstanceVariant,
    Model,
    ModelData,
    S3Prefix,
    ScalingMetric,
    ScalingStep,
)
from sagemaker_serving.infra.synth.acknowledge import NO_KEY_ON_VOLUMES, acknowledge
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
TYPE, BATCH_TYPE = "ml.c5.large", "ml.m5.large"
FILE = f"""\
name: alone
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    asynchronous: {{}}
    variants: [{{name: cpu, instance_type: {TYPE}}}]
    scaling:
      cpu:
        min: 0
        max: 5
        backlog_per_instance: 10
        step_policies:
          - {{metric_name: CPUUtilization, evaluation_minutes: 3, steps: [{{lower: 70, change: 2}}]}}
    update: {{canary_percent: 20, wait_seconds: 60, termination_wait_seconds: 120, alarms: [mine]}}
    monitoring: {{}}
    batch_transform: {{instance_type: {BATCH_TYPE}, notification_topic: null, schedule: rate(1 day), arrivals: objects}}
"""  # noqa: E501


class Digits(cdk.Stack):
    """The stack of the file's model as somebody writes it who has no file."""

    def __init__(self, scope: Construct, *, folder: Path) -> None:
        env = cdk.Environment(region="eu-west-1")
        super().__init__(scope, "digits", env=env, stack_name="alone-digits")
        self._role = ExecutionRole(self, "ExecutionRole")
        self._folder = folder
        place = self._told("bucket-name")
        self._bucket = s3.Bucket.from_bucket_attributes(self, "DataBucket", bucket_name=place)
        self._pager = sns.Topic.from_topic_arn(self, "AlarmTopic", self._told("alarm-topic-arn"))
        self._add_endpoint()
        self._add_batch()
        ModelData.grant_read_kept(self._role, "alone-digits")

    def _add_endpoint(self) -> None:
        model = self._model(Construct(self, "Models"), "cpu", TYPE)
        config = EndpointConfig(
            self,
            "EndpointConfig",
            variants=[InstanceVariant(name="cpu", model=model, instance_type=TYPE)],
            async_inference=AsyncInference(
                inputs=self._below("async/input"),
                output=self._below("async/output"),
                failure=self._below("async/failure"),
            ),
        )
        acknowledge(
            config, NO_KEY_ON_VOLUMES, "No key was asked for; SageMaker encrypts with its own"
        )
        monitoring = EndpointMonitoring(
            self,
            "Monitoring",
            endpoint_name="alone-digits",
            variants=config.watched_variants,
            endpoint_config_name=config.endpoint_config_name,
            topic=self._pager,
            retain_logs=False,
        )
        endpoint = Endpoint(
            self,
            "Endpoint",
            endpoint_name="alone-digits",
            endpoint_config=config,
            guardrails=Guardrails.canary(percent=20, wait_seconds=60).watching("mine"),
            monitoring=monitoring,
        )
        DeployGuard(
            self, "DeployGuard", endpoint=endpoint, endpoint_config=config, retain_logs=False
        )
        scaling = endpoint.scale_instances("cpu", min_capacity=0, max_capacity=5)
        scaling.scale_on_backlog(10)
        scaling.scale_on_metric(
            "Steps1",
            ScalingMetric(metric_name="CPUUtilization"),
            [ScalingStep(lower=70, change=2)],
            evaluation_minutes=3,
        )

    def _add_batch(self) -> None:
        batch = BatchTransform(
            self,
            "BatchTransform",
            model=self._model(self, "BatchModel", BATCH_TYPE),
            settings=BatchTransformSettings(instance_type=BATCH_TYPE),
            inputs=self._below("batch/input"),
            outputs=self._below("batch/output"),
            work=self._below("batch/work"),
            reports=self._below("batch/reports"),
            retain_logs=False,
        )
        batch.add_alarms(
            self, "Batch", topic=self._pager, alarm_name="alone-digits-batch", of="digits"
        )
        batch.start_on_schedule(self, "BatchSchedule", "rate(1 day)")
        batch.start_on_arrivals(self, "BatchArrivals", "objects")

    def _model(self, scope: Construct, construct_id: str, instance_type: str) -> Model:
        return Model(
            scope,
            construct_id,
            role=self._role,
            image=ContainerImage.from_catalog("tensorflow", "2.20"),
            model_data=ModelData.from_path(self._folder / "model", kept_below="alone-digits"),
            instance_type=instance_type,
        )

    def _below(self, path: str) -> S3Prefix:
        return S3Prefix(bucket=self._bucket, prefix=f"digits/{path}")

    def _told(self, name: str) -> str:
        name = f"/sagemaker-serving/alone/storage/{name}"
        return ssm.StringParameter.value_for_string_parameter(self, name)


def test_constructs_alone_make_what_the_file_makes(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", tmp_path / "model")
    path = tmp_path / "alone.yaml"
    path.write_text(FILE)
    of_file, alone = (cdk.App(outdir=str(tmp_path / name)) for name in ("of-file", "alone"))
    stage = EnvironmentStage(of_file, read_environment(path).sound, folder=tmp_path)
    Digits(alone, folder=tmp_path)
    said = resources(of_file.synth().get_nested_assembly(stage.artifact_id), "alone-digits")
    made = resources(alone.synth(), "alone-digits")
    assert made == said
    assert {"AWS::Events::Rule", "AWS::CloudWatch::Alarm", "Custom::LogRetention"} <= {
        each["Type"] for each in made.values()
    }


def resources(assembly: Any, stack: str) -> Mapping[str, Any]:
    """All but the parameters by which stacks tell one another where things are."""
    found: Mapping[str, Any] = assembly.get_stack_by_name(stack).template["Resources"]
    return {name: each for name, each in found.items() if each["Type"] != "AWS::SSM::Parameter"}
