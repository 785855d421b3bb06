"""Deploying again, by an app that waits and without the CDK CLI: nothing else is different."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.credentials import ACCOUNT_ID
from local_aws.process.cdk import CdkCli
from sagemaker_serving.client import Predictor
from tests.deploy.conftest import REGION, Project

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]

HANDLER = """\
import json

def input_handler(data, context):
    return data.read()

def output_handler(response, context):
    return json.dumps({"version": VERSION}), "application/json"
"""
BY_THE_CLI = "by the CDK CLI"
STACKS = ("trial-Storage", "trial-half")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    project = Project(tmp_path_factory.mktemp("project"))
    write(project, "1")
    with project.deployed():
        assert answer(project) == 1
        yield project


def write(project: Project, version: str) -> None:
    code = project.model / "code"
    code.mkdir(exist_ok=True)
    (code / "inference.py").write_text(HANDLER.replace("VERSION", version))


def answer(project: Project) -> int:
    answered = Predictor("trial-half", project.aws).invoke('{"instances": [1.0]}').json()
    return int(answered["version"])


def deploys(project: Project) -> str:
    """What a deploy says that goes well."""
    ended = project.deploy()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "in service: trial-half" in ended.stdout
    return ended.stderr


def templates(project: Project) -> dict[str, Any]:
    client = project.aws.client("cloudformation")
    return {name: client.get_template(StackName=name)["TemplateBody"] for name in STACKS}


def whole(project: Project, log: io.TextIOWrapper) -> CdkCli:
    return CdkCli(project.folder, project.address, REGION, log=log)


def test_the_first_deploy_needs_no_reason_to_go_by_the_cli(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run("local", "up", "--port", "0").returncode == 0
    assert BY_THE_CLI not in deploys(project)
    assert project.run("local", "down").returncode == 0


def test_a_changed_handler_answers_and_the_stacks_are_those_of_a_whole_deploy(
    project: Project, tmp_path: Path
) -> None:
    write(project, "2")
    said = deploys(project)
    assert BY_THE_CLI not in said
    assert "  created   1 AWS::SageMaker::Model" in said.splitlines()
    assert answer(project) == 2

    assembly = tmp_path / "cdk.out"
    with (tmp_path / "log").open("w") as log:
        cli = whole(project, log)
        cli.synth(assembly, {"env": "trial", "account": ACCOUNT_ID, "organization": "none"})
        written = {
            artifact["properties"]["stackName"]: json.loads(
                (assembly / artifact["properties"]["templateFile"]).read_text()
            )
            for artifact in json.loads((assembly / "manifest.json").read_text())[
                "artifacts"
            ].values()
            if artifact["type"] == "aws:cloudformation:stack"
        }
        assert templates(project) == written
        cli.deploy(assembly)
    assert (tmp_path / "log").read_text().count("(no changes)") == len(STACKS)


def test_what_somebody_else_changed_is_put_right_as_by_the_cli(project: Project) -> None:
    client = project.aws.client("cloudformation")
    wanted = templates(project)
    other = {**wanted["trial-half"], "Outputs": {"Theirs": {"Value": "2"}}}
    asked = {"StackName": "trial-half", "TemplateBody": json.dumps(other)}
    client.update_stack(**asked, Capabilities=["CAPABILITY_IAM"])
    client.get_waiter("stack_update_complete").wait(
        StackName="trial-half", WaiterConfig={"Delay": 1}
    )
    assert BY_THE_CLI not in deploys(project)
    assert templates(project) == wanted


def test_after_the_local_aws_came_again_the_first_synth_is_the_clis(project: Project) -> None:
    assert project.run("local", "down").returncode == 0
    up = project.run("local", "up", "--port", "0")
    assert up.returncode == 0, up.stderr
    write(project, "5")
    said = deploys(project)
    assert f"  {BY_THE_CLI}: no synth has made it ready yet\n" in said
    assert said.count(BY_THE_CLI) == 1
    assert answer(project) == 5
