"""A shell full of somebody's AWS: nothing of it is used, sent, or known to what runs here."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.deploy.conftest import Project
from tests.local_aws.aws import eventually
from tools.roles import trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

THEIRS = "belongs-to-the-user"
"""In every value of the shell that must not be found in any process."""

CONFIG = """\
[default]
credential_process = touch {home}/{theirs}
endpoint_url = {trap}
region = us-west-2
[profile {theirs}]
credential_process = touch {home}/{theirs}
endpoint_url = {trap}
sso_session = {theirs}
sso_account_id = 999988887777
sso_role_name = Administrator
[sso-session {theirs}]
sso_start_url = {trap}/start
sso_region = us-west-2
"""
HANDLER = """\
import json
import os


def handler(data, context):
    return json.dumps(dict(os.environ)), "application/json"
"""


class Trap:
    """A server that real AWS, a proxy, and an instance's metadata are said to be."""

    def __init__(self) -> None:
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._count, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()


@pytest.fixture(scope="module")
def trap() -> Iterator[Trap]:
    trap = Trap()
    yield trap
    trap.close()


@pytest.fixture(scope="module")
def home(trap: Trap, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with ``~/.aws`` and ``~/.cdk.json``, and with the true one's caches."""
    home = tmp_path_factory.mktemp("home")
    (home / ".aws").mkdir()
    text = CONFIG.format(home=home, theirs=THEIRS, trap=trap.url)
    for name in ("config", "credentials"):
        (home / ".aws" / name).write_text(text)
    (home / ".cdk.json").write_text(json.dumps({"profile": THEIRS, "proxy": trap.url}))
    (home / ".cache").symlink_to(Path.home() / ".cache")
    return home


@pytest.fixture(scope="module")
def shell(trap: Trap, home: Path) -> dict[str, str]:
    """What a user's shell may hold, every value of it a lead away from this machine."""
    services = ("S3", "STS", "CLOUDFORMATION", "SSM", "SAGEMAKER", "SAGEMAKER_RUNTIME", "IAM")
    return {
        "HOME": str(home),
        "AWS_PROFILE": THEIRS,
        "AWS_CONFIG_FILE": str(home / ".aws" / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(home / ".aws" / "credentials"),
        "AWS_ACCESS_KEY_ID": THEIRS,
        "AWS_SECRET_ACCESS_KEY": THEIRS,
        "AWS_SESSION_TOKEN": THEIRS,
        "AWS_REGION": "us-west-2",
        "AWS_DEFAULT_REGION": "us-west-2",
        "AWS_ENDPOINT_URL": f"{trap.url}/{THEIRS}",
        **{f"AWS_ENDPOINT_URL_{service}": f"{trap.url}/{THEIRS}" for service in services},
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "AWS_USE_DUALSTACK_ENDPOINT": "true",
        "AWS_CA_BUNDLE": f"/{THEIRS}.pem",
        "AWS_ROLE_ARN": f"arn:aws:iam::999988887777:role/{THEIRS}",
        "AWS_WEB_IDENTITY_TOKEN_FILE": str(home / ".cdk.json"),
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{trap.url}/{THEIRS}",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT": trap.url,
        "AWS_EC2_METADATA_DISABLED": "false",
        "CDK_DEFAULT_ACCOUNT": "999988887777",
        **dict.fromkeys(
            ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"),
            f"{trap.url}/{THEIRS}",
        ),
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, shell: dict[str, str]) -> Iterator[Project]:
    """Everything a user does, in that shell: up, deploy; its model has a handler."""
    project = Project(tmp_path_factory.mktemp("project"), shell)
    (project.model / "code").mkdir()
    (project.model / "code" / "inference.py").write_text(HANDLER)
    with project.deployed():
        yield project


def test_no_process_knows_anything_of_the_shell(project: Project) -> None:
    for process in _processes(project):
        found = [name for name, value in process.environ().items() if THEIRS in value]
        assert found == [], process.cmdline()


def test_a_handler_has_its_models_role_and_nothing_of_the_shell(project: Project) -> None:
    answer = project.run("predict", "trial-half", "{}", "--local")
    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)
    assert seen["MY_OWN"] == "1"
    assert [name for name, value in seen.items() if THEIRS in value] == []
    assert [name for name in seen if "proxy" in name.lower()] == []
    assert seen["AWS_ENDPOINT_URL"] == project.status["url"]
    assert seen["AWS_ACCESS_KEY_ID"].startswith("ASIA"), "those of the model's role"


def test_a_state_machine_asks_the_local_aws_who_it_is(project: Project) -> None:
    role = project.aws.client("iam").create_role(
        RoleName="asking", AssumeRolePolicyDocument=json.dumps(trust("states"))
    )["Role"]["Arn"]
    ask = {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:sts:getCallerIdentity"}
    definition = {"StartAt": "Ask", "States": {"Ask": {**ask, "End": True}}}
    states = project.aws.client("stepfunctions")
    machine = states.create_state_machine(
        name="asking", definition=json.dumps(definition), roleArn=role
    )["stateMachineArn"]
    started = states.start_execution(stateMachineArn=machine)["executionArn"]

    def look() -> Any:
        execution = states.describe_execution(executionArn=started)
        return None if execution["status"] == "RUNNING" else execution

    execution = eventually(look)
    assert json.loads(execution["output"])["Account"] == "123456789012"


def test_every_process_listens_on_the_loopback_only(project: Project) -> None:
    hosts = {
        connection.laddr.ip
        for process in _processes(project)
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }
    assert hosts
    assert hosts <= {"127.0.0.1", "::1"}


def test_what_env_prints_clears_the_shell_of_everything_else(
    project: Project, shell: dict[str, str]
) -> None:
    lines = project.run("local", "env").stdout.splitlines()
    unset = {line.removeprefix("unset ") for line in lines if line.startswith("unset ")}
    exported = dict(
        line.removeprefix("export ").split("=", 1) for line in lines if line.startswith("export ")
    )
    left = {name for name in shell if name.startswith("AWS_")} - unset - exported.keys()
    assert left == set()
    assert THEIRS not in "".join(exported.values())
    assert exported["no_proxy"] == "localhost"


def test_nothing_was_sent_to_any_other_place(project: Project, trap: Trap, home: Path) -> None:
    assert project.status["url"].startswith("http://localhost:")
    assert trap.connections == 0
    assert not (home / THEIRS).exists(), "a profile's credential_process was run"


def test_the_trap_would_have_noticed(trap: Trap) -> None:
    """So that the test above is worth something."""
    before = trap.connections
    host, port = trap.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.recv(1)
    assert trap.connections == before + 1


def _processes(project: Project) -> list[Any]:
    daemon = psutil.Process(project.status["pid"])
    return [daemon, *daemon.children(recursive=True)]
