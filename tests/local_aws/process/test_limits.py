"""What a process frees goes back to the system, though what lies above it is still in use."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_SAVES = """
import re, sys
from pathlib import Path

from local_aws.process import return_freed_memory

if "return" in sys.argv:
    return_freed_memory()
size_bytes, kept = 8 << 20, []
b"x" * size_bytes  # glibc takes its size for usual once it is freed
saved = []
for _ in range(20):
    saved.append(b"x" * size_bytes)
    kept.append(b"x" * 100_000)
saved.clear()
print(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def _kilobytes(*arguments: str) -> int:
    command = [sys.executable, "-c", _SAVES, *arguments]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")
def test_a_process_does_not_keep_the_memory_of_what_it_saved() -> None:
    assert _kilobytes("return") < _kilobytes() - 100_000
