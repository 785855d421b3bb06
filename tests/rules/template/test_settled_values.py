"""What a template settles by itself is judged; what only a deploy settles is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.rules import check_template, read_template
from tests.rules.template_cases import variant
from tests.rules.templates import problems, template

TEMPLATE = """
Parameters:
  Type: {Type: String, Default: ml.t3.medium}
Mappings:
  Types:
    eu-central-1: {Blue: ml.t3.medium}
    eu-west-1: {Blue: ml.c5.large}
Conditions:
  InFrankfurt: !Equals [!Ref AWS::Region, eu-central-1]
  Small: !Equals [!Ref Type, ml.t3.medium]
Resources:
  Config:
    Type: AWS::SageMaker::EndpointConfig
    Properties:
      ProductionVariants:
        - {VariantName: blue, ModelName: m, InitialInstanceCount: 1, InstanceType: %s}
"""


@pytest.mark.parametrize(
    ("value", "region", "named"),
    [
        ("!FindInMap [Types, !Ref AWS::Region, Blue]", "eu-central-1", True),
        ("!FindInMap [Types, !Ref AWS::Region, Blue]", "eu-west-1", False),
        ("!FindInMap [Types, !Ref AWS::Region, Blue]", None, False),
        ("!If [InFrankfurt, ml.t3.medium, ml.c5.large]", "eu-central-1", True),
        ("!If [InFrankfurt, ml.t3.medium, ml.c5.large]", "eu-west-1", False),
        ("!If [InFrankfurt, ml.t3.medium, ml.c5.large]", None, True),
        ("!If [Small, ml.t3.medium, ml.c5.large]", "eu-west-1", True),
        ('!Select [1, !Split ["/", "ml.c5.large/ml.t3.medium"]]', None, True),
        ("!Ref Type", "eu-west-1", True),
        ('"{{resolve:ssm:/serving/type}}"', "eu-west-1", False),
        ('!Sub "ml.{{resolve:ssm:/serving/size:1}}"', "eu-west-1", False),
    ],
)
def test_what_the_template_alone_settles_is_judged(
    tmp_path: Path, value: str, region: str | None, named: bool
) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE % value)

    rules = {problem.rule for problem in check_template(read_template(path), region)}

    assert ("endpoint-instance-type" in rules) is named


def test_an_entry_behind_one_that_is_left_out_keeps_its_place() -> None:
    left_out, wrong = {"Ref": "AWS::NoValue"}, variant("a_b")
    scaled = {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/a_b"}
    changes = {"Config.ProductionVariants": [left_out, wrong], "Target.ResourceId": scaled}
    found = problems(template(changes))
    assert [problem.where.trail for problem in found] == [
        "Config.ProductionVariants[1].VariantName"
    ]


@pytest.mark.parametrize("name", ["SAGEMAKER_TFS_MAX_BATCH_SIZE", "SAGEMAKER_TFS_ENABLE_BATCHING"])
def test_a_variable_that_a_condition_decides_is_not_said_to_do_nothing(name: str) -> None:
    decided = {"Fn::If": ["IsBig", "16", {"Ref": "AWS::NoValue"}]}
    sizes = {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "16", name: decided}
    found = problems(template({"Model.PrimaryContainer.Environment": sizes}))
    assert [problem for problem in found if problem.rule == "batching-off"] == []
