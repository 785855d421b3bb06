"""What Fn::ForEach makes is judged as if it were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_template, read_template

TEMPLATE = """\
Transform: AWS::LanguageExtensions
Parameters: {Sizes: {Type: CommaDelimitedList%s}}
Resources:
  Fn::ForEach::Configs:
    - Size
    - !Ref Sizes
    - Config${Size}:
        Type: AWS::SageMaker::EndpointConfig
        Properties:
          ProductionVariants:
            - VariantName: blue
              ModelName: digits
              InitialInstanceCount: 1
              InstanceType: !Sub ml.c5.${Size}
"""


def found(path: Path, default: str) -> list[Problem]:
    path.write_text(TEMPLATE % default, encoding="utf-8")
    return check_template(read_template(path), "us-east-1")


def test_each_resource_of_a_loop_is_judged_and_the_line_told(tmp_path: Path) -> None:
    (problem,) = found(tmp_path / "stack.yaml", ', Default: "large,xlarg"')
    assert problem.rule == "endpoint-instance-type"
    assert (problem.where.path[0], problem.where.line) == ("Configxlarg", 14)


@pytest.mark.parametrize("default", ["", ', Default: "large,xlarge"'])
def test_a_loop_over_right_or_unknown_values_passes(default: str, tmp_path: Path) -> None:
    assert found(tmp_path / "stack.yaml", default) == []


IN_CONDITIONS = """\
Transform: AWS::LanguageExtensions
Parameters: {Stage: {Type: String, AllowedValues: [dev, prod], Default: dev}}
Conditions:
  Fn::ForEach::Stages:
    - Name
    - [dev, prod]
    - Is${Name}: !Equals [!Ref Stage, !Ref Name]
Resources:
  Config:
    Type: AWS::SageMaker::EndpointConfig
    Properties:
      ProductionVariants:
        - VariantName: blue
          ModelName: digits
          InitialInstanceCount: 1
          InstanceType: !If [Isprod, ml.c5.%s, ml.c5.large]
"""


@pytest.mark.parametrize(
    ("size", "said"),
    [("xlarge", []), ("xlarg", ["when condition Isprod is true, InstanceType is 'ml.c5.xlarg'"])],
)
def test_conditions_that_a_loop_makes_are_as_if_they_were_written(
    size: str, said: list[str], tmp_path: Path
) -> None:
    """Fn::ForEach stands in Conditions, Outputs and Resources (template reference)."""
    path = tmp_path / "stack.yaml"
    path.write_text(IN_CONDITIONS % size, encoding="utf-8")
    problems = check_template(read_template(path), "us-east-1")
    assert [problem.message.partition(";")[0] for problem in problems] == said
