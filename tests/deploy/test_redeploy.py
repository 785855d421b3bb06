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


def test_another_field_of_the_file_is_deployed_as_well(project: Project) -> None:
    text = project.environment_file.read_text()
    project.environment_file.write_text(text.replace('MY_OWN: "1"', 'MY_OWN: "2"'))
    assert BY_THE_CLI not in deploys(project)
    (model,) = project.resources("Model")
    described = project.aws.client("sagemaker").describe_model(ModelName=model)
    assert described["PrimaryContainer"]["Environment"]["MY_OWN"] == "2"


def test_own_code_of_the_app_is_read_anew(project: Project) -> None:
    path = project.folder / "stacks" / "serving.py"
    last = "        read_earlier_archives(environment, model, serving.role)\n"
    text = path.read_text()
    assert last in text
    path.write_text(text.replace(last, f'{last}        cdk.CfnOutput(self, "Mine", value="1")\n'))
    assert BY_THE_CLI not in deploys(project)
    assert templates(project)["trial-half"]["Outputs"]["Mine"] == {"Value": "1"}


def test_another_setting_of_the_app_is_named_and_left_to_the_cli(project: Project) -> None:
    path = project.folder / "cdk.json"
    settings = json.loads(path.read_text())
    settings["context"]["mine"] = True
    path.write_text(json.dumps(settings))
    said = deploys(project)
    assert f"  {BY_THE_CLI}: {path} is not as it was\n" in said
    assert said.count(BY_THE_CLI) == 1, "the stacks are updated without it"
    assert BY_THE_CLI not in deploys(project)


def test_a_handler_that_does_not_parse_is_refused_before_anything_runs(project: Project) -> None:
    before, text = templates(project), (project.model / "code" / "inference.py").read_text()
    (project.model / "code" / "inference.py").write_text("def input_handler(:\n")
    try:
        ended = project.deploy()
    finally:
        (project.model / "code" / "inference.py").write_text(text)
    assert ended.returncode == 2
    assert "synthesizing" not in ended.stderr
    assert templates(project) == before


def test_a_failed_update_is_rolled_back_and_the_mended_handler_is_deployed(
    project: Project,
) -> None:
    serves = answer(project)
    (project.model / "code" / "inference.py").write_text(f"{HANDLER}raise OSError('not this one')")
    ended = project.deploy()
    assert ended.returncode == 1
    assert "\nsagemaker-serving: cdk deploy failed: trial-half: Endpoint" in ended.stderr
    assert "not this one" in ended.stderr
    assert answer(project) == serves
    write(project, "3")
    assert BY_THE_CLI not in deploys(project)
    assert answer(project) == 3


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


def test_a_deploy_at_the_same_time_says_that_one_runs(project: Project) -> None:
    write(project, "4")
    with project.begin("local", "deploy", "trial") as first:
        lock = project.state_dir / "cdk.out-trial.lock"
        while held_by_nobody(lock):
            assert first.poll() is None
        second = project.deploy()
        first.wait(240)
    assert (second.returncode, first.returncode) == (2, 0)
    assert "another deploy or destroy of trial runs" in second.stderr
    assert answer(project) == 4


def held_by_nobody(lock: Path) -> bool:
    import fcntl

    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_deleted_stack_is_made_anew_by_the_cli(project: Project) -> None:
    client = project.aws.client("cloudformation")
    client.delete_stack(StackName="trial-half")
    client.get_waiter("stack_delete_complete").wait(
        StackName="trial-half", WaiterConfig={"Delay": 1}
    )
    said = deploys(project)
    assert f"  {BY_THE_CLI}: Stack with id trial-half does not exist\n" in said
    assert answer(project) == 4


def test_after_the_local_aws_came_again_the_first_synth_is_the_clis(project: Project) -> None:
    assert project.run("local", "down").returncode == 0
    up = project.run("local", "up", "--port", "0")
    assert up.returncode == 0, up.stderr
    write(project, "5")
    said = deploys(project)
    assert f"  {BY_THE_CLI}: no synth has made it ready yet\n" in said
    assert said.count(BY_THE_CLI) == 1
    assert answer(project) == 5
