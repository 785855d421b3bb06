"""What model servers take of this machine: processor, memory, disk."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from sagemaker_serving.model_server.process import memory_share


class Usage:
    """Measures containers together; each `sample` is about the time since the one before.

    ``folders`` are what the containers have on disk; without any, their disk is
    not measured.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._pids: tuple[int, ...] = ()
        self._seconds = 0.0
        self._at = time.monotonic()

    def sample(self, *pids: int) -> dict[str, float] | None:
        """What the processes and all that they started took, or None when one is gone.

        CPUUtilization, MemoryUtilization and DiskUtilization in percent.
        100 % of CPUUtilization is one core, as on AWS; memory and disk are
        held against the whole machine's, as no instance type's are here.
        """
        if pids != self._pids:
            self._pids, self._seconds = pids, 0.0
        try:
            first = [psutil.Process(pid) for pid in pids]
            children = [child for each in first for child in each.children(recursive=True)]
            used = [_measure(process) for process in (*first, *children)]
        except psutil.NoSuchProcess:
            return None
        now, seconds = time.monotonic(), sum(cpu for cpu, _ in used)
        cpu = max(seconds - self._seconds, 0.0) / max(now - self._at, 1e-3)
        self._seconds, self._at = seconds, now
        memory = sum(size for _, size in used) / psutil.virtual_memory().total
        sample = {"CPUUtilization": 100 * cpu, "MemoryUtilization": 100 * memory}
        if self._folders:
            disk = psutil.disk_usage(self._folders[0].anchor).total
            sample["DiskUtilization"] = 100 * sum(map(_size, self._folders)) / disk
        return sample


def _measure(process: psutil.Process) -> tuple[float, int]:
    try:
        times = process.cpu_times()
        return times.user + times.system, memory_share(process)
    except psutil.NoSuchProcess:
        return 0.0, 0


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0  # it is being removed
