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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".cfnlintrc").write_text("append_rules: [sagemaker_serving.rules.cfn_lint]\n")
    (tmp_path / "t.yaml").write_text(TEMPLATE)
    return tmp_path


def found(project: Path, *arguments: str) -> tuple[set[tuple[str, str, int]], int]:
    ended = subprocess.run(
        [str(CFN_LINT), "--format", "json", *arguments, "--", "t.yaml"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    named = {
        (one["Rule"]["Id"], one["Level"], one["Location"]["Start"]["LineNumber"])
        for one in json.loads(ended.stdout)
    }
    return named, ended.returncode


def test_findings_stand_at_their_lines_with_their_levels_and_may_be_ignored(project: Path) -> None:
    error, warning = ("container-variable", "Error", 30), ("instance-retired", "Warning", 9)
    assert found(project) == ({error, warning}, 2 | 4)
    assert found(project, "--ignore-checks", "container-variable") == ({warning}, 4)


def test_rules_that_go_by_region_are_asked_for_each_of_cfn_lints_regions(project: Path) -> None:
    named, _ = found(project, "--regions", "us-east-1", "eu-west-1")
    assert ("image-uri", "Error", 28) in named


def test_what_cfn_lint_judges_itself_is_named_once(project: Path) -> None:
    outputs = """
Outputs:
  Name: {Value: !GetAtt Model.Nmae}
  Other: {Value: !Ref Nothing}
"""
    (project / "t.yaml").write_text(TEMPLATE + outputs)
    named, _ = found(project, "--ignore-checks", "container-variable", "instance-retired")
    assert named == {("E6101", "Error", 35), ("E6101", "Error", 36)}


def test_an_acknowledgement_without_a_rule_stands_at_its_line(project: Path) -> None:
    metadata = "Metadata:\n  SageMakerServing:\n    acknowledge: {instance-retierd: why}\n"
    (project / "t.yaml").write_text(metadata + TEMPLATE)
    named, _ = found(project, "--ignore-checks", "container-variable", "instance-retired")
    assert named == {("acknowledge", "Error", 3)}
