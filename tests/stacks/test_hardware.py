"""One endpoint on every kind of hardware: each variant has its own host, image and archive."""

from __future__ import annotations

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
name: every
region: eu-west-1
accept_retired: [elastic-inference]
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.3"
    batching: {max_batch_size: 16}
    variants:
      - {name: cpu, instance_type: ml.c5.large}
      - {name: gpu, instance_type: ml.g4dn.xlarge, weight: 0}
      - name: graviton
        instance_type: ml.c7g.large
        framework_version: "2.16"
      - name: inf1
        instance_type: ml.inf1.xlarge
        framework_version: "2.5"
        artifact: {s3: s3://models/digits-ml_inf1.tar.gz, version_id: "7"}
        batching: {max_batch_size: 1}
      - name: eia
        instance_type: ml.m5.large
        accelerator_type: ml.eia2.medium
      - name: inf2
        instance_type: ml.inf2.xlarge
        image_uri: 763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference-neuronx:2.10
        artifact: {s3: s3://models/digits-ml_inf2.tar.gz, version_id: "7"}
"""
AWS = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"
NEO = "802834080501.dkr.ecr.eu-west-1.amazonaws.com"
EXPECTED = {
    "cpu": ("ml.c5.large", f"{AWS}/tensorflow-inference:2.3-cpu", None, "16"),
    "gpu": ("ml.g4dn.xlarge", f"{AWS}/tensorflow-inference:2.3-gpu", None, "16"),
    "graviton": (
        "ml.c7g.large",
        f"{AWS}/tensorflow-inference-graviton:2.16-cpu-py310-ubuntu20.04-sagemaker",
        None,
        "16",
    ),
    "inf1": ("ml.inf1.xlarge", f"{NEO}/sagemaker-neo-tensorflow:2.5.2-inf-py3", None, "1"),
    "eia": ("ml.m5.large", f"{AWS}/tensorflow-inference-eia:2.3-cpu", "ml.eia2.medium", "16"),
    "inf2": ("ml.inf2.xlarge", f"{AWS}/tensorflow-inference-neuronx:2.10", None, "16"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("every")
    (folder / "model").symlink_to(Path(__file__).parents[2] / "model_assets/digits/model")
    (folder / "every.yaml").write_text(ENVIRONMENT)
    return read_environment(folder / "every.yaml")


@pytest.fixture(scope="module")
def template(file: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    app = cdk.App(outdir=str(tmp_path_factory.mktemp("assembly")))
    stage = EnvironmentStage(app, file.environment, folder=file.path.parent)
    serving = stage.node.find_child("digits")
    return dict(Template.from_stack(serving).to_json())  # type: ignore[arg-type]


def variants(template: dict[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Each production variant and its Model's container, by the variant's name."""
    resources = template["Resources"]
    (config,) = (r for r in resources.values() if r["Type"] == "AWS::SageMaker::EndpointConfig")
    found = {}
    for variant in config["Properties"]["ProductionVariants"]:
        model = resources[variant["ModelName"]["Fn::GetAtt"][0]]
        found[variant["VariantName"]] = (variant, model["Properties"]["PrimaryContainer"])
    return found


def test_what_has_ended_is_rendered_with_a_warning_and_nothing_else_is_wrong(file: Any) -> None:
    problems = check_environment(file)
    assert [p for p in problems if p.severity is Severity.ERROR] == []
    assert any("Elastic Inference" in str(problem) for problem in problems)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_variant_has_the_host_image_and_environment_of_its_hardware(
    template: dict[str, Any], name: str
) -> None:
    variant, container = variants(template)[name]
    assert (
        variant["InstanceType"],
        container["Image"],
        variant.get("AcceleratorType"),
        container["Environment"]["SAGEMAKER_TFS_MAX_BATCH_SIZE"],
    ) == EXPECTED[name]


def test_a_compiled_archive_serves_its_own_variant_only(template: dict[str, Any]) -> None:
    urls = {name: container["ModelDataUrl"] for name, (_, container) in variants(template).items()}
    assert urls["inf1"] == "s3://models/digits-ml_inf1.tar.gz"
    assert urls["inf2"] == "s3://models/digits-ml_inf2.tar.gz"
    assert urls["cpu"] == urls["gpu"] == urls["graviton"] == urls["eia"]


def test_the_role_may_pull_from_each_account_its_repository(template: dict[str, Any]) -> None:
    text = str([r for r in template["Resources"].values() if r["Type"] == "AWS::IAM::Policy"])
    for account, repository in (
        ("763104351884", "tensorflow-inference"),
        ("763104351884", "tensorflow-inference-graviton"),
        ("763104351884", "tensorflow-inference-eia"),
        ("802834080501", "sagemaker-neo-tensorflow"),
    ):
        assert f":ecr:eu-west-1:{account}:repository/{repository}'" in text
