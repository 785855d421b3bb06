"""kill -9 of whoever takes part in a deploy: nothing of it is left, and the next one succeeds."""

from __future__ import annotations

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
    """So that there is something to deploy."""
    text = project.environment_file.read_text()
    number = int(text.partition("max_batch_size: ")[2].partition("\n")[0])
    text = text.replace(f"max_batch_size: {number}", f"max_batch_size: {number + 1}")
    project.environment_file.write_text(text)


def app_runs(project: Project, deploy: psutil.Process) -> bool:
    return any("app.py" in command_of(each) for each in below(deploy))


def endpoint_is_updated(project: Project, deploy: psutil.Process) -> bool:
    client = project.aws.client("sagemaker")
    return bool(client.describe_endpoint(EndpointName="trial-half")["EndpointStatus"] == "Updating")


def come(
    moment: Callable[[Project, psutil.Process], bool],
    project: Project,
    deploying: subprocess.Popen[str],
) -> None:
    """Returns when the moment has come; fails when the deploy ends without it."""
    process = psutil.Process(deploying.pid)

    def has_come_or_ended() -> bool:
        if deploying.poll() is not None:
            pytest.fail(f"the deploy ended with {deploying.returncode} before:\n{said()}")
        return moment(project, process)

    def said() -> str:
        return "" if deploying.stderr is None else deploying.stderr.read()

    eventually(has_come_or_ended)


def command_of(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):  # it may have ended
        return list(process.cmdline())
    return []


def below(process: psutil.Process) -> list[psutil.Process]:
    found: list[psutil.Process] = process.children(recursive=True)
    return found


MOMENTS = [app_runs, endpoint_is_updated]


@pytest.fixture
def deploying(project: Project) -> Iterator[subprocess.Popen[str]]:
    a_new_version(project)
    with project.begin("local", "deploy", "trial", stderr=subprocess.PIPE) as deploy:
        yield deploy


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_deploy_that_is_killed_leaves_no_process(
    project: Project,
    deploying: subprocess.Popen[str],
    moment: Callable[[Project, psutil.Process], bool],
) -> None:
    process = psutil.Process(deploying.pid)
    come(moment, project, deploying)
    started = [each.pid for each in below(process)]
    assert len(started) >= 2, "supervisor and node at least"
    deploying.send_signal(signal.SIGKILL)
    assert gone([deploying.pid, *started])
    eventually(lambda: not endpoint_is_updated(project, process))
    again = project.deploy()
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_deploy_says_that_the_local_aws_was_killed_and_nothing_is_left(
    project: Project,
    deploying: subprocess.Popen[str],
    moment: Callable[[Project, psutil.Process], bool],
) -> None:
    process, daemon = psutil.Process(deploying.pid), project.status["pid"]
    come(moment, project, deploying)
    started = [each.pid for each in (*below(process), *below(psutil.Process(daemon)))]
    os.kill(daemon, signal.SIGKILL)
    _, complained = deploying.communicate(timeout=PATIENCE_SECONDS)
    assert deploying.returncode == 1
    last = complained.splitlines()[-1]
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
