"""Forks of a process that has imported what they need."""

from __future__ import annotations

import subprocess
import sys

FORKS = """
import os, sys
from local_aws.process.forking import fork
sys.stdout = open("/dev/full", "w")
print("a line that finds no room")
child = fork(lambda: 7)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_process_whose_log_finds_a_full_disk_forks_all_the_same() -> None:
    ended = subprocess.run([sys.executable, "-c", FORKS], timeout=60, check=False)
    assert ended.returncode == 7
