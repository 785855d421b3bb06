"""kill -9 of whoever takes part in a deploy: nothing of it is left, and the next one succeeds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.deploy.conftest import Project
from tests.leaving import LEAVE, PATIENCE_SECONDS, Note, gone
from tests.local_aws.aws import eventually

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]


def a_new_version(project: Project) -> None:
    """So that there is something to deploy, and that the CDK CLI has to synthesize it."""
    text = project.environment_file.read_text()
    number = int(text.partition("max_batch_size: ")[2].partition("\n")[0])
    text = text.replace(f"max_batch_size: {number}", f"max_batch_size: {number + 1}")
    project.environment_file.write_text(text)
    settings = json.loads((project.folder / "cdk.json").read_text())
    settings["context"]["version"] = number
    (project.folder / "cdk.json").write_text(json.dumps(settings))


Moment = Callable[[Project, psutil.Process], Callable[[], bool]]
"""What says whether it is now."""


def app_runs(project: Project, deploy: psutil.Process) -> Callable[[], bool]:
    return lambda: any("app.py" in command_of(each) for each in below(deploy))


def endpoint_is_updated(project: Project, deploy: psutil.Process) -> Callable[[], bool]:
    client = project.aws.client("sagemaker")  # one: making it can take as long as the update

    def is_updated() -> bool:
        described = client.describe_endpoint(EndpointName="trial-half")
        return bool(described["EndpointStatus"] == "Updating")

    return is_updated


def wait_until(
    moment: Moment, project: Project, deploying: subprocess.Popen[str], complaints: Path
) -> None:
    """Returns when the moment has come; fails when the deploy ends without it."""
    is_now = moment(project, psutil.Process(deploying.pid))

    def has_come() -> bool:
        if deploying.poll() is not None:
            pytest.fail(f"ended with {deploying.returncode} before:\n{complaints.read_text()}")
        return is_now()

    eventually(has_come)


def command_of(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):  # it may have ended
        return list(process.cmdline())
    return []


def below(process: psutil.Process) -> list[psutil.Process]:
    found: list[psutil.Process] = process.children(recursive=True)
    return found


MOMENTS = [app_runs, endpoint_is_updated]


@pytest.fixture
def complaints(tmp_path: Path) -> Path:
    """What the deploy writes to stderr: a file, since a pipe that nobody reads would stop it."""
    return tmp_path / "stderr"


@pytest.fixture
def deploying(project: Project, complaints: Path) -> Iterator[subprocess.Popen[str]]:
    a_new_version(project)
    with (
        complaints.open("w") as stderr,
        project.begin("local", "deploy", "trial", stderr=stderr.fileno()) as deploy,
    ):
        yield deploy


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_deploy_that_is_killed_leaves_no_process(
    project: Project,
    deploying: subprocess.Popen[str],
    complaints: Path,
    moment: Moment,
) -> None:
    process = psutil.Process(deploying.pid)
    wait_until(moment, project, deploying, complaints)
    started = [each.pid for each in below(process)]
    assert moment is not app_runs or len(started) >= 2, "supervisor and node at least"
    deploying.send_signal(signal.SIGKILL)
    assert gone([deploying.pid, *started])
    is_updated = endpoint_is_updated(project, process)
    eventually(lambda: not is_updated())
    again = project.deploy()
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_deploy_says_that_the_local_aws_was_killed_and_nothing_is_left(
    project: Project,
    deploying: subprocess.Popen[str],
    complaints: Path,
    moment: Moment,
) -> None:
    process, daemon = psutil.Process(deploying.pid), project.status["pid"]
    wait_until(moment, project, deploying, complaints)
    started = [each.pid for each in (*below(process), *below(psutil.Process(daemon)))]
    os.kill(daemon, signal.SIGKILL)
    assert deploying.wait(timeout=PATIENCE_SECONDS) == 1
    last = complaints.read_text().splitlines()[-1]
    assert last.startswith(f"sagemaker-serving: the local AWS (process {daemon}) has ended; ")
    assert last.endswith("with `sagemaker-serving local up`, which finds what was deployed")
    assert gone(started)
    assert project.run("local", "up", "--port", "0").returncode == 0
    again = project.deploy()
    assert again.returncode == 0, again.stdout + again.stderr


def test_what_an_app_leaves_as_it_is_synthesized_ends_with_the_deploy(
    project: Project, tmp_path: Path
) -> None:
    note = Note(tmp_path / "note")
    app = project.folder / "app.py"
    before = app.read_text()
    app.write_text(f"{before}\n{LEAVE}\nleave({str(note)!r})\n")
    try:
        deployed = project.deploy()
    finally:
        app.write_text(before)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr
    assert note.nothing_is_left()
