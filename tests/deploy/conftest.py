"""A project of one's own, deployed to a local AWS by the real CDK CLI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

import psutil
import pytest

from local_aws.gateway import Gateway
from local_aws.process.address import Address, answers, find
from local_aws.process.denied import Denied, denied_calls
from sagemaker_serving.client import Aws, Predictor
from sagemaker_serving.errors import ReportedError
from tests.cli.conftest import begun
from tests.local_aws.aws import GATEWAYS, stand_in_aws
from tests.local_aws.aws import Aws as LocalAws

ROOT = Path(__file__).parents[2]
REGION = "eu-west-1"
ENVIRONMENT = """\
name: trial
region: eu-west-1
account: "111122223333"             # the local AWS is deployed to all the same
models:
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    environment: {MY_OWN: "1"}
    batching:
      max_batch_size: 4
      batch_timeout_micros: 500
      num_batch_threads: 2
      max_enqueued_batches: 10
    server: {inter_op_parallelism: 1, intra_op_parallelism: 1, gunicorn_timeout_seconds: 45}
    variants:
      - {name: cpu, instance_type: ml.c5.large}
"""


PROJECTS: WeakSet[Project] = WeakSet()


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAws]:
    """A gateway whose model servers are stand-ins; files with other needs have one of their own."""
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        yield local


@pytest.fixture(scope="module", autouse=True)
def gateways_before() -> list[Gateway]:
    """Those that tests of other files made, which may deny what they like."""
    return list(GATEWAYS)


@pytest.fixture(autouse=True)
def nothing_else_was_denied(
    request: pytest.FixtureRequest, gateways_before: list[Gateway]
) -> Iterator[None]:
    """What a local AWS denied until the end of the test fails it, unless the test expects that:
    ``@pytest.mark.denied("s3:GetObject")``. Each is told once."""
    yield
    own = set(GATEWAYS).difference(gateways_before)
    judged = [entry.as_json() for gateway in own for entry in gateway.context.evaluator.trail]
    for project in PROJECTS:
        if answers(project.state_dir):
            with project.address.open("/_local/permissions") as answer:
                judged += json.load(answer)
    new = set(denied_calls(judged)) - _TOLD
    _TOLD.update(new)
    expected = {action for mark in request.node.iter_markers("denied") for action in mark.args}
    assert [str(each) for each in sorted(new) if each.action not in expected] == []


_TOLD: set[Denied] = set()


class Project:
    """A copy of this project with one environment, and the local AWS that it is deployed to."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        PROJECTS.add(self)
        self.folder = folder
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "NODE_COMPILE_CACHE": os.environ.get("NODE_COMPILE_CACHE", ""),
            "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
            **(environment or {}),
        }
        for name in ("app.py", "cdk.json"):
            shutil.copy(ROOT / name, folder / name)
        for name in ("stacks", "model_assets"):
            shutil.copytree(ROOT / name, folder / name)
        (folder / "node_modules").symlink_to(ROOT / "node_modules")
        (folder / "environments").mkdir()
        self.environment_file = folder / "environments" / "trial.yaml"
        self.environment_file.write_text(ENVIRONMENT)
        self.model = folder / "model_assets" / "half_plus_three" / "model"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ("sagemaker-serving", *arguments)
        with begun(command, self.folder, self._environment) as ended:
            return ended(240)

    def begin(self, *arguments: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """A command that is not waited for; nobody reads what it prints."""
        return subprocess.Popen(
            [str(Path(sys.executable).parent / "sagemaker-serving"), *arguments],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
        )

    def deploy(self) -> subprocess.CompletedProcess[str]:
        return self.run("local", "deploy", "trial")

    @contextmanager
    def deployed(self) -> Iterator[Project]:
        """The project on a local AWS of its own, which ends with the block."""
        started = self.run("local", "up", "--port", "0")
        assert started.returncode == 0, started.stderr
        try:
            deployed = self.deploy()
            assert deployed.returncode == 0, deployed.stdout + deployed.stderr
            yield self
        finally:
            ended = self.run("local", "down")
        assert ended.returncode == 0, ended.stderr

    @property
    def status(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.run("local", "status", "--json").stdout)
        return facts

    @property
    def address(self) -> Address:
        return find(self.state_dir)

    @property
    def state_dir(self) -> Path:
        return self.folder / ".sagemaker-serving"

    @property
    def aws(self) -> Aws:
        return Aws.at(self.address, REGION)

    def resources(self, kind: str) -> list[str]:
        """The physical ids of the deployed resources of ``kind``."""
        found = self.aws.client("cloudformation").describe_stack_resources(StackName="trial-half")
        return [
            resource["PhysicalResourceId"].rsplit("/", 1)[-1]
            for resource in found["StackResources"]
            if resource["ResourceType"] == f"AWS::SageMaker::{kind}"
        ]

    def server_environment(self) -> dict[str, str]:
        """The environment of the endpoint's model server, as its process has it."""
        (process,) = self.status["processes"]
        return dict(psutil.Process(process["pid"]).environ())

    @contextmanager
    def load(self) -> Iterator[list[str]]:
        """10 requests a second to the endpoint for as long as the block runs; yields failures."""
        predictor = Predictor("trial-half", self.aws)
        failures: list[str] = []
        answers = 0
        ended = threading.Event()

        def send() -> None:
            nonlocal answers
            due = time.monotonic()
            while not ended.wait(max(0.0, due - time.monotonic())):
                due += 0.1
                try:
                    predictor.invoke('{"instances": [1.0]}')
                    answers += 1
                except ReportedError as error:
                    failures.append(str(error))

        sender = threading.Thread(target=send)
        sender.start()
        try:
            yield failures
        finally:
            ended.set()
            sender.join()
        assert answers > 10, "the load was no load"


@pytest.fixture(scope="module")
def project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    """Deployed, with the ``ENVIRONMENT`` of the tests' file, if it has one."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.environment_file.write_text(getattr(request.module, "ENVIRONMENT", ENVIRONMENT))
    with project.deployed():
        yield project
