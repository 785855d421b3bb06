"""What a local AWS takes over time: memory, open files, processes, files; and what it kept."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.soak.place import Place

EVERY_SECONDS = 10.0
KEPT = ("state/objects", "logs")
"""Below a local AWS's state: what S3 and CloudWatch keep until somebody deletes it."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What there was at a moment: of its own process the memory, of all the rest.

    ``files`` are those that it makes for itself: without `KEPT`.
    """

    at: float
    memory_mb: float
    open_files: int
    processes: int
    files: int


class Watch:
    """Looks every ten seconds, from ``with`` on."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look)
        self.samples: list[Sample] = []

    def __enter__(self) -> Watch:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._looking.join()

    def memory_mb(self) -> float:
        """Of the last look."""
        return self.samples[-1].memory_mb if self.samples else 0.0

    def _look(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            try:
                self.samples.append(_sample(self._place))
            except psutil.Error:  # a process has ended while it was looked at
                continue


def _sample(place: Place) -> Sample:
    own, *others = place.processes()
    return Sample(
        at=time.monotonic(),
        memory_mb=own.memory_info().rss / 1e6,
        open_files=own.num_fds(),
        processes=1 + len(others),
        files=sum(_is_file(path) for path in place.disk.rglob("*"))
        - sum(_is_file(path) for kept in KEPT for path in (place.state / kept).rglob("*")),
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def strays(place: Place) -> int:
    """Contents on the disk that no version of an object in S3 has any more."""
    s3 = place.aws.client("s3")
    listed = {
        f"{version['ETag'].strip(chr(34))}-{version['Size']}"
        for bucket in s3.list_buckets()["Buckets"]
        for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket["Name"])
        for version in page.get("Versions", [])
    }
    return len({path.name for path in (place.state / KEPT[0]).iterdir()} - listed)


def growth(samples: Sequence[Sample], name: str) -> float:
    """The median of the last third to that of the second: the first fills caches and pools."""
    third = max(1, len(samples) // 3)
    second, last = (
        statistics.median(getattr(sample, name) for sample in part)
        for part in (samples[third : 2 * third] or samples, samples[-third:])
    )
    return float(last / second)
