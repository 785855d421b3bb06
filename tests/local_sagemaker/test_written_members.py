"""What an environment file writes of variants and of their config is deployed, and told again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk.assertions import Template

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tests.local_aws.aws import Aws

MODEL = Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"
ENVIRONMENT = """\
name: written
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.19"
    metrics_config:
      enable_enhanced_metrics: true
      enable_detailed_observability: false
      metric_publish_frequency_in_seconds: 30
    variants:
      - name: every
        instance_type: ml.g5.xlarge
        initial_instance_count: 2
        weight: 3
        model_data_download_timeout_in_seconds: 601
        container_startup_health_check_timeout_in_seconds: 602
        variant_instance_provision_timeout_in_seconds: 603
        prefix_aware_routing: {prefix_length: 2048, concurrency_threshold: 8}
        capacity_reservation:
          ml_reservation_arn: arn:aws:sagemaker:eu-west-1:111122223333:training-plan/mine
          capacity_reservation_preference: capacity-reservations-only
        enable_ssm_access: true
        core_dump: {}
      - name: either
        instance_types: [ml.g6.xlarge, ml.g5.xlarge]
        extra: {InstancePools: [{}, {ModelNameOverride: written}]}
"""


def test_what_is_rendered_is_deployed_and_described(aws: Aws, tmp_path: Path) -> None:
    properties = rendered(tmp_path)
    aws.model("written")
    for variant in properties["ProductionVariants"]:
        variant["ModelName"] = "written"
    every, either = properties["ProductionVariants"]
    # Elsewhere it is a bucket of another stack.
    every["CoreDumpConfig"]["DestinationS3Uri"] = "s3://models/dumps"
    resource = {"Type": "AWS::SageMaker::EndpointConfig", "Properties": properties}
    client = aws.client("cloudformation")
    client.create_stack(
        StackName="written", TemplateBody=json.dumps({"Resources": {"Config": resource}})
    )

    client.get_waiter("stack_create_complete").wait(
        StackName="written", WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    (made,) = client.describe_stack_resources(StackName="written")["StackResources"]
    name = made["PhysicalResourceId"].rpartition("/")[2]
    described = aws.sagemaker.describe_endpoint_config(EndpointConfigName=name)
    assert described["ProductionVariants"] == [every, either]
    assert described["MetricsConfig"] == properties["MetricsConfig"]
    assert either["InstancePools"][1]["ModelNameOverride"] == "written"
    assert every["InferenceAmiVersion"] == "al2-ami-sagemaker-inference-gpu-3-1"
    client.delete_stack(StackName="written")


def rendered(folder: Path) -> dict[str, Any]:
    """The properties of the environment's EndpointConfig."""
    (folder / "model").symlink_to(MODEL)
    (folder / "written.yaml").write_text(ENVIRONMENT)
    environment = read_environment(folder / "written.yaml").environment
    assert environment is not None
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stage = EnvironmentStage(app, environment, folder=folder)
    template = Template.from_stack(stage.node.find_child("digits"))  # type: ignore[arg-type]
    (config,) = template.find_resources("AWS::SageMaker::EndpointConfig").values()
    properties: dict[str, Any] = config["Properties"]
    return {name: properties[name] for name in ("ProductionVariants", "MetricsConfig")}
