"""A --state-dir or --port that cannot be one is one sentence, whichever command was given it."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from local_aws.daemon import start
from local_aws.process.http_server import LoopbackServer, next_free_port
from local_aws.state.state_dir import must_be_state_dir
from sagemaker_serving.cli.commands import group
from sagemaker_serving.errors import Mistake
from tests.cli.conftest import Run, commands

LONG = "a" * 300
DEEP = "/".join(["b" * 100] * 45)
BAD = {"file": "is no folder", "file/below": "is no folder", LONG: "too long", DEEP: "too long"}
ARGUMENTS = {
    ("local", "deploy"): ["local"],
    ("local", "destroy"): ["local"],
    ("local", "logs"): ["e"],
    ("local", "faults", "set"): ["slow"],
    ("bench",): ["e", "--input", "file"],
    ("compile",): ["file", "--target", "ml_c5", "--output", "s3://b/k"],
    ("explain",): ["e"],
    ("golden",): ["e", "golden.jsonl"],
    ("inspect",): ["s3://b/model.tar.gz"],
    ("predict",): ["e", "{}"],
    ("replay",): ["e", "m"],
    ("rollback",): ["e"],
    ("transform", "start"): ["m"],
    ("transform", "status"): ["m", "run"],
    ("transform", "stop"): ["m", "run"],
    ("watch",): ["e"],
    ("dashboard",): ["dev", "m"],
}


TAKING = {
    tuple(name.split()): command
    for name, command in commands(group)
    if any(parameter.name == "state_dir" for parameter in command.params)
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("a file")
    (tmp_path / "golden.jsonl").write_text('{"body": "x", "expected_body": "y"}\n')
    return path


@pytest.mark.parametrize("words", TAKING, ids=" ".join)
def test_every_command_says_in_one_sentence_what_is_wrong(
    run: Run, file: Path, words: tuple[str, ...]
) -> None:
    local = ["--local"] if any(p.name == "local" for p in TAKING[words].params) else []
    given = [*words, *ARGUMENTS.get(words, []), *local, "--state-dir", "file/below"]
    ended = run(*given, folder=file.parent)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "--state-dir is file/below: file is no folder; give a folder" in ended.stderr


@pytest.mark.parametrize("path", BAD, ids=[name[:10] for name in BAD])
def test_every_way_to_be_wrong_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(file.parent)
    with pytest.raises(Mistake, match=f"--state-dir is .*{BAD[path]}; give a folder"):
        must_be_state_dir(Path(path))
    with pytest.raises(Mistake, match=f"--state-dir is .*{BAD[path]}; give a folder"):
        start(Path(path), 0)


def test_what_cannot_be_made_is_named(tmp_path: Path) -> None:
    assert must_be_state_dir(tmp_path / "new" / "one") == tmp_path / "new" / "one"
    with pytest.raises(Mistake, match=r"--state-dir is /proc/none: .*; give a folder"):
        start(Path("/proc/none"), 0)


def test_without_local_nobody_looks_at_it(run: Run, file: Path) -> None:
    ended = run("inspect", "file", "--state-dir", "file/below", folder=file.parent)
    assert "--state-dir" not in ended.stderr


@pytest.mark.parametrize("port", ["70000", "-1", "x"])
def test_a_port_that_is_none_is_named(run: Run, port: str) -> None:
    for words in (["local", "up"], ["serve", "."]):
        ended = run(*words, "--port", port)
        assert ended.returncode == 2
        assert ended.stderr.splitlines()[-1].startswith("Error: Invalid value for '--port': ")


def test_a_port_that_another_program_has_is_named(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for words in (["local", "up"], ["local", "up", "--foreground"]):
            ended = run(*words, "--port", str(port))
            assert (ended.returncode, ended.stdout) == (2, "")
            assert ended.stderr == (
                f"sagemaker-serving: port {port} is in use on this machine; stop what uses it or "
                "name another port\n"
            )


@pytest.mark.parametrize("port", [-1, 65536, 1 << 40])
def test_ports_out_of_range_are_named_without_the_command_line_too(port: int) -> None:
    with pytest.raises(Mistake, match=f"port is {port}; it is from 0 to 65535"):
        LoopbackServer(port)


def test_without_a_port_it_is_the_next_that_is_free() -> None:
    taken = LoopbackServer(0)
    try:
        found = next_free_port(taken.port)
        assert taken.port < found < taken.port + 100
    finally:
        taken.stop()


def test_an_app_that_is_no_environment_is_sent_to_local_aws(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cdk.json").write_text("{}")
    (tmp_path / "shop" / "app.py").write_text("")
    for given in ("shop", "shop/app.py"):
        ended = run("local", "deploy", given)
        assert ended.returncode == 2
        assert "type `local-aws deploy shop --state-dir .sagemaker-serving`" in ended.stderr


CRASH = """
import sagemaker_serving.cli as cli
from sagemaker_serving.cli.schema import schema
def crash(**options): raise {error}
schema.callback = crash
cli.main()
"""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            "KeyError('what')",
            "sagemaker-serving: KeyError: 'what'; this is a fault of sagemaker-serving itself: "
            "SAGEMAKER_SERVING_DEBUG=1 shows where; report it with that\n",
        ),
        ("OSError(28, 'No space left on device', 'x')", "sagemaker-serving: x: no space left on "),
        ("RuntimeError('a\\nb')", "sagemaker-serving: RuntimeError: a b; this is a fault"),
        ("RecursionError()", "sagemaker-serving: RecursionError; this is a fault"),
    ],
)
def test_what_nobody_expected_is_one_line_and_a_traceback_for_who_asks(
    error: str, said: str
) -> None:
    code = [sys.executable, "-c", CRASH.format(error=error), "schema"]
    ended = subprocess.run(code, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.startswith(said)
    assert ended.stderr.count("\n") == 1
    asked = subprocess.run(
        code, capture_output=True, text=True, check=False, env={"SAGEMAKER_SERVING_DEBUG": "1"}
    )
    assert "Traceback (most recent call last)" in asked.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_a_stream_that_the_caller_closed_changes_nothing_else(closed: str) -> None:
    program = Path(sys.executable).parent / "sagemaker-serving"
    for words, status in (("images tensorflow", 0), ("predict e --region eu-west-1", 2)):
        ended = subprocess.run(
            f"{program} {words} {closed}", shell=True, capture_output=True, text=True, check=False
        )
        assert ended.returncode == status, ended.stderr
        assert "fault of" not in ended.stderr
