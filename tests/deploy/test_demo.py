"""`make demo` prints what it promises, and leaves no process behind however it ends."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.leaving import gone

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what the demo reads, so that its processes can be told from all others."""
    for name in ("app.py", "cdk.json", "demo.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("stacks", "model_assets", "environments"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "demo.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "200"},
        start_new_session=True,
    )


def processes_of(folder: Path) -> list[str]:
    """What still runs and names ``folder`` in its command or works in it."""
    found = []
    for process in psutil.process_iter():
        try:
            place = " ".join([*process.cmdline(), process.cwd()])
            if str(folder) in place and process.status() != psutil.STATUS_ZOMBIE:
                found.append(place)
        except psutil.Error:
            continue
    return found


@pytest.mark.long
def test_the_demo_prints_its_predictions_and_both_accuracies(copy: Path) -> None:
    demo = start(copy)
    printed, _ = demo.communicate()
    assert demo.returncode == 0, printed
    assert "3.5, 4.0, 5.5" in printed
    accuracies = re.findall(r"accuracy ([\d.]+)%", printed)
    assert len(accuracies) == 2
    assert all(float(accuracy) > 95 for accuracy in accuracies)
    assert processes_of(copy) == []


@pytest.mark.parametrize(
    "moment",
    [
        "and bootstrap meanwhile …",
        pytest.param("until the endpoints are", marks=pytest.mark.long),
    ],
)
def test_ctrl_c_leaves_no_process_behind(copy: Path, moment: str) -> None:
    demo = start(copy)
    assert demo.stdout is not None
    for line in demo.stdout:
        if moment in line:
            break
    os.killpg(demo.pid, signal.SIGINT)
    rest, _ = demo.communicate()
    assert demo.returncode == 130, rest
    assert "interrupted; nothing was left running" in rest
    assert processes_of(copy) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("SIGKILL", "until the endpoints are"),
        ("SIGTERM", "and bootstrap meanwhile …"),
        ("SIGINT, twice", "and bootstrap meanwhile …"),
    ],
)
def test_however_it_is_ended_it_leaves_no_process_behind(
    copy: Path, name: str, moment: str
) -> None:
    demo = start(copy)
    assert demo.stdout is not None
    for line in demo.stdout:
        if moment in line:
            break
    below = [process.pid for process in psutil.Process(demo.pid).children(recursive=True)]
    for _ in range(2 if "twice" in name else 1):
        demo.send_signal(getattr(signal, name.partition(",")[0]))
    demo.communicate()
    assert gone([demo.pid, *below])
    assert processes_of(copy) == []
