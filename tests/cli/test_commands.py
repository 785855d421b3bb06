"""Every command: its help, and what it says to the mistakes that people make."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.today import TODAY

ROOT = Path(__file__).parents[2]
LOCAL_AWS_COMMANDS = ROOT / "local-aws" / "src" / "local_aws" / "cli"
COMMANDS = [
    (),
    ("bench",),
    ("check",),
    ("dashboard",),
    ("compile",),
    ("images",),
    ("instances",),
    ("init",),
    ("inspect",),
    ("local",),
    ("local", "deploy"),
    ("local", "down"),
    ("local", "env"),
    ("local", "faults"),
    ("local", "faults", "clear"),
    ("local", "faults", "list"),
    ("local", "faults", "set"),
    ("local", "logs"),
    ("local", "status"),
    ("local", "up"),
    ("package",),
    ("predict",),
    ("rollback",),
    ("schema",),
    ("serve",),
    ("watch",),
]

Run = Callable[..., Any]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_teaches_in_its_help(run: Run, command: tuple[str, ...]) -> None:
    ended = run(*command, "--help")
    assert ended.returncode == 0
    assert len(ended.stdout.splitlines()) > 5


@pytest.mark.parametrize("group", [(), ("local",)], ids=" ".join)
def test_the_commands_listed_are_those_there_are(run: Run, group: tuple[str, ...]) -> None:
    listed = run(*group, "--help").stdout.partition("Commands:")[2]
    folder = (ROOT / "constructs/sagemaker_serving/cli").joinpath(*group)
    files = _files(folder) | (_files(LOCAL_AWS_COMMANDS) if group else set())
    assert set(re.findall(r"^  (\S+)", listed, re.MULTILINE)) == files


def _files(folder: Path) -> set[str]:
    """The commands that have a file there."""
    names = {path.stem for path in folder.iterdir() if not path.name.startswith("__")}
    return names - {
        *("answers", "batching", "compiled", "completing", "graphs", "options", "tables"),
        *("interrupted", "lazy", "renamed", "running", "showing"),
    }


def test_schema_prints_what_is_committed(run: Run) -> None:
    committed = (ROOT / "environments" / "environment.schema.json").read_text(encoding="utf-8")
    assert run("schema").stdout == committed


def test_check_finds_nothing_in_the_shipped_environments(run: Run) -> None:
    files = sorted(str(path) for path in (ROOT / "environments").glob("*.yaml"))
    ended = run("check", *files, "--today", str(TODAY))
    assert (ended.returncode, ended.stdout) == (0, "4 files: nothing is wrong\n")


def test_check_names_what_will_be_wrong_on_another_day(run: Run) -> None:
    ended = run("check", str(ROOT / "environments" / "prod.yaml"), "--today", "2027-05-22")
    assert ended.returncode == 0
    assert "whose patches end on 2027-08-20, in 90 days" in ended.stdout
    ended = run("check", str(ROOT / "environments" / "prod.yaml"), "--today", "soon")
    assert (ended.returncode, "'soon' does not match the format" in ended.stderr) == (2, True)


def test_check_names_the_wrong_with_file_and_line(run: Run, tmp_path: Path) -> None:
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (tmp_path / "dev.yaml").write_text(
        text.replace("ml.c5.large", "ml.t3.medium").replace(
            "../model_assets", f"{ROOT}/model_assets"
        )
    )
    ended = run("check", "dev.yaml")
    assert ended.returncode == 2
    assert ended.stdout.splitlines()[0] == (
        "error: dev.yaml:13 models.half-plus-three.variants[0].instance_type: instance_type is "
        "'ml.t3.medium'; endpoints do not take it; use ml.t2.medium [endpoint-instance-type]"
    )


def test_check_answers_programs_in_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("name: [\n")
    (problem,) = json.loads(run("check", "x.yaml", "--format", "json").stdout)
    assert (problem["rule"], problem["file"], problem["line"]) == ("yaml", "x.yaml", 2)


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("chek",), "No such command 'chek'"),
    (("check", "gone.yaml"), "gone.yaml: there is no such environment file"),
    (("predict", "x", "1", "--local"), "no local AWS runs in .sagemaker-serving; start one with"),
    (("predict", "x", "1"), "no AWS region is set; give --region, or set AWS_REGION"),
    (
        ("predict", "x", "1", "--region", "eu-west-1"),
        "there are no AWS credentials; run `aws sso login` or set AWS_PROFILE",
    ),
    (("predict", "x", "1", "--profile", "nobody"), "The config profile (nobody) could not be"),
    (("local", "status"), "no local AWS runs in .sagemaker-serving"),
    (("local", "down"), "no local AWS runs in .sagemaker-serving"),
    (("local", "faults", "list"), "no local AWS runs in .sagemaker-serving"),
    (("local", "logs", "nobody"), "no endpoint 'nobody' in eu-west-1 has a log here"),
    (("local", "deploy", "dev"), "environments/dev.yaml: there is no such environment file"),
    (("local", "deploy", "dev.yaml"), "app.py deploys what lies in environments/ beside it"),
    (("serve", "gone"), "gone"),
    (("bench", "x", "--local"), "no local AWS runs in .sagemaker-serving; start one with"),
    (("bench", "x", "--region", "eu-west-1"), "there are no AWS credentials"),
]


@pytest.mark.parametrize(("command", "said"), MISTAKES, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_gets_one_clear_message(run: Run, command: tuple[str, ...], said: str) -> None:
    ended = run(*command)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.fixture
def up(run: Run, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A local AWS that runs: what `local env` says of it."""
    assert run("local", "up", "--port", "0").returncode == 0
    lines = run("local", "env").stdout.splitlines()
    yield dict(line.removeprefix("export ").split("=", 1) for line in lines)
    run("local", "down")


def has_ended(pid: int) -> bool:
    """Whether the process has ended, even if nobody has collected it yet."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
def test_up_env_status_down(run: Run, tmp_path: Path, up: dict[str, str]) -> None:
    facts = json.loads(run("local", "status", "--json").stdout)
    assert facts["url"] == up["AWS_ENDPOINT_URL"]
    assert "nothing is deployed" in run("local", "status").stdout
    assert run("local", "down").returncode == 0
    assert has_ended(facts["pid"])


@pytest.mark.slow
def test_a_second_one_in_the_same_folder_is_refused(run: Run, up: dict[str, str]) -> None:
    ended = run("local", "up", "--port", "0")
    assert ended.returncode == 2
    assert "a local AWS runs in .sagemaker-serving already; use it" in ended.stderr


@pytest.mark.slow
def test_after_kill_9_it_starts_again(run: Run, up: dict[str, str]) -> None:
    pid = json.loads(run("local", "status", "--json").stdout)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert "no local AWS runs" in run("local", "status").stderr
    assert run("local", "up", "--port", "0").returncode == 0


@pytest.mark.slow
def test_a_port_in_use_is_named(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = run("local", "up", "--port", port)
    assert ended.returncode == 2
    assert f"port {port} is in use" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.slow
def test_an_endpoint_that_does_not_exist_is_named(run: Run, up: dict[str, str]) -> None:
    ended = run("predict", "nobody", "{}", "--local")
    assert ended.returncode == 2
    assert "nobody" in ended.stderr
    assert "not found" in ended.stderr


@pytest.mark.slow
def test_deploy_outside_of_a_project_is_named(run: Run, tmp_path: Path, up: dict[str, str]) -> None:
    (tmp_path / "environments").mkdir()
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (tmp_path / "environments" / "dev.yaml").write_text(
        text.replace("../model_assets", f"{ROOT}/model_assets")
    )
    ended = run("local", "deploy", "dev")
    assert ended.returncode == 2
    assert "there is no cdk.json in" in ended.stderr
