"""The local AWS ends when it is told to, whatever has become of its folder and its parts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from local_aws import daemon
from local_aws.process import has_ended

WHAT_CANNOT_BE_STOPPED = """\
import sys, threading
from local_aws import daemon

def serve(*_, **__):
    threading.Thread(target=threading.Event().wait).start()
    raise FileNotFoundError("a part of it could not be stopped")

daemon.serve = serve
sys.argv = ["local_aws.daemon", "--state-dir", ".", "--port", "0"]
daemon.main()
"""


@pytest.mark.slow
def test_it_ends_though_its_folder_is_gone(tmp_path: Path) -> None:
    address = daemon.start(tmp_path / "state", port=0, with_parent=True)
    shutil.rmtree(tmp_path / "state")
    os.kill(address.pid, signal.SIGTERM)
    until = time.monotonic() + 60
    while not has_ended(address.pid):
        assert time.monotonic() < until, "it still runs"
        time.sleep(0.05)


def test_no_thread_of_a_part_that_could_not_be_stopped_keeps_it_running(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WHAT_CANNOT_BE_STOPPED],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "a part of it could not be stopped" in ended.stderr
