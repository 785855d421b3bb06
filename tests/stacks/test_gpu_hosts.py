"""A GPU variant gets the host that its image needs; what is said, and CPUs, stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ENVIRONMENT = """\
name: hosts
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.19"
    variants:
      - {name: cpu, instance_type: ml.c5.large}
      - {name: old-host, instance_type: ml.g4dn.xlarge}
      - {name: new-host, instance_type: ml.g6.xlarge}
      - {name: either, instance_types: [ml.g6.xlarge, ml.g5.xlarge]}
      - name: said
        instance_type: ml.g4dn.xlarge
        inference_ami_version: al2-ami-sagemaker-inference-gpu-2-1
      - name: cuda-13
        instance_type: ml.g5.xlarge
        image_uri: 763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.27.1-gpu-py312-cu130-mine
      - name: own-image
        instance_type: ml.g5.xlarge
        image_uri: 111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1
    batch_transform: {instance_type: ml.g4dn.xlarge}
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "model").symlink_to(
        Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"
    )
    (folder / "hosts.yaml").write_text(ENVIRONMENT)
    file = read_environment(folder / "hosts.yaml")
    wrong = [each for each in check_environment(file) if each.severity is not Severity.NOTE]
    assert not [each for each in wrong if each.rule.startswith("ami-")]
    assert file.environment is not None
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stage = EnvironmentStage(app, file.environment, folder=folder)
    return Template.from_stack(stage.node.find_child("digits"))  # type: ignore[arg-type]


def test_a_host_is_chosen_where_one_is_right_and_left_to_sagemaker_elsewhere(
    template: Template,
) -> None:
    (config,) = template.find_resources("AWS::SageMaker::EndpointConfig").values()
    variants: list[dict[str, Any]] = config["Properties"]["ProductionVariants"]
    assert {each["VariantName"]: each.get("InferenceAmiVersion") for each in variants} == {
        "cpu": None,
        "old-host": "al2-ami-sagemaker-inference-gpu-3-1",
        "new-host": None,
        "either": "al2-ami-sagemaker-inference-gpu-3-1",
        "said": "al2-ami-sagemaker-inference-gpu-2-1",
        "cuda-13": "al2023-ami-sagemaker-inference-gpu-4-1",
        "own-image": None,
    }


def test_batch_jobs_on_gpus_get_a_host_too(template: Template) -> None:
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine").values()
    text = json.dumps(machine["Properties"]["DefinitionString"]).replace("\\", "")
    assert '"TransformAmiVersion":"al2-ami-sagemaker-batch-gpu-535"' in text
