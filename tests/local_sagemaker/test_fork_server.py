"""The containers of a local AWS are forks of one process that has TensorFlow imported."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.process.address import Address, find
from tests.cli.conftest import Run, run_in
from tests.leaving import gone
from tests.local_aws.aws import Aws, eventually
from tests.local_sagemaker.test_real_predictions import packed

pytestmark = pytest.mark.slow

ASKED = b'{"instances": [1.0, 2.0, 5.0]}'
ANSWERED = {"predictions": [3.5, 4.0, 5.5]}


class Running:
    """A local AWS in a process of its own, as users have it."""

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder = folder
        self.run = run
        started = run("local", "up", "--port", "0")
        assert started.returncode == 0, started.stderr
        gateway = SimpleNamespace(url=self.address.url, context=self.address)
        self.aws = Aws(cast(Gateway, gateway))
        self.aws.s3.put_object(Bucket="models", Key="half.tar.gz", Body=packed("half_plus_three"))

    @property
    def address(self) -> Address:
        return find(self._folder / ".sagemaker-serving")

    @property
    def processes(self) -> list[psutil.Process]:
        daemon = psutil.Process(self.address.pid)
        return [daemon, *daemon.children(recursive=True)]

    def endpoint(self, name: str, environment: Mapping[str, str] | None = None) -> psutil.Process:
        """The front of a new endpoint."""
        model = self.aws.model(name, environment, ModelDataUrl="s3://models/half.tar.gz")
        described = self.aws.endpoint(name, self.aws.config(name, {"v": model}))
        assert described["EndpointStatus"] == "InService", described
        return psutil.Process(self.process(name)["pid"])

    def process(self, endpoint: str) -> Any:
        """What `local status` says of an endpoint's process."""
        with self.address.open("/_local/status") as answer:
            processes = json.load(answer)["processes"]
        (found,) = [each for each in processes if each["name"] == f"{endpoint}/v"]
        return found

    def log(self, endpoint: str) -> str:
        return Path(self.process(endpoint)["log"]).read_text()

    def answers(self, endpoint: str) -> bool:
        try:
            answer = self.aws.ask(endpoint, ASKED, ContentType="application/json")
        except ClientError:
            return False
        return bool(json.loads(answer) == ANSWERED)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("running")
    running = Running(folder, run_in(folder))
    yield running
    running.run("local", "down")


@pytest.fixture(scope="module")
def one(running: Running) -> psutil.Process:
    """The front of the endpoint ``one``."""
    return running.endpoint("one")


@pytest.fixture(scope="module")
def other(running: Running) -> psutil.Process:
    return running.endpoint("other")


def test_containers_are_forks_of_one_process_with_logs_of_their_own(
    running: Running, one: psutil.Process, other: psutil.Process
) -> None:
    assert one.ppid() == other.ppid() != running.address.pid
    assert psutil.Process(one.ppid()).num_threads() == 1, "threads would not be forked"
    for name, front in (("one", one), ("other", other)):
        (engine,) = front.children()
        wrote = re.findall(r"^(\d+) \d{4}-\d\d-\d\d ", running.log(name), re.MULTILINE)
        assert set(map(int, wrote)) == {front.pid, engine.pid}
        assert running.answers(name)


def test_what_tensorflow_reads_as_it_is_imported_is_the_containers_own(
    running: Running, one: psutil.Process
) -> None:
    front = running.endpoint("own", {"TF_ENABLE_ONEDNN_OPTS": "1"})
    (engine,) = front.children()
    assert front.ppid() == running.address.pid
    assert engine.environ()["TF_ENABLE_ONEDNN_OPTS"] == "1"
    assert running.answers("own")
    running.aws.sagemaker.delete_endpoint(EndpointName="own")
    assert gone([front.pid, engine.pid])


def test_an_engine_that_is_killed_hurts_no_other_and_is_started_again(
    running: Running, one: psutil.Process, other: psutil.Process
) -> None:
    (engine,), (others,) = one.children(), other.children()
    engine.kill()
    assert eventually(lambda: [each.pid for each in one.children()] not in ([], [engine.pid]))
    assert eventually(lambda: running.answers("one"))
    assert "the engine (pid" in running.log("one")
    assert other.children() == [others]
    assert running.answers("other")


def test_when_the_process_with_tensorflow_is_killed_what_serves_goes_on_and_the_next_has_another(
    running: Running, one: psutil.Process, other: psutil.Process
) -> None:
    killed = one.ppid()
    os.kill(killed, signal.SIGKILL)
    assert running.answers("one")
    third = running.endpoint("third")
    assert third.ppid() not in (killed, running.address.pid)
    assert third.ppid() in [process.pid for process in running.processes]
    for name, front in (("one", one), ("other", other)):
        assert running.process(name)["pid"] == front.pid
        assert running.answers(name)
    below = one.children()
    running.aws.sagemaker.delete_endpoint(EndpointName="one")
    assert gone([one.pid, *[process.pid for process in below]])


def test_a_container_that_has_outlived_its_parent_is_started_again_when_it_dies(
    running: Running, other: psutil.Process
) -> None:
    assert other.ppid() == running.address.pid
    other.kill()
    assert eventually(lambda: running.answers("other"))
    assert running.process("other")["pid"] != other.pid


def test_nothing_is_left_when_the_local_aws_is_killed(running: Running) -> None:
    pids = [process.pid for process in running.processes]
    os.kill(running.address.pid, signal.SIGKILL)
    assert gone(pids)
