"""What a command costs: seconds, processor, memory, its children's included."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MB = 1_000_000

# A process of its own that has loaded nothing: a child's peak begins at its parent's size.
_STARTER = """
import resource, subprocess, sys, time
began = time.perf_counter()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


@dataclass(frozen=True)
class Cost:
    """Wall seconds, CPU seconds, and bytes of memory at the peak, of a process and its children."""

    seconds: float
    cpu_seconds: float
    memory: float

    def __str__(self) -> str:
        memory = f"{self.memory / MB:.0f} MB peak memory"
        return f"{self.seconds:.2f} s, {self.cpu_seconds:.2f} s of CPU, {memory}"


def cost_of(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    good: Sequence[int] = (0,),
) -> Cost:
    """Runs ``command``, which must end with one of ``good``."""
    ended = subprocess.run(
        [sys.executable, "-S", "-c", _STARTER, *command],
        env=dict(os.environ if environment is None else environment),
        check=True,
        capture_output=True,
        text=True,
    )
    status, *figures = ended.stdout.split()
    if int(status) not in good:
        raise subprocess.CalledProcessError(int(status), list(command), stderr=ended.stderr)
    return Cost(*map(float, figures))


def own_peak() -> float:
    """The most memory of this process, in MB: what getrusage tells begins at its parent's size."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
