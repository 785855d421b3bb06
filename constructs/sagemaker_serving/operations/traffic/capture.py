"""A capture: the events of many files, in the order of their time, one in memory at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Failure, NotFound
from sagemaker_serving.operations.traffic.events import Captured, NoEvent, event_of, time_of
from sagemaker_serving.operations.traffic.files import CaptureFile, files_of
from sagemaker_serving.progress import Progress

MAX_LINE_BYTES = 80 * 1024 * 1024
"""More than two bodies of 25 MB in base64: a longer line is no event, and is not read whole."""

NAMED = 20
"""How many lines are named for one reason; the others are counted."""


@dataclass
class PassedOver:
    """Lines that nothing is made of: how many by reason, and where the first of each are."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, where: str) -> None:
        """Count one line, and keep its place where it is among the first."""
        self.counts[reason] += 1
        named = self.places.setdefault(reason, [])
        if len(named) < NAMED:
            named.append(where)

    @property
    def total(self) -> int:
        """All lines that were passed over."""
        return sum(self.counts.values())


class Capture:
    """Events in the order of their time; those of one second in the order of their files.

    Only where each stands is kept in memory: iterating reads them, again each time.
    ``passed_over`` are the torn and foreign lines.
    """

    def __init__(self, files: Sequence[CaptureFile], passed_over: PassedOver) -> None:
        self.files = files
        self.passed_over = passed_over
        self._places: list[tuple[float, int, int, int]] = []  # time, file, line, offset

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Captured]:
        return self.at(range(len(self)))

    def at(self, numbers: Sequence[int]) -> Iterator[Captured]:
        """The events of these numbers, counted from 0 in the order of time."""
        with _OpenFiles(self.files) as opened:
            for number in numbers:
                _, file, line, offset = self._places[number]
                where = f"{self.files[file].name}:{line}"
                yield event_of(opened.line(file, offset), where)

    @property
    def times(self) -> list[float]:
        """When each event was, in seconds since 1970, in order.

        SageMaker writes whole seconds: the events of one are spread over it evenly here.
        """
        times = [place[0] for place in self._places]
        spread: list[float] = []
        while len(spread) < len(times):
            at = times[len(spread)]
            count = bisect_right(times, at, len(spread)) - len(spread)
            step = 1 / count if at.is_integer() else 0
            spread += [at + step * number for number in range(count)]
        return spread

    def add(self, file: int, since: datetime | None, until: datetime | None) -> None:
        """Take in the events of a file from ``since`` on and before ``until``."""
        with self.files[file].path.open("rb") as stream:
            for number, offset, line in _lines(stream):
                try:
                    at = time_of(line)
                except NoEvent as error:
                    self.passed_over.add(str(error), f"{self.files[file].name}:{number}")
                    continue
                if (since is None or at >= since) and (until is None or at < until):
                    self._places.append((at.timestamp(), file, number, offset))

    def sort(self) -> None:
        """Put the events in order."""
        self._places.sort()


@contextmanager
def open_capture(
    place: str,
    aws: Aws | None = None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    progress: Progress | None = None,
) -> Iterator[Capture]:
    """The capture at ``place``: a file, a folder of ``.jsonl`` files, or s3://bucket/prefix.

    Of it the events from ``since`` on and before ``until``, both with a time zone. What lies in
    S3 is copied into a temporary folder, only the hours that are asked for; ``aws`` is where.
    ``progress`` is told the bytes read, and all. Raises `NotFound` where there is no event.
    """
    with files_of(place, aws, since=since, until=until) as files:
        capture = Capture(files, PassedOver())
        sizes = [file.path.stat().st_size for file in files]
        for number in range(len(files)):
            capture.add(number, since, until)
            if progress is not None:
                progress(sum(sizes[: number + 1]), sum(sizes))
        capture.sort()
        if not capture:
            raise NotFound(_nothing(place, capture, since, until))
        yield capture


class _OpenFiles:
    """The files that were read last, kept open: events of one hour lie in a few of them."""

    KEPT = 32

    def __init__(self, files: Sequence[CaptureFile]) -> None:
        self._files = files
        self._open: dict[int, BinaryIO] = {}

    def __enter__(self) -> _OpenFiles:
        return self

    def __exit__(self, *raised: object) -> None:
        for stream in self._open.values():
            stream.close()

    def line(self, file: int, offset: int) -> bytes:
        """The line that begins at ``offset``."""
        stream = self._open.pop(file, None)
        if stream is None:
            if len(self._open) == self.KEPT:
                self._open.pop(next(iter(self._open))).close()
            stream = self._files[file].path.open("rb")
        self._open[file] = stream
        stream.seek(offset)
        line = stream.readline()
        if not line:
            raise Failure(f"{self._files[file].name} became shorter while it was read")
        return line


def _lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Each line that is not blank: its number, where it begins, and what is in it."""
    offset = number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        begin, offset = offset, offset + len(line)
        text = line
        while not line.endswith(b"\n") and (line := stream.readline(MAX_LINE_BYTES)):
            offset += len(line)
            text = b"too long"
        if text.strip():
            yield number, begin, text


def _nothing(place: str, capture: Capture, since: datetime | None, until: datetime | None) -> str:
    bounds = [f"from {since.isoformat()}"] if since is not None else []
    bounds += [f"until {until.isoformat()}"] if until is not None else []
    told = f" {' '.join(bounds)}" if bounds else ""
    bad = capture.passed_over
    torn = f"; {bad.total} lines are none: {bad.counts.most_common(1)[0][0]}" if bad.total else ""
    return (
        f"{place} holds no event of data capture{told}, in {len(capture.files)} files{torn}; give "
        "a .jsonl file, a folder of them, or s3://<bucket>/<prefix>"
    )
