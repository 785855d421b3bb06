"""The local AWS ends when it is told to, whatever has become of its parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
