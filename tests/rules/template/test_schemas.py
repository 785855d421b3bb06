"""Resources of any service beside the schemas of their types: each fault once, and no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules import check, check_template, read_template
from tests.rules.template.schema_cases import CASES
from tests.rules.templates import IMAGE
from tests.today import TODAY

BASE = """
Parameters:
  Stage: {Type: String}
  Text: {Type: String}
Conditions:
  Big: !Equals [!Ref Stage, big]
  Never: !Equals [a, b]
"""


def problems(folder: Path, resources: str, region: str = "eu-west-1") -> list[Problem]:
    path = folder / "template.yaml"
    path.write_text(BASE + resources)
    found = check_template(read_template(path), region, today=TODAY)
    return [one for one in found if not one.rule.startswith("template-")]


def one(folder: Path, kind: str, properties: str, more: str = "") -> list[Problem]:
    text = f"Resources:\n  It:\n    Type: AWS::{kind}\n    Properties: {{{properties}}}\n"
    return problems(folder, f"{more}{text}")


@pytest.mark.parametrize(
    ("rule", "kind", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{case[1]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_wrong_is_named_once_and_the_nearest_right_passes(
    tmp_path: Path, rule: str, kind: str, wrong: str, said: str, right: str
) -> None:
    (problem,) = one(tmp_path, kind, wrong)
    assert (problem.rule, said in problem.message) == (rule, True), problem
    assert one(tmp_path, kind, right) == []


@pytest.mark.parametrize(
    ("kind", "wrong", "rule"),
    [
        ("SageMaker::EndpointConfig", "ProductionVariants: []", "variant-count"),
        ("SageMaker::EndpointConfig", "ProductionVariants: here", "schema-type"),
        ("SageMaker::Model", f"PrimaryContainer: {{Imgae: {IMAGE}}}", "unknown-property"),
        (
            "SageMaker::Model",
            f"ModelName: a_b, PrimaryContainer: {{Image: {IMAGE}}}",
            "resource-name",
        ),
        ("SageMaker::Endpoint", "EndpointName: e", "schema-required"),
        (
            "SageMaker::Endpoint",
            "EndpointConfigName: c, DeploymentConfig: {BlueGreenUpdatePolicy: {}}",
            "guardrail-traffic",
        ),
        ("SageMaker::ModelPackageGroup", "", "schema-required"),
        ("SageMaker::ModelPackageGroup", "ModelPackageGroupName: a_b", "schema-value"),
    ],
)
def test_what_a_rule_of_sagemakers_says_the_schemas_do_not_say_again(
    tmp_path: Path, kind: str, wrong: str, rule: str
) -> None:
    found = [problem.rule for problem in one(tmp_path, kind, wrong)]
    assert found.count(rule) == 1
    assert [name for name in found if name.startswith("schema-") and name != rule] == []


@pytest.mark.parametrize(
    "right",
    [
        "Type: AWS::S3::Bucket, Condition: Never, Properties: {BucketName: My_Bucket}",
        "Type: AWS::S3::Bucket, Properties: {BucketName: '{{resolve:ssm:bucket}}'}",
        "Type: AWS::S3::Bucket, Properties: {'Fn::Transform': {Name: AWS::Include}}",
        "Type: AWS::S3::Bucket, 'Fn::Transform': {Name: AWS::Include}, Properties: {a: b}",
        "Type: AWS::S3::Bucket, Properties: {BucketName: !Sub 'My_${Text}'}",
        "Type: AWS::S3::Bucket, Condition: Big, Properties: {BucketName: !If [Big, b-b, My_B]}",
        "Type: AWS::Lambda::Function, Properties: {Code: ./code, Role: !Ref Text}",
        "Type: AWS::Lambda::Function, Properties: {Code: {ZipFile: {'Rain::Embed': a.py}}, "
        "Role: !Ref Text}",
        "Type: Custom::Anything, Properties: {ServiceToken: !Ref Text, Whatever: [1]}",
        "Type: Some::Third::Party, Properties: {a: b}",
        "Type: Some::Own::Part::MODULE, Properties: {a: b}",
    ],
)
def test_what_nobody_knows_yet_is_not_judged(tmp_path: Path, right: str) -> None:
    assert problems(tmp_path, f"Resources: {{It: {{{right}}}}}\n") == []


@pytest.mark.parametrize(
    ("transform", "named"),
    [
        ("MyMacro", False),
        ("[AWS::LanguageExtensions, MyMacro]", False),
        ("{Name: AWS::Include, Parameters: {Location: s3://a/b}}", False),
        ("AWS::LanguageExtensions", True),
        ("AWS::Serverless-2016-10-31", True),
    ],
)
def test_a_macro_may_add_anything(tmp_path: Path, transform: str, named: bool) -> None:
    found = one(tmp_path, "S3::Bucket", "Nothing: 1", f"Transform: {transform}\n")
    assert [problem.rule for problem in found] == ["schema-unknown"] * named


@pytest.mark.parametrize(
    ("kind", "region", "rules"),
    [
        ("AWS::S3::Buckett", "eu-west-1", ["resource-type"]),
        ("AWS-S3-Bucket", "eu-west-1", ["resource-type"]),
        ("AWS::Serverless::Function", "eu-west-1", ["resource-type"]),
        ("AWS::SageMaker::TransformJob", "eu-west-1", ["resource-type"]),
        ("AWS::SageMaker::DataQualityJobDefinition", "eu-south-2", ["resource-region"]),
        ("AWS::SageMaker::DeviceFleet", "eu-west-1", ["schema-required"]),
    ],
)
def test_types_that_cloudformation_lacks_are_named(
    tmp_path: Path, kind: str, region: str, rules: list[str]
) -> None:
    found = problems(tmp_path, f"Resources: {{It: {{Type: '{kind}'}}}}\n", region)
    assert [*dict.fromkeys(problem.rule for problem in found)] == rules


def test_types_of_sam_are_known_where_its_transform_is(tmp_path: Path) -> None:
    text = "Transform: AWS::Serverless-2016-10-31\nResources: {It: {Type: AWS::Serverless::%s}}\n"
    assert problems(tmp_path, text % "Function") == []
    (problem,) = problems(tmp_path, text % "Functon")
    assert "did you mean AWS::Serverless::Function" in problem.message


def test_a_fault_stands_at_its_line_and_what_is_missing_at_what_lacks_it(tmp_path: Path) -> None:
    text = (
        "Resources:\n  It:\n    Type: AWS::S3::Bucket\n    Properties:\n"
        "      LifecycleConfiguration:\n        Rules:\n          - Stats: Enabled\n"
    )
    found = [(one.where.trail, one.message) for one in problems(tmp_path, text)]
    assert found == [
        (
            "It.LifecycleConfiguration.Rules[0].Stats",
            "Rules has no member 'Stats'; did you mean Status?",
        )
    ]


def test_a_finding_is_acknowledged_like_any_other(tmp_path: Path) -> None:
    text = "Metadata: {SageMakerServing: {acknowledge: {schema-unknown: new in this region}}}\n"
    (found,) = one(tmp_path, "S3::Bucket", "NewMember: 1", text)
    assert (found.severity, found.acknowledged) == (Severity.NOTE, "new in this region")


def test_without_the_schemas_a_note_says_what_was_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (check, sys.modules["sagemaker_serving.rules.template.schemas"]):
        monkeypatch.setattr(module, "schemas_are_here", lambda: False)
    (note,) = one(tmp_path, "S3::Bucket", "Nothing: 1")
    assert (note.rule, note.severity) == ("schemas-missing", Severity.NOTE)
    assert "sagemaker-serving[check]" in note.message


def test_cfn_lint_itself_is_not_imported(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text("Resources: {It: {Type: AWS::S3::Bucket, Properties: {Nothing: 1}}}\n")
    code = (
        "import sys; from pathlib import Path; from sagemaker_serving.rules import check_template, "
        "read_template\n"
        f"found = check_template(read_template(Path({str(path)!r})), 'eu-west-1')\n"
        "print([each.rule for each in found], 'cfnlint' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "['schema-unknown'] False\n"


@pytest.mark.parametrize(
    ("resources", "severity", "said"),
    [
        ("!Ref Name", Severity.WARNING, "by default of Name, BucketName is 'My_Bucket'"),
        ("!If [Big, My_B, b-b]", Severity.ERROR, "when condition Big is true, BucketName is"),
        (
            "!If [Big, !If [Old, My_B, b-b], b-b]",
            Severity.WARNING,
            "when condition Big is true and condition Old is true, BucketName is 'My_B'",
        ),
    ],
)
def test_what_a_deploy_would_have_to_choose_is_a_warning(
    tmp_path: Path, resources: str, severity: Severity, said: str
) -> None:
    more = (
        "Parameters: {Stage: {Type: String}, Name: {Type: String, Default: My_Bucket}}\n"
        "Conditions: {Big: !Equals [!Ref Stage, a], Old: !Equals [!Ref AWS::AccountId, a]}\n"
    )
    text = f"Type: AWS::S3::Bucket, Properties: {{BucketName: {resources}}}"
    path = tmp_path / "template.yaml"
    path.write_text(f"{more}Resources: {{It: {{{text}}}}}\n")
    (found,) = check_template(read_template(path), "eu-west-1", today=TODAY)
    assert (found.severity, said in found.message) == (severity, True), found
