"""Models that come in no archive, and packages from a private repository: in a stack, all at
once."""

from __future__ import annotations

import json
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template
from cdk_nag import AwsSolutionsChecks

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment, check_template, template_of
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ENVIRONMENT = """\
name: sources
region: eu-west-1
models:
  words:
    framework: djl-lmi
    framework_version: "0.30.0"
    environment: {HF_MODEL_ID: team/words}
    variants:
      - {name: fetched, instance_type: ml.g5.xlarge}
      - name: unpacked
        instance_type: ml.g5.xlarge
        artifact: {s3: s3://models/words/1/, sha256: "1"}
        environment: {HF_MODEL_ID: /opt/ml/model}
      - name: own
        instance_type: ml.c5.large
        image_uri: 111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1
        environment:
          CA_REPOSITORY_ARN: "arn:aws:codeartifact:eu-west-1:111122223333:repository/team/python"
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> EnvironmentStage:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "sources.yaml").write_text(ENVIRONMENT)
    file = read_environment(folder / "sources.yaml")
    found = [each for each in check_environment(file) if each.severity is not Severity.NOTE]
    assert [str(problem) for problem in found] == []
    assert file.environment is not None
    context = json.loads(Path("cdk.json").read_text())["context"]
    app = cdk.App(outdir=str(folder / "cdk.out"), context=context)
    return EnvironmentStage(app, file.environment, folder=folder)


@pytest.fixture(scope="module")
def template(stage: EnvironmentStage) -> Template:
    return Template.from_stack(stage.node.find_child("words"))  # type: ignore[arg-type]


def test_each_model_names_its_files_where_it_has_any(template: Template) -> None:
    sources = [
        container.get("ModelDataSource", {}).get("S3DataSource", {}).get("S3Uri")
        for model in template.find_resources("AWS::SageMaker::Model").values()
        for container in [model["Properties"]["PrimaryContainer"]]
        if "ModelDataUrl" not in container
    ]
    assert sorted(map(str, sources)) == ["None", "None", "s3://models/words/1/"]


def test_the_rules_find_nothing_in_the_template_itself(template: Template) -> None:
    found = check_template(template_of(template.to_json()["Resources"]), "eu-west-1")
    assert [str(problem) for problem in found] == []


def test_scanners_have_nothing_unacknowledged(stage: EnvironmentStage) -> None:
    app = stage.node.root
    violations = AwsSolutionsChecks(app).validate_scope(stage).violations
    assert [violation.rule_name for violation in violations] == []
