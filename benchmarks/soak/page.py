"""What came of a soak: lines for the terminal, a part of docs/figures.md, and a plot."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import Ratio
from benchmarks.soak.faults import Made
from benchmarks.soak.requests import ENDPOINT, Sent
from benchmarks.soak.watch import Sample, growth

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "soak.svg"
GROWTH = 1.15
"""The median of the last third may be so many times that of the second."""
_MEMORY = "memory of the local AWS's own process"
GROWING = {
    "open_files": "open files of the local AWS's own process",
    "processes": "processes",
    "files": "files on its disk beside S3's objects and logs",
}


@dataclass(frozen=True, kw_only=True)
class Found:
    """All of a soak.

    ``to_restarted`` is its process's memory in the end to that of one that has just begun with all
    that was kept: executions, events, logs and objects' versions are, as on AWS. ``without`` are
    faults that this machine does not allow; ``strays`` are contents on its disk of no object.
    """

    requests: Sequence[Sent]
    lost: Sequence[Sent]
    broken: Sequence[str]
    rounds: Mapping[str, int]
    faults: Sequence[Made]
    samples: Sequence[Sample]
    to_restarted: float
    strays: int
    without: Sequence[str] = field(default_factory=tuple)

    @property
    def holds(self) -> bool:
        """Nothing lost, nothing broken, nothing growing."""
        return not self.broken and all(ratio.holds for ratio in self.ratios())

    def ratios(self) -> Iterator[Ratio]:
        """What is wanted of it."""
        yield Ratio(name="requests lost outside the faults", value=len(self.lost), at_most=0)
        yield Ratio(name="work lost that no fault excuses", value=len(self.broken), at_most=0)
        yield Ratio(
            name=f"{_MEMORY}, to that after a restart with all that is kept and one round",
            value=self.to_restarted,
            at_most=GROWTH,
        )
        yield Ratio(
            name="contents on its disk that no version of an object has",
            value=self.strays,
            at_most=0,
        )
        for name, what in GROWING.items():
            grown = growth(self.samples, name)
            yield Ratio(name=f"{what}, last third to second", value=grown, at_most=GROWTH)

    def figures(self) -> Iterator[tuple[str, str]]:
        """All figures, to read."""
        failed = sum(bool(each.reason) for each in self.requests)
        yield (
            "requests, and those without an answer during a fault",
            (f"{len(self.requests):,}, {failed - len(self.lost)}"),
        )
        for endpoint, sent in sorted(Counter(each.endpoint for each in self.requests).items()):
            took = self.requests[-1].ended - self.requests[0].began
            yield f"requests a second to {endpoint}", f"{sent / took:.1f}"
        for ratio in self.ratios():
            yield ratio.name, str(ratio)
        yield f"{_MEMORY}, last third to second", f"{growth(self.samples, 'memory_mb'):.4g}"
        done = ", ".join(f"{count} {name}" for name, count in self.rounds.items())
        yield "beside them", done
        for kind, spans in sorted(_by_kind(self.faults).items()):
            yield (
                f"{kind}: times, seconds until all answered at the median and at most",
                (f"{len(spans)}, {statistics.median(spans):.1f}, {max(spans):.1f}"),
            )
        for reason in self.without:
            yield "left out", reason


def lines(found: Found) -> Iterator[str]:
    """For a terminal."""
    for name, value in found.figures():
        yield f"{name}: {value}"
    for reason, count in Counter(each.reason for each in found.lost).most_common(5):
        yield f"lost {count} times: {reason}"
    yield from (f"broken: {reason}" for reason in found.broken[:20])


def write(found: Found, *, minutes: float, seed: int) -> None:
    """The part of docs/figures.md, and its plot."""
    from benchmarks.__main__ import renew

    _plot(found)
    told = (
        f"{minutes:g} minutes, faults by seed {seed}. Grey is where a fault was, until all "
        "answered again. Memory grows by what AWS keeps, too: objects' versions, events, logs. "
        "Where the clock jumped during a batch, S3 may call an output older than its input. The "
        "batch says so and does not count it as done. Its inputs are put again, and it is resumed.",
        "",
        "![Memory and p99 over the time of the soak](pictures/soak.svg)",
        "",
    )
    renew("soak", found.figures(), told)


def _by_kind(faults: Sequence[Made]) -> dict[str, list[float]]:
    kinds = defaultdict(list)
    for made in faults:
        kinds[made.kind].append(made.ended - made.began)
    return kinds


def _plot(found: Found) -> None:
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    first = found.requests[0].began
    figure = Figure(figsize=(9, 5), layout="constrained")
    FigureCanvasSVG(figure)
    memory, slowest = figure.subplots(2, 1, sharex=True)
    memory.plot(
        [(each.at - first) / 60 for each in found.samples],
        [each.memory_mb for each in found.samples],
    )
    memory.set_ylabel("memory, MB")
    slowest.plot(*zip(*_p99_by_minute(found.requests, first), strict=True))
    slowest.set_ylabel("p99 of answers, ms")
    slowest.set_xlabel("minutes")
    slowest.set_yscale("log")
    memory.set_ylim(bottom=0)
    for axes in (memory, slowest):
        axes.grid(alpha=0.3)
        for made in found.faults:
            axes.axvspan(
                (made.began - first) / 60, (made.ended - first) / 60, color="0.85", linewidth=0
            )
    with rc_context({"svg.hashsalt": "soak", "svg.fonttype": "none"}):
        figure.savefig(PICTURE, format="svg", metadata={"Date": None})


def _p99_by_minute(requests: Sequence[Sent], first: float) -> Iterator[tuple[float, float]]:
    minutes = defaultdict(list)
    for each in requests:
        if each.endpoint == ENDPOINT and not each.reason:
            minutes[int((each.began - first) // 60)].append((each.ended - each.began) * 1000)
    for minute, taken in sorted(minutes.items()):
        yield minute + 0.5, sorted(taken)[int(len(taken) * 0.99)]
