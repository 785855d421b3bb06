from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``sagemaker-serving`` in an empty folder, as a shell without AWS settings would."""
    return run_in(tmp_path)


def run_in(home: Path, program: str = "sagemaker-serving") -> Run:
    """Runs ``program`` in a folder that is also the user's home."""

    def run_command(
        *arguments: str,
        folder: Path = home,
        stdin: str = "",
        within: float = 120,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(Path(sys.executable).parent / program), *arguments],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "AWS_EC2_METADATA_DISABLED": "true",
                "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
                "LOCAL_AWS_END_WITH": str(os.getpid()),
                **variables,
            },
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=within,
        )

    return run_command


def on_a_terminal(folder: Path, *arguments: str) -> str:
    """What the command draws on a terminal."""
    reader, writer = pty.openpty()
    command = [str(Path(sys.executable).parent / "sagemaker-serving"), *arguments]
    subprocess.run(command, cwd=folder, stdout=writer, check=False, timeout=120)
    os.close(writer)
    shown = os.read(reader, 1 << 16).decode()
    os.close(reader)
    return shown
