"""When requests arrive: as captured, from a file, or by a shape."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from local_aws.suggest import nearest
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Mistake

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
"""When traffic that has no times of its own begins: a Monday at midnight, UTC."""

_HOUR = 3600.0
_DAY = 24 * _HOUR
_UNITS = {"s": 1.0, "m": 60.0, "h": _HOUR}
_SHAPES = {
    "constant": "constant:50/1h",
    "ramp": "ramp:10-200/30m",
    "day": "day:peak=300,trough=20",
}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_DURATION = re.compile(rf"({_NUMBER})([smh])")


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Requests over ``seconds``, from ``start`` on; ``arrivals`` says when, in seconds from it."""

    name: str
    start: datetime
    seconds: float
    arrivals: Callable[[Random], Iterator[float]]


def traffic_of(text: str, start: datetime | None = None, aws: Aws | None = None) -> Traffic:
    """Read what --traffic takes; ``start`` is when a shape, or counts without times, begin.

    A capture, which may be in S3 of ``aws``, has the times of its requests. Raises `Mistake` for a
    shape that is none, and for a file that has no requests, `NotFound` for an empty capture.
    """
    began = MONDAY if start is None else start
    kind = text.partition(":")[0]
    if kind in _SHAPES and not Path(text).exists():
        return _shape(text, began)
    path = Path(text)
    if text.startswith("s3://") or path.is_dir() or _is_capture(path):
        return _captured(text, aws)
    if not path.is_file():
        close = nearest(kind, _SHAPES)
        known = _SHAPES[close] if close is not None else ", ".join(_SHAPES.values())
        raise Mistake(
            f"--traffic {text}: there is no such file, and it is no shape; write, say, {known}"
        )
    return _of_file(path, began)


def of_times(name: str, times: Sequence[datetime]) -> Traffic:
    """Requests at exactly these times. Raises `Mistake` when there are none."""
    if not times:
        raise Mistake(f"{name}: there are no requests in it")
    first = min(times).replace(second=0, microsecond=0)
    offsets = sorted((time - first).total_seconds() for time in times)
    seconds = 60.0 * (math.floor(offsets[-1] / 60) + 1)
    return Traffic(name=name, start=first, seconds=seconds, arrivals=lambda _: iter(offsets))


def of_counts(name: str, start: datetime, counts: Sequence[int]) -> Traffic:
    """So many requests in each minute, by chance within it."""

    def arrivals(random: Random) -> Iterator[float]:
        for minute, count in enumerate(counts):
            yield from sorted(60 * (minute + random.random()) for _ in range(count))

    if not sum(counts):
        raise Mistake(f"{name}: there are no requests in it")
    return Traffic(name=name, start=start, seconds=60.0 * len(counts), arrivals=arrivals)


def of_rate(
    name: str, start: datetime, seconds: float, rate: Callable[[float], float], most: float
) -> Traffic:
    """By chance, ``rate`` of the time of them in a second, which is never over ``most``."""

    def arrivals(random: Random) -> Iterator[float]:
        now = random.expovariate(most)
        while now < seconds:
            if random.random() * most <= rate(now):
                yield now
            now += random.expovariate(most)

    return Traffic(name=name, start=start, seconds=seconds, arrivals=arrivals)


def _is_capture(path: Path) -> bool:
    """Whether a file is data capture's: lines of JSON."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(1) == b"{"


def _captured(place: str, aws: Aws | None) -> Traffic:
    """SageMaker writes whole seconds: what was captured in one is spread over it."""
    from sagemaker_serving.operations.traffic import open_capture

    with open_capture(place, aws) as capture:
        times = [datetime.fromtimestamp(each, UTC) for each in capture.times]
    return of_times(place, times)


def _shape(text: str, start: datetime) -> Traffic:
    kind, _, given = text.partition(":")
    rates, _, lasts = given.partition("/")
    seconds = _seconds(text, lasts) if lasts else (_DAY if kind == "day" else _HOUR)
    if kind == "constant" and (found := re.fullmatch(f"({_NUMBER})", rates)):
        low = high = float(found[1])
    elif kind == "ramp" and (found := re.fullmatch(f"({_NUMBER})-({_NUMBER})", rates)):
        low, high = float(found[1]), float(found[2])
    elif kind == "day" and (
        found := re.fullmatch(f"peak=({_NUMBER}),trough=({_NUMBER})(?:,at=([0-9]+))?", rates)
    ):
        low, high = float(found[2]), float(found[1])
        peak = (14 if found[3] is None else int(found[3])) * _HOUR
        begins = (start - start.replace(hour=0, minute=0, second=0)).total_seconds()
        swing = (high - low) / 2

        def by_day(now: float) -> float:
            return low + swing * (1 + math.cos(2 * math.pi * (begins + now - peak) / _DAY))

        return of_rate(text, start, seconds, by_day, _over_zero(text, max(low, high)))
    else:
        raise Mistake(f"--traffic {text}: this is no {kind}; write it as {_SHAPES[kind]}")
    most = _over_zero(text, max(low, high))
    return of_rate(text, start, seconds, lambda now: low + (high - low) * now / seconds, most)


def _seconds(text: str, lasts: str) -> float:
    found = _DURATION.fullmatch(lasts)
    if found is None or float(found[1]) == 0:
        raise Mistake(f"--traffic {text}: {lasts!r} is no duration; write 90s, 30m or 24h")
    return float(found[1]) * _UNITS[found[2]]


def _over_zero(text: str, most: float) -> float:
    if most <= 0:
        raise Mistake(f"--traffic {text}: there are no requests in it; write a number over 0")
    return most


def _of_file(path: Path, start: datetime) -> Traffic:
    """Each line a time, ``time,count`` of a minute, or the count of the next minute."""
    lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and line[0] != "#"]
    if rows and all(_count(line) is not None for _, line in rows):
        counts = [_count(line) for _, line in rows]
        return of_counts(str(path), start, [count for count in counts if count is not None])
    times: list[datetime] = []
    minutes: dict[datetime, int] = {}
    for number, line in rows:
        text, comma, count_text = line.partition(",")
        time, count = _time(text), _count(count_text.strip())
        if time is None or (comma and count is None):
            raise Mistake(
                f"{path}:{number}: {line[:80]!r} is no time (2026-11-23T08:00:00Z), no time with "
                "the requests of its minute (2026-11-23T08:00:00Z,1250) and no number of requests"
            )
        if count is None:
            times.append(time)
        else:
            minutes[time.replace(second=0, microsecond=0)] = count
    if minutes and times:
        raise Mistake(f"{path}: some lines have a count and some have none; write all alike")
    if times or not minutes:
        return of_times(str(path), times)
    first = min(minutes)
    length = round((max(minutes) - first).total_seconds() / 60) + 1
    counts_by_minute = [minutes.get(first + timedelta(minutes=each), 0) for each in range(length)]
    return of_counts(str(path), first, counts_by_minute)


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
