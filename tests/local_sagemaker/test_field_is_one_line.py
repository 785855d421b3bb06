"""A member that AWS adds takes one line of ``spec``, and works from file to DescribeEndpointConfig.

It is made up: a copy of the package has the line, and what botocore reads of SageMaker has the
member. A process of its own runs the copy, so that nothing of it stays.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree
from typing import Any

ROOT = Path(__file__).parents[2]
LINE = {
    "variants.py": (
        "    instance_type: Annotated[str, Field(default_factory=first_choice)]\n",
        '    made_up_seconds: Annotated[int | None, Aws("Made.UpSECONDS")] = None\n'
        '    """How long nothing happens."""\n\n',
    ),
    "data_capture.py": (
        "    sampling_percent:",
        '    made_up_kind: str | None = None\n    """What else is kept."""\n\n',
    ),
}
MEMBERS = {
    "ProductionVariant": ("Made", "MadeUp"),
    "DataCaptureConfig": ("MadeUpKind", "MadeUpText"),
}
ENVIRONMENT = """\
name: new
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    data_capture: {sampling_percent: 5, made_up_kind: all}
    variants:
      - name: all
        instance_type: ml.m5.large
        made_up_seconds: MADE_UP
"""
PROGRAM = r"""
import json, sys
from pathlib import Path
from botocore.loaders import JSONFileLoader

read, members, folder = JSONFileLoader.load_file, json.loads(sys.argv[1]), Path(sys.argv[2])

def with_made_up_members(self, path):
    found = read(self, path)
    shapes = (found or {}).get("shapes", {})
    if "ProductionVariant" in shapes:
        shapes["MadeUpText"], shapes["MadeUpNumber"] = {"type": "string"}, {"type": "integer"}
        inner = {"UpSECONDS": {"shape": "MadeUpNumber"}}
        shapes["MadeUp"] = {"type": "structure", "members": inner}
        for shape, (member, kind) in members.items():
            shapes[shape]["members"][member] = {"shape": kind}
    return found

JSONFileLoader.load_file = with_made_up_members

import aws_cdk as cdk
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.operations.adoption import adopt
from sagemaker_serving.rules import check_environment, template_of
from sagemaker_serving.spec import environment_schema, read_environment
from stacks import EnvironmentStage
from tests.local_aws.aws import stand_in_aws
from tools.docs.fields import page

path = folder / "new.yaml"
told = path.read_text()
path.write_text(told.replace("MADE_UP", "soon"))
wrong = [str(problem) for problem in check_environment(read_environment(path))]
path.write_text(told.replace("MADE_UP", "7"))
file = read_environment(path)
right = [str(problem) for problem in check_environment(file)]

app = cdk.App(outdir=str(folder / "cdk.out"))
stage = EnvironmentStage(app, file.environment, folder=folder)
assembly = app.synth().get_nested_assembly(stage.artifact_id)
template = assembly.get_stack_artifact(stage.node.find_child("digits").artifact_id).template
(config,) = (
    each["Properties"]
    for each in template["Resources"].values()
    if each["Type"] == "AWS::SageMaker::EndpointConfig"
)
adopted = adopt(template_of(template["Resources"]), name="new", region="eu-west-1")

config["ProductionVariants"][0]["ModelName"] = "written"
config["DataCaptureConfig"]["DestinationS3Uri"] = "s3://models/captured"
with stand_in_aws(folder, Settings()) as aws:
    aws.model("written")
    aws.sagemaker.create_endpoint_config(EndpointConfigName="made-up", **config)
    described = aws.sagemaker.describe_endpoint_config(EndpointConfigName="made-up")
print(json.dumps({
    "wrong": wrong,
    "right": right,
    "schema": "made_up_seconds" in json.dumps(environment_schema()),
    "page": [line for line in page().splitlines() if "made_up_seconds" in line],
    "adopted": [line.strip() for line in adopted.text.splitlines() if "made_up" in line],
    "variant": described["ProductionVariants"][0],
    "capture": described["DataCaptureConfig"],
}))
"""


def test_a_made_up_member_works_at_every_door_by_one_line(tmp_path: Path) -> None:
    said = told_of_a_copy(tmp_path)
    assert said["right"] == []
    (wrong,) = said["wrong"]
    assert "new.yaml:12" in wrong
    assert "made_up_seconds" in wrong
    assert said["schema"]
    assert said["page"] == ["| `made_up_seconds` | whole number |  | How long nothing happens. |"]
    assert said["variant"]["Made"] == {"UpSECONDS": 7}
    assert said["capture"]["MadeUpKind"] == "all"
    assert sorted(said["adopted"]) == ["made_up_kind: all", "made_up_seconds: 7"]


def told_of_a_copy(folder: Path) -> dict[str, Any]:
    package = folder / "constructs" / "sagemaker_serving"
    copytree(ROOT / "constructs" / "sagemaker_serving", package)
    for name, (before, line) in LINE.items():
        source = package / "spec" / name
        text = source.read_text()
        assert text.count(before) == 1
        source.write_text(text.replace(before, line + before))
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    (folder / "new.yaml").write_text(ENVIRONMENT)
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(MEMBERS), str(folder)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(package.parent), str(ROOT)]),
            "CDK_VALIDATION": "false",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found
