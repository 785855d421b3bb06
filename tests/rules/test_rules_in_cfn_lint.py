"""The rules in cfn-lint: one line of .cfnlintrc, the ids of docs/rules.md, cfn-lint's own ways."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CFN_LINT = Path(sys.executable).with_name("cfn-lint")
VARIANTS = """
    Properties:
      ProductionVariants:
        - VariantName: blue
          ModelName: !GetAtt Model.ModelName
          InstanceType: !Ref Retired
          InitialInstanceCount: 1
          InitialVariantWeight: 1"""
TEMPLATE = f"""
Resources:
  Config:
    Type: AWS::SageMaker::EndpointConfig{VARIANTS}
  Kept:
    Type: AWS::SageMaker::EndpointConfig
    Metadata:
      cfn-lint: {{config: {{ignore_checks: [instance-retired]}}}}{VARIANTS}
  Model:
    Type: AWS::SageMaker::Model
    Properties:
      ExecutionRoleArn: arn:aws:iam::111122223333:role/r
      PrimaryContainer:
        Image: 763104351884.dkr.ecr.us-east-1.amazonaws.com/tensorflow-inference:2.20-gpu-py312
        ModelDataUrl: s3://bucket/model.tar.gz
        Environment: {{SAGEMAKER_TFS_ENABLE_BATCHING: maybe}}
Parameters:
  Retired: {{Type: String, Default: ml.p3.2xlarge}}
"""

pytestmark = pytest.mark.slow


OUTPUTS = """
Outputs:
  Name: {Value: !GetAtt Model.Nmae}
  Other: {Value: !Ref Nothing}
"""
METADATA = "Metadata:\n  SageMakerServing:\n    acknowledge: {instance-retierd: why}\n"
ZIPPED = """
    Type: AWS::SageMaker::Model
    Properties:
      ExecutionRoleArn: arn:aws:iam::111122223333:role/r
      PrimaryContainer:
        Image: 763104351884.dkr.ecr.us-east-1.amazonaws.com/tensorflow-inference:2.20-cpu
        ModelDataUrl: s3://bucket/model.zip"""
OLD_ID = f"""
Resources:
  Kept:
    Metadata:
      cfn-lint: {{config: {{ignore_checks: [artifact-s3-uri]}}}}{ZIPPED}
  Told:{ZIPPED}
"""
TEMPLATES = {
    "t.yaml": TEMPLATE,
    "outputs.yaml": TEMPLATE + OUTPUTS,
    "metadata.yaml": METADATA + TEMPLATE,
    "old.yaml": OLD_ID,
}
ERROR, WARNING = ("container-variable", "Error", 30), ("instance-retired", "Warning", 9)
Found = tuple[dict[str, set[tuple[str, str, int]]], int]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".cfnlintrc").write_text("append_rules: [sagemaker_serving.rules.cfn_lint]\n")
    for name, text in TEMPLATES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def judged(project: Path) -> Found:
    return found(project, *TEMPLATES)


def found(project: Path, *arguments: str) -> Found:
    """What is named in each file, and the exit status."""
    ended = subprocess.run(
        [str(CFN_LINT), "--format", "json", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    named: dict[str, set[tuple[str, str, int]]] = {}
    for one in json.loads(ended.stdout):
        line = one["Location"]["Start"]["LineNumber"]
        named.setdefault(one["Filename"], set()).add((one["Rule"]["Id"], one["Level"], line))
    return named, ended.returncode


def test_findings_stand_at_their_lines_with_their_levels(judged: Found) -> None:
    named, status = judged
    assert (named["t.yaml"], status) == ({ERROR, WARNING}, 2 | 4)


def test_what_cfn_lint_judges_itself_is_named_once(judged: Found) -> None:
    own = {("E6101", "Error", 35), ("E6101", "Error", 36)}
    assert judged[0]["outputs.yaml"] == own | {ERROR, WARNING}


def test_an_acknowledgement_without_a_rule_stands_at_its_line(judged: Found) -> None:
    below = {(rule, level, line + 3) for rule, level, line in (ERROR, WARNING)}
    assert judged[0]["metadata.yaml"] == below | {("acknowledge", "Error", 3)}


def test_a_resource_ignores_a_rule_by_an_id_that_it_had(judged: Found, project: Path) -> None:
    told = {("model-data-form", "Error", 18)}
    assert judged[0]["old.yaml"] == told
    named, _ = found(project, "--mandatory-checks", "model-data-form", "--", "old.yaml")
    assert named == {"old.yaml": told | {("model-data-form", "Error", 11)}}


def test_a_rule_may_be_ignored_and_is_asked_for_each_of_cfn_lints_regions(project: Path) -> None:
    given = ("--ignore-checks", "container-variable", "--regions", "us-east-1", "eu-west-1")
    named, status = found(project, *given, "--", "t.yaml")
    assert named == {"t.yaml": {WARNING, ("image-uri", "Error", 28)}}
    assert status == 2 | 4
