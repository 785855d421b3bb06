"""How long a local AWS lives: as long as it is wanted, and not a moment longer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from local_aws.process import has_ended
from tests.leaving import PATIENCE_SECONDS, gone, program
from tests.local_aws.aws import eventually

Run = Callable[..., Any]

pytestmark = pytest.mark.slow


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that is not waited for."""
    return subprocess.Popen(
        [str(Path(sys.executable).parent / "sagemaker-serving"), *arguments],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def pid_of(folder: Path) -> int:
    note = folder / ".sagemaker-serving" / "address.json"
    eventually(note.exists)
    return int(json.loads(note.read_text())["pid"])


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT"])
def test_an_up_that_is_cut_off_leaves_nothing(tmp_path: Path, name: str) -> None:
    with begin(tmp_path, "local", "up", "--port", "0") as up:
        daemon = eventually(psutil.Process(up.pid).children)[0]
        up.send_signal(getattr(signal, name))
        up.communicate(timeout=PATIENCE_SECONDS)
    assert gone([daemon.pid])


def test_it_stays_when_up_has_returned_and_ends_with_a_named_process(
    run: Run, tmp_path: Path
) -> None:
    with subprocess.Popen(["sleep", "600"]) as script:
        up = run("local", "up", "--port", "0", "--end-with", str(script.pid))
        assert up.returncode == 0, up.stderr
        pid = pid_of(tmp_path)
        assert not has_ended(pid)
        script.kill()
        assert gone([pid])
    assert "no local AWS runs" in run("local", "status").stderr


def test_a_process_that_is_none_cannot_be_ended_with(run: Run) -> None:
    with subprocess.Popen(["true"]) as over:
        pass
    up = run("local", "up", "--port", "0", "--end-with", str(over.pid))
    assert up.returncode == 2
    assert f"--end-with is {over.pid}; there is no such process" in up.stderr


@pytest.mark.long
@pytest.mark.parametrize("names", [["SIGHUP"], ["SIGINT", "SIGINT"], ["SIGTERM", "SIGINT"]])
def test_in_the_foreground_it_ends_properly_however_often_it_is_told(
    run: Run, tmp_path: Path, names: list[str]
) -> None:
    with begin(tmp_path, "local", "up", "--port", "0", "--foreground") as up:
        assert pid_of(tmp_path) == up.pid
        for name in names:
            up.send_signal(getattr(signal, name))
        try:
            _, complained = up.communicate(timeout=PATIENCE_SECONDS)
        finally:
            up.kill()
        assert (up.returncode, complained) == (0, "")


SIGNALS_COME_TO_ANOTHER_THREAD = """
import signal, sys, threading
from pathlib import Path
from local_aws import daemon

threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
daemon.serve(Path(sys.argv[1]), 0)
"""
"""As they do when the first is about to wait, or has another one to handle."""


@pytest.mark.long
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_it_ends_whichever_of_its_threads_is_told(tmp_path: Path, name: str) -> None:
    folder = tmp_path / ".sagemaker-serving"
    with program(SIGNALS_COME_TO_ANOTHER_THREAD, folder) as serving:
        assert pid_of(tmp_path) == serving.pid
        serving.send_signal(getattr(signal, name))
        try:
            assert serving.wait(PATIENCE_SECONDS) == 0
        finally:
            serving.kill()
