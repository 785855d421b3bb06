"""What a model server takes of this machine: processor, memory, disk."""

from __future__ import annotations

import time
from pathlib import Path

import psutil


class Usage:
    """Measures one container; each `sample` is about the time since the one before.

    ``folder`` is what the container has on disk; without one, its disk is not
    measured.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._pid = 0
        self._seconds = 0.0
        self._at = time.monotonic()

    def sample(self, pid: int) -> dict[str, float] | None:
        """What the process and all that it started took, or None when it is gone.

        CPUUtilization, MemoryUtilization and DiskUtilization in percent.
        100 % of CPUUtilization is one core, as on AWS; memory and disk are
        held against the whole machine's, as no instance type's are here.
        """
        if pid != self._pid:
            self._pid, self._seconds = pid, 0.0
        try:
            first = psutil.Process(pid)
            processes = [first, *first.children(recursive=True)]
            used = [_measure(process) for process in processes]
        except psutil.NoSuchProcess:
            return None
        now, seconds = time.monotonic(), sum(cpu for cpu, _ in used)
        cpu = max(seconds - self._seconds, 0.0) / max(now - self._at, 1e-3)
        self._seconds, self._at = seconds, now
        memory = sum(size for _, size in used) / psutil.virtual_memory().total
        sample = {"CPUUtilization": 100 * cpu, "MemoryUtilization": 100 * memory}
        if self._folder is not None:
            disk = psutil.disk_usage(self._folder.anchor).total
            sample["DiskUtilization"] = 100 * _size(self._folder) / disk
        return sample


def _measure(process: psutil.Process) -> tuple[float, int]:
    try:
        times = process.cpu_times()
        return times.user + times.system, process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0.0, 0


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0  # it is being removed
