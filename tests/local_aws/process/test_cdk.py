"""What the CDK CLI is started with: a stand-in for it writes down what it was given."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from local_aws.credentials import ACCOUNT_ID
from local_aws.process.cdk import CdkCli
from sagemaker_serving.errors import DeployFailed, Mistake
from tests.leaving import LEAVE, Killed, Note, gone, program, said
from tests.local_aws.aws import REGION, Aws, address_of, eventually, shell_of

STAND_IN = """\
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const given = { arguments: process.argv.slice(2), folder: process.cwd(), environment: process.env };
fs.writeFileSync(path.join(__dirname, "given.json"), JSON.stringify(given));
if (fs.existsSync(path.join(__dirname, "app.json"))) {
  const [program, ...rest] = JSON.parse(fs.readFileSync(path.join(__dirname, "app.json")));
  spawnSync(program, rest, { stdio: "inherit" });
}
process.exit(given.arguments.includes("destroy") ? 1 : 0);
"""
"""Runs an app if there is one; ends with 1 when it is to destroy."""


class Project:
    """A CDK app whose CLI is the stand-in."""

    def __init__(self, folder: Path, aws: Aws) -> None:
        self.folder = folder
        self._cli = folder / "node_modules" / "aws-cdk" / "bin" / "cdk"
        self._cli.parent.mkdir(parents=True)
        self._cli.write_text(STAND_IN)
        (folder / "cdk.json").write_text("{}")
        self.cdk = CdkCli(folder, address_of(aws.gateway), REGION)

    def app(self, *command: str) -> None:
        """Have the CLI run this, as it does an app to synthesize it."""
        (self._cli.parent / "app.json").write_text(json.dumps(command))

    @property
    def given(self) -> Any:
        return json.loads((self._cli.parent / "given.json").read_text())


@pytest.fixture
def project(aws: Aws, tmp_path: Path) -> Project:
    return Project(tmp_path, aws)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "AWS_ROLE_ARN",
        "AWS_SESSION_TOKEN",
        "AWS_ENDPOINT_URL_S3",
        "HTTPS_PROXY",
        "SECRET",
    ):
        monkeypatch.setenv(name, "theirs")


@pytest.mark.usefixtures("shell")
@pytest.mark.parametrize("command", ["synth", "deploy", "bootstrap"])
def test_the_cli_knows_nothing_of_the_shell(project: Project, aws: Aws, command: str) -> None:
    arguments = {"synth": (Path("out"),), "deploy": (Path("out"),), "bootstrap": ()}[command]
    getattr(project.cdk, command)(*arguments)
    environment = project.given["environment"]
    assert "theirs" not in environment.values()
    by_number = {"AWS_ENDPOINT_URL": aws.url.replace("localhost", "127.0.0.1")}
    assert environment.items() >= {**shell_of(aws.gateway), **by_number}.items()
    _, second, *_ = environment["PATH"].split(os.pathsep)
    assert second == str(Path(sys.executable).parent), "whose npx works"
    assert environment["AWS_REGION"] == REGION
    assert environment["AWS_CONFIG_FILE"] == os.devnull


def test_the_app_is_synthesized_in_its_folder(project: Project) -> None:
    project.cdk.synth(Path("out"), {"env": "dev", "account": ACCOUNT_ID})
    assert project.given["folder"] == str(project.folder)
    assert project.given["environment"]["HOME"] == str(Path.home())


@pytest.mark.parametrize("command", ["deploy", "bootstrap"])
def test_a_deploy_finds_no_settings_that_name_a_profile(project: Project, command: str) -> None:
    """Neither ``~/.cdk.json`` nor the project's own ``cdk.json``."""
    getattr(project.cdk, command)(*((Path("out"),) if command == "deploy" else ()))
    given = project.given
    assert given["folder"] == given["environment"]["HOME"] != str(project.folder)
    assert not Path(given["folder"]).exists()


def test_an_assembly_is_found_from_wherever_the_cli_runs(project: Project) -> None:
    project.cdk.deploy(Path("out"))
    assert f"--app={Path.cwd() / 'out'}" in project.given["arguments"]


def test_a_cli_that_fails_without_a_resources_reason_is_told_by_its_status(
    project: Project,
) -> None:
    with pytest.raises(DeployFailed, match="cdk destroy failed: the CDK CLI ended with 1"):
        project.cdk.destroy(Path("out"))


def test_a_protected_stack_that_was_never_made_is_named_with_what_lets_it_be_made_again(
    project: Project, aws: Aws
) -> None:
    cloudformation = aws.client("cloudformation")
    made = {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "not a name"}}
    body = json.dumps({"Resources": {"Topic": made}})
    cloudformation.create_stack(
        StackName="prod-digits", TemplateBody=body, EnableTerminationProtection=True
    )
    asked = {"StackName": "prod-digits"}
    (stack,) = eventually(
        lambda: [
            one
            for one in cloudformation.describe_stacks(**asked)["Stacks"]
            if one["StackStatus"] == "ROLLBACK_COMPLETE"
        ]
    )
    try:
        with pytest.raises(DeployFailed, match="first deploy of prod-digits failed") as caught:
            project.cdk.destroy(project.folder)
        command = str(caught.value).partition("aws cloudformation ")[2].split()
        assert command[:2] == [
            "update-termination-protection",
            "--no-enable-termination-protection",
        ]
        assert command[2:] == ["--stack-name", stack["StackName"]]
    finally:
        cloudformation.update_termination_protection(**asked, EnableTerminationProtection=False)
        cloudformation.delete_stack(**asked)


def test_a_folder_without_an_app_is_a_mistake(aws: Aws, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"there is no cdk\.json"):
        CdkCli(tmp_path, address_of(aws.gateway), REGION)


STAYS = f"{LEAVE}\nleave(_sys.argv[1])\n_signal.pause()\n"
DEPLOYS = """
import sys
from pathlib import Path
from sagemaker_serving.errors import ReportedError
from local_aws.process.address import Address
from local_aws.process.cdk import CdkCli
from local_aws.credentials import Credentials

folder, state_dir, url, pid, command, log = sys.argv[1:]
with open(log, "w") as output:
    address = Address(url=url, pid=int(pid), credentials=Credentials.of(Path(state_dir)))
    cdk = CdkCli(Path(folder), address, "eu-west-1", log=output)
    given = {"synth": (Path("out"),), "deploy": (Path("out"),)}[command]
    try:
        getattr(cdk, command)(*given)
    except ReportedError as error:
        print(error)
"""


@pytest.fixture
def note(tmp_path: Path) -> Note:
    return Note(tmp_path / "note")


def test_what_an_app_leaves_ends_with_the_cli(project: Project, note: Note) -> None:
    project.app(sys.executable, "-c", f"{LEAVE}\nleave({str(note)!r})")
    project.cdk.synth(Path("out"), {"env": "dev", "account": ACCOUNT_ID})
    assert note.nothing_is_left()


@pytest.mark.parametrize("command", ["synth", "deploy"])
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "the local AWS"])
def test_node_and_the_app_end_with_who_runs_them_and_with_the_local_aws(
    project: Project, aws: Aws, tmp_path: Path, note: Note, command: str, name: str
) -> None:
    project.app(sys.executable, "-c", STAYS, str(note))
    with Killed(["sleep", "600"]) as local_aws:
        at = (aws.gateway.context.state_dir, aws.url, local_aws.pid)
        with program(DEPLOYS, project.folder, *at, command, tmp_path / "log") as deploying:
            note.wait()
            below = [each.pid for each in psutil.Process(deploying.pid).children(recursive=True)]
            if name == "the local AWS":
                local_aws.kill()
                assert said(deploying).startswith(
                    f"the local AWS (process {local_aws.pid}) has ended; start it again with"
                )
            else:
                deploying.send_signal(getattr(signal, name))
            assert note.nothing_is_left()
            assert gone([deploying.pid, *below])
        local_aws.kill()
    assert len(below) >= 5, "supervisor, node, the app, and what that left"
