"""``local logs`` over the files of a folder, whether or not a local AWS runs there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local_aws.process.address import StateDirLock
from sagemaker_serving.local_sagemaker.observability.log_files import endpoint_log

Run = Callable[..., Any]


def write(folder: Path, place: str, text: str) -> Path:
    path = endpoint_log(folder / ".sagemaker-serving", "eu-west-1", "chat", place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_last_lines_are_plain_for_a_pipe(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "v-1", "one\n\x1b[31mtwo\x1b[0m\nthree\n")
    assert run("local", "logs", "chat", "--lines", "2").stdout == "two\nthree\n"


def test_lines_of_several_variants_begin_with_their_names(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "blue-1", "b\n")
    write(tmp_path, "green-1", "g\n")
    assert run("local", "logs", "chat").stdout == "blue: b\ngreen: g\n"
    assert run("local", "logs", "chat", "--variant", "green").stdout == "g\n"


def test_a_misspelt_name_is_told_the_right_one(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "v-1", "one\n")
    ended = run("local", "logs", "chad")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "no endpoint 'chad' in eu-west-1 has a log here; did you mean 'chat'?" in ended.stderr


def test_of_a_local_aws_in_another_folder_its_folder_is_said(run: Run, tmp_path: Path) -> None:
    state_dir = tmp_path / ".local-aws"
    hold = StateDirLock(state_dir)
    (state_dir / "address.json").write_text("{}")
    ended = run("predict", "chat", "[]", "--local")
    hold.release()
    assert ended.returncode == 2
    assert "runs in .sagemaker-serving; one does in .local-aws: --state-dir .local-aws" in (
        ended.stderr
    )


def test_following_ends_when_nothing_more_can_come(run: Run, tmp_path: Path) -> None:
    write(tmp_path, "v-1", "one\n")
    ended = run("local", "logs", "chat", "-f")
    assert (ended.returncode, ended.stdout) == (0, "one\n")
    assert "the local AWS has ended" in ended.stderr


def test_following_goes_on_until_ctrl_c(tmp_path: Path) -> None:
    path = write(tmp_path, "v-1", "one\n")
    hold = StateDirLock(tmp_path / ".sagemaker-serving")  # as a local AWS that runs
    following = subprocess.Popen(
        [str(Path(sys.executable).parent / "sagemaker-serving"), "local", "logs", "chat", "-f"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert following.stdout is not None
        assert following.stdout.readline() == "one\n"
        with path.open("a") as log:
            log.write("two\n")
        assert following.stdout.readline() == "two\n"
        following.send_signal(signal.SIGINT)
        said, wrong = following.communicate(timeout=60)
        assert (following.returncode, said, wrong.strip()) == (130, "", "")
    finally:
        following.kill()
        hold.release()
