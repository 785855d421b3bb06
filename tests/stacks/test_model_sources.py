"""Models that come in no archive, and packages from a private repository: in a stack, all at
once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

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
      - name: fetched
        instance_type: ml.g5.xlarge
        container_startup_health_check_timeout_in_seconds: 1200
      - name: unpacked
        instance_type: ml.g5.xlarge
        artifact: {s3: s3://models/words/1/, sha256: "1"}
        environment: {HF_MODEL_ID: /opt/ml/model}
      - name: sealed
        instance_type: ml.g5.xlarge
        artifact:
          s3: s3://sealed/words/2/
          sha256: "2"
          kms_key_arn: arn:aws:kms:eu-west-1:111122223333:key/models
        environment: {HF_MODEL_ID: /opt/ml/model}
      - name: folder
        instance_type: ml.g5.xlarge
        artifact: {folder: words, uncompressed: true}
        environment: {HF_MODEL_ID: /opt/ml/model}
      - name: own
        instance_type: ml.c5.large
        image_uri: 111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1
        environment:
          CA_REPOSITORY_ARN: "arn:aws:codeartifact:eu-west-1:111122223333:repository/team/python"
"""
SENT_TO = re.compile(r'-assets-\$\{AWS::AccountId\}-eu-west-1"}, "/([0-9a-f]{64}\.files/)"')
NAMES = (".hidden", "config.json", "model-00001.safetensors", "model-00001", "onnx/config.json")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> EnvironmentStage:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "sources.yaml").write_text(ENVIRONMENT)
    for name in NAMES:
        (folder / "words" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "words" / name).write_text(name)
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
    told = [uri for uri in sources(template) if not isinstance(uri, dict)]
    assert sorted(map(str, told)) == [
        "None",
        "None",
        "s3://models/words/1/",
        "s3://sealed/words/2/",
    ]
    assert len(sources(template)) == len([*told, sent_to(template)])


def test_each_file_of_a_folder_is_an_asset_of_its_own_below_the_folders_sha256(
    stage: EnvironmentStage, template: Template
) -> None:
    prefix = sent_to(template)
    assembly = Path(stage.synth().directory)
    (file,) = assembly.glob("*words*.assets.json")
    manifest = json.loads(file.read_text())
    sent = {
        target["objectKey"]: assembly / asset["source"]["path"]
        for asset in manifest["files"].values()
        for target in asset["destinations"].values()
        if asset["source"]["packaging"] == "file"
    }
    files = {key: path.read_text() for key, path in sent.items() if key.startswith(prefix)}
    assert files == {f"{prefix}{name}": name for name in NAMES}


def test_the_role_reads_and_lists_that_prefix_and_nothing_beside_it(template: Template) -> None:
    prefix = sent_to(template)
    told = json.dumps(granted(template))
    assert told.count("-assets-") == 2, "one statement for each action"
    assert f"/{prefix}*" in told
    assert f'"s3:prefix": "{prefix}*"' in told


def test_the_role_decrypts_by_the_key_of_a_model_alone(template: Template) -> None:
    by_keys = [one["Resource"] for one in granted(template) if one["Action"] == "kms:Decrypt"]
    assert by_keys == ["arn:aws:kms:eu-west-1:111122223333:key/models"]


def granted(template: Template) -> list[Any]:
    """The statements of the role that runs the models."""
    policies = template.find_resources("AWS::IAM::Policy")
    (own,) = (each for name, each in policies.items() if name.startswith("ExecutionRole"))
    statements: list[Any] = own["Properties"]["PolicyDocument"]["Statement"]
    return statements


def sources(template: Template) -> list[Any]:
    """What each Model without an archive names."""
    return [
        container.get("ModelDataSource", {}).get("S3DataSource", {}).get("S3Uri")
        for model in template.find_resources("AWS::SageMaker::Model").values()
        for container in [model["Properties"]["PrimaryContainer"]]
        if "ModelDataUrl" not in container
    ]


def sent_to(template: Template) -> str:
    """The prefix that the folder is sent to."""
    (prefix,) = SENT_TO.findall(json.dumps(sources(template)))
    return str(prefix)


def test_the_rules_find_nothing_in_the_template_itself(template: Template) -> None:
    found = check_template(template_of(template.to_json()["Resources"]), "eu-west-1")
    assert [str(problem) for problem in found] == []


def test_scanners_have_nothing_unacknowledged(stage: EnvironmentStage) -> None:
    app = stage.node.root
    violations = AwsSolutionsChecks(app).validate_scope(stage).violations
    assert [violation.rule_name for violation in violations] == []
