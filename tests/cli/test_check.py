"""`check` on templates of any project, and in the forms that programs read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import on_a_terminal

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]

YAML = """\
AWSTemplateFormatVersion: 2010-09-09
Parameters: {Count: {Type: Number, Default: 1}}
Resources:
  Model:
    Type: AWS::SageMaker::Model
    Properties:
      ExecutionRoleArn: !GetAtt Role.Arn
      PrimaryContainer:
        Image: !Sub 763104351884.dkr.ecr.${AWS::Region}.amazonaws.com/djl-inference:0.36.0-gpu
        ModelDataUrl: !Join ['', ['s3://', !Ref Bucket, '/model.tar.gz']]
  Config:
    Type: AWS::SageMaker::EndpointConfig
    Properties:
      ProductionVariants:
        - VariantName: blue
          ModelName: !GetAtt Model.ModelName
          InstanceType: ml.t3.medium
          InitialInstanceCount: !Ref Count
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {Statement: {Effect: Allow, Principal: "*", Action: "sts:*"}}
      ManagedPolicyArns: [arn:aws:iam::aws:policy/AmazonSageMakerFullAccess]
  Bucket: {Type: AWS::S3::Bucket}
Parameters:
  Count: {Type: Number}
"""
SAID = (
    "template.yaml:17 Config.ProductionVariants[0].InstanceType: InstanceType is 'ml.t3.medium'; "
    "endpoints do not take it; use ml.t2.medium"
)


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template.yaml"
    path.write_text(YAML)
    return path


def test_a_template_is_judged_with_line_logical_id_and_property(run: Run, template: Path) -> None:
    ended = run("check", template.name, "--region", "eu-west-1")
    assert ended.returncode == 2
    assert ended.stdout == f"error: {SAID} [endpoint-instance-type]\n"


ENVIRONMENT = """
name: dev
region: eu-west-1
models:
  digits:
    artifact: s3://bucket/model.tar.gz
    framework: tensorflow
    framework_version: "2.20"
    variants:
    - {name: a, instance_type: ml.p3.2xlarge}
    - {name: b, instance_type: ml.c5.xlarge}
"""


def test_which_image_each_variant_gets_and_why_is_told_where_it_is_asked(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "dev.yaml").write_text(ENVIRONMENT)
    said = run("check", "dev.yaml", "--verbose").stdout
    registry = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference"
    for told in (
        f"variants[0] 'a': its image is {registry}:2.20-gpu-py312, "
        "for GPUs: ml.p3.2xlarge has 1 GPU [image-chosen]",
        f"variants[1] 'b': its image is {registry}:2.20-cpu-py312, "
        "for CPUs: ml.c5.xlarge has no GPU [image-chosen]",
    ):
        assert told in said
    assert "image-chosen" not in run("check", "dev.yaml").stdout
    refused = run("check", "--template", "dev.yaml", "--verbose")
    assert "--verbose is of environment files, and --template is given" in refused.stderr


WITHOUT_IMAGE = {"M": {"Type": "AWS::SageMaker::Model", "Properties": {"PrimaryContainer": {}}}}


def test_each_file_is_judged_as_what_it_holds(run: Run, template: Path, tmp_path: Path) -> None:
    (tmp_path / "dev.yaml").write_text(ENVIRONMENT)
    (tmp_path / "one-line.json").write_text(json.dumps({"Resources": WITHOUT_IMAGE}))
    (tmp_path / "plan.json").write_text(json.dumps({"resource_changes": []}))
    states = {"A": {"Type": "Task", "Resource": "arn:aws:states:::lambda:call", "End": True}}
    (tmp_path / "machine.asl.json").write_text(json.dumps({"StartAt": "A", "States": states}))
    assembly = tmp_path / "cdk.out"
    assembly.mkdir()
    (assembly / "manifest.json").write_text(json.dumps({"artifacts": {}}))
    files = ("dev.yaml", template.name, "one-line.json", "plan.json", "cdk.out", "machine.asl.json")
    together = run("check", *files, "--region", "eu-west-1").stdout.splitlines()
    alone = [
        line
        for each in (
            ("dev.yaml",),
            *(
                ("--template", name)
                for name in (template.name, "one-line.json", "machine.asl.json")
            ),
        )
        for line in run("check", *each, "--region", "eu-west-1").stdout.splitlines()
    ]
    assert sorted(together) == sorted(alone)
    assert "the integration lambda has no call" in str(together)
    refused = run("check", "dev.yaml", template.name, "--account")
    assert f"--account is of environment files, and {template.name} is none" in refused.stderr


def test_without_files_every_environment_is_checked(run: Run, tmp_path: Path) -> None:
    none = run("check")
    assert none.returncode == 2
    assert "there are no environment files in environments/; name the FILES" in none.stderr
    assert "name the FILES that --plan is for" in run("check", "--plan").stderr
    folder = tmp_path / "environments"
    folder.mkdir()
    for name in ("dev", "prod"):
        (folder / f"{name}.yaml").write_text(ENVIRONMENT.replace("name: dev", f"name: {name}"))
    (folder / "_base.yaml").write_text("models: 1\n")
    assert run("check").stdout == run("check", "dev", "prod").stdout != ""


@pytest.mark.parametrize("variable", ["AWS_REGION", "AWS_DEFAULT_REGION"])
def test_the_region_comes_from_the_shell(run: Run, template: Path, variable: str) -> None:
    template.write_text(YAML.replace("ml.t3.medium", "ml.p4d.24xlarge"))
    ended = run("check", template.name, **{variable: "af-south-1"})
    assert ended.returncode == 0
    assert "the price list of af-south-1 lacks it" in ended.stdout
    assert "names the account 763104351884 for djl-inference; in af-south-1 it is 6266" in (
        ended.stdout
    )


def test_without_a_region_it_says_what_did_not_run(run: Run, template: Path) -> None:
    template.write_text(YAML.replace("ml.t3.medium", "ml.g4dn.xlarge"))
    ended = run("check", template.name)
    assert ended.returncode == 0
    assert ended.stdout == (
        "note: template.yaml:1: no region is given, so the rules on what a region offers did not "
        "run; give --region, or set AWS_REGION [region-unknown]\n"
    )


def test_a_misspelt_region_is_named(run: Run, template: Path) -> None:
    ended = run("check", template.name, "--region", "eu-west-11")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "region is 'eu-west-11'; SageMaker hosting is not offered there; did you mean" in (
        ended.stderr
    )


def test_sarif_has_the_rule_the_level_and_the_line(run: Run, template: Path) -> None:
    ended = run("check", template.name, "--region", "eu-west-1", "--format", "sarif")
    assert ended.returncode == 2
    (found,) = json.loads(ended.stdout)["runs"]
    (rule,) = found["tool"]["driver"]["rules"]
    (result,) = found["results"]
    assert rule["id"] == result["ruleId"] == "endpoint-instance-type"
    assert result["level"] == "error"
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "template.yaml"},
        "region": {"startLine": 17},
    }


def test_github_gets_an_annotation_with_its_marks_encoded(run: Run, template: Path) -> None:
    template.write_text(YAML.replace("ml.t3.medium", '"100%,\\n:"'))
    ended = run("check", template.name, "--region", "eu-west-1", "--format", "github")
    (line,) = ended.stdout.splitlines()
    assert line.startswith("::error file=template.yaml,line=17,title=endpoint-instance-type::")
    assert "'100%25," in line


def test_programs_get_empty_results_when_nothing_is_wrong(run: Run) -> None:
    path = str(ROOT / "environments" / "prod.yaml")
    assert json.loads(run("check", path, "--format", "json").stdout) == []
    assert json.loads(run("check", path, "--format", "sarif").stdout)["runs"][0]["results"] == []
    assert run("check", path, "--format", "github").stdout == ""


def test_files_that_cannot_be_read_hide_no_other(run: Run, template: Path) -> None:
    """In a folder or named, of whatever kind."""
    folder = template.parent
    written = {
        "latin.yaml": "name: latin\n# größe\nmodels: {}\n".encode("latin-1"),
        "wide.yaml": "name: wide\n".encode("utf-16"),
        "zip.yaml": b"PK\x03\x04\x14\0\x08\0",
        "nul.yml": b"name: nul\nregion: x\0y\n",
        "cut.json": b'{"Resources": {\n"A": {"Type": "AWS::S3::Bucket",}}',
        "wrong.yaml": b"name: wrong\n",
        "_base.yaml": b"nonsense: 1\n",
        "notes.json": b"[]",
    }
    for name, content in written.items():
        (folder / "mine" / name).parent.mkdir(exist_ok=True)
        (folder / "mine" / name).write_bytes(content)
    ended = run("check", "mine", "gone.yaml", "empty", "--json")
    found = [(one["file"], one["line"], one["message"]) for one in json.loads(ended.stdout)]
    for place, line, said in (
        ("mine/latin.yaml", 2, "byte 0xf6 is not UTF-8; save the file as UTF-8"),
        ("mine/wide.yaml", 1, "UTF-16; save the file as UTF-8"),
        ("mine/zip.yaml", None, "this is a plan as Terraform packs it, in a zip"),
        ("mine/nul.yml", 2, "it has the control character"),
        ("mine/cut.json", 2, "this is not JSON that can be read"),
        ("mine/wrong.yaml", 1, "'region' is missing"),
        ("gone.yaml", None, "there is no such file"),
    ):
        assert [one for one in found if one[:2] == (place, line) and said in one[2]], found
    assert not [one for one in found if "_base" in one[0] or "notes" in one[0]]
    assert ended.returncode == 2


def test_what_a_folder_has_besides_is_named(run: Run, template: Path) -> None:
    """A plan that was cut off, or printed as text, is not taken for one that is right."""
    (template.parent / "plan.json").write_text("Terraform will perform the following actions:\n")
    template.unlink()
    (template.parent / "one.json").write_text('{"Resources": {"A": {"Type": "AWS::SNS::Topic"}}}')
    told = "not looked at, since neither template, plan nor state machine: plan.json\n"
    ended = run("check", ".", "--region", "eu-west-1")
    assert (ended.stdout, ended.stderr) == ("1 file: nothing is wrong\n", told)
    (template.parent / "one.json").write_text('{"Resources": {"A": {"Type": "AWS::SNS::Topc"}}}')
    assert told in run("check", ".", "--region", "eu-west-1", "--json").stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "there is no mapping Resources; this is no CloudFormation template"),
        ("Resources: [", "this is not YAML that can be read"),
        ('{"Resources": {}', "1: this is not JSON that can be read"),
    ],
)
def test_what_is_no_template_is_said_to_be_none(
    run: Run, template: Path, text: str, said: str
) -> None:
    template.write_text(text)
    ended = run("check", "--template", template.name)
    assert ended.returncode == 2
    assert said in ended.stdout
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("https://example.com/stack.yaml", "https://… is an address; download the file"),
        ("main.tf", "main.tf is Terraform's own; give a plan"),
    ],
)
def test_what_check_cannot_read_is_told_with_what_it_takes(
    run: Run, template: Path, given: str, said: str
) -> None:
    (template.parent / "main.tf").write_text('resource "aws_sagemaker_model" "m" {}\n')
    ended = run("check", given)
    assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr


def test_json_with_tabs_has_no_lines_but_is_judged(run: Run, template: Path) -> None:
    template.write_text(
        json.dumps({"Resources": {"C": {"Type": "AWS::SageMaker::CompilationJob"}}}, indent="\t")
    )
    ended = run("check", template.name, "--region", "eu-west-1")
    assert ended.returncode == 2
    assert "C.Type: CloudFormation has no type AWS::SageMaker::CompilationJob" in ended.stdout


def test_a_fault_of_a_file_of_acknowledgements_is_said_once(run: Run, template: Path) -> None:
    template.write_text(YAML.replace("ml.t3.medium", "ml.g4dn.xlarge"))
    (template.parent / "other.yaml").write_text(template.read_text())
    (template.parent / "kept.yaml").write_text("instance-retierd: moves in March\n")
    files = ("--template", template.name, "other.yaml", "--region", "eu-west-1")
    ended = run("check", *files, "--acknowledge", "kept.yaml")
    assert ended.returncode == 2
    assert ended.stdout.count("there is no rule 'instance-retierd'") == 1


def test_a_name_in_a_file_steers_no_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "env.yaml").write_text('models: {"m\\e]0;owned\\a\\e[2J": {}}\n')
    shown = on_a_terminal(tmp_path, "check", "env.yaml")
    assert "m\\u001b]0;owned\\u0007\\u001b[2J" in shown
    assert not any(sequence in shown for sequence in ("\x1b]", "\x1b[2J", "\x07"))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown.replace("\r\n", "\n"))
    assert run("check", "env.yaml").stdout == plain, "in a pipe alike"


def test_the_severity_has_a_colour_on_a_terminal_and_none_where_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dev.yaml").write_text("name: dev\nregoin: eu-west-1\n")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[1;31merror\x1b[0m: dev.yaml:2" in on_a_terminal(tmp_path, "check", "dev.yaml")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in on_a_terminal(tmp_path, "check", "dev.yaml")


def test_an_assembly_that_is_sound_tells_its_templates(run: Run, tmp_path: Path) -> None:
    assembly = tmp_path / "cdk.out"
    assembly.mkdir()
    stacks = {
        name: {
            "type": "aws:cloudformation:stack",
            "environment": "aws://unknown-account/eu-west-1",
            "properties": {"templateFile": f"{name}.template.json"},
        }
        for name in ("one", "two")
    }
    (assembly / "manifest.json").write_text(json.dumps({"artifacts": stacks}))
    for name in stacks:
        queue = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}
        (assembly / f"{name}.template.json").write_text(json.dumps(queue))
    (tmp_path / "dev.json").write_text(json.dumps(queue))
    assert run("check", "cdk.out").stdout == "2 templates of cdk.out: nothing is wrong\n"
    both = run("check", "cdk.out", "dev.json", "--region", "eu-west-1").stdout
    assert both == "1 file, 2 templates of cdk.out: nothing is wrong\n"
