"""A service curve: what one server answers, and how late, by how much it is asked at once."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Mistake
from sagemaker_serving.whole_files import write_whole

KNEE = 0.95
"""With so large a share of the highest throughput a server is taken to be busy."""

FORMAT = 1
"""Of the file; another number is another form."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """So many callers, each sending its next request after an answer.

    ``quantiles`` are seconds, evenly spaced from the fastest request to the slowest; ``errors``
    counts what failed.
    """

    callers: int
    per_second: float
    quantiles: Sequence[float]
    errors: int = 0

    def quantile(self, share: float) -> float:
        """The seconds that ``share`` of the requests, 0 to 1, took at most."""
        place = share * (len(self.quantiles) - 1)
        below = math.floor(place)
        if below + 1 >= len(self.quantiles):
            return self.quantiles[-1]
        low, high = self.quantiles[below], self.quantiles[below + 1]
        return low + (high - low) * (place - below)

    @cached_property
    def mean(self) -> float:
        """The mean of what `quantile` gives."""
        if len(self.quantiles) == 1:
            return self.quantiles[0]
        steps = [(low + high) / 2 for low, high in pairwise(self.quantiles)]
        return sum(steps) / len(steps)


@dataclass(frozen=True, kw_only=True)
class BatchTime:
    """What a batch of so many examples takes alone, in seconds at the median."""

    examples: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class ServiceCurve:
    """One server, measured: ``levels`` by callers, ``batches`` by examples where it batches.

    ``of`` and ``where`` say what was measured, and on what. ``settings`` are those of the server,
    in the words of an environment file. ``workers`` is how many requests it works on at once,
    where that is known; None: `knee`.
    """

    of: str
    where: str
    measured: str
    levels: Sequence[Level]
    batches: Sequence[BatchTime] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    workers: int | None = None

    @cached_property
    def highest(self) -> float:
        """The highest throughput that was measured, in requests per second."""
        return max(level.per_second for level in self.levels)

    @cached_property
    def knee(self) -> int:
        """The fewest callers that `KNEE` of the highest throughput takes."""
        enough = (each.callers for each in self.levels if each.per_second >= KNEE * self.highest)
        return next(enough)

    @property
    def at_once(self) -> int:
        """How many requests it works on at once; further ones wait."""
        return self.knee if self.workers is None else self.workers

    def per_second(self, present: int) -> float:
        """What it answers in a second with so many present, between what was measured."""
        after = bisect_right(self._callers, present)
        if after == 0:
            return self.levels[0].per_second * present / self.levels[0].callers
        if after == len(self.levels):
            return self.levels[-1].per_second
        low, high = self.levels[after - 1], self.levels[after]
        share = (present - low.callers) / (high.callers - low.callers)
        return low.per_second + (high.per_second - low.per_second) * share

    def seconds(self, busy: int, present: int, share: float) -> float:
        """What one request takes that begins as one of ``busy``, with ``present`` in all.

        ``share``, 0 to 1, says how slow a one: the spread is that of the level with as many
        callers, and the mean is such that as many as were measured are answered in a second.
        """
        spread = self._spread(busy)
        return busy / self.per_second(present) * spread.quantile(share) / spread.mean

    def batch_seconds(self, examples: int, busy: int, threads: int) -> float | None:
        """What a batch takes while ``busy`` of ``threads`` run one; None where none was measured.

        Alone as measured. Full batches in every thread take so long that the highest throughput
        comes of it; what that is more, or less, is shared by the examples and the busy threads.
        """
        if not self.batches:
            return None
        most = self.batches[-1].examples
        of_each = (threads * most / self.highest - self.batch_alone(most)) / most
        share = (busy - 1) / (threads - 1) if threads > 1 and of_each > 0 else 1.0
        alone = self.batch_alone(examples)
        return max(alone + examples * of_each * share, alone / 10)

    def batch_alone(self, examples: int) -> float:
        """What a batch of so many examples takes, between what was measured."""
        known = [(each.examples, each.seconds) for each in self.batches]
        after = bisect_right([count for count, _ in known], examples)
        if after == 0 or after == len(known):
            return known[0 if after == 0 else -1][1]
        (low, fast), (high, slow) = known[after - 1], known[after]
        return fast + (slow - fast) * (examples - low) / (high - low)

    def save(self, path: Path) -> None:
        """Writes it as JSON, which `load` reads."""
        write_whole(path, json.dumps(self.as_dict(), indent=1) + "\n")

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it: times in milliseconds."""
        return {
            "format": FORMAT,
            "of": self.of,
            "where": self.where,
            "measured": self.measured,
            "settings": {name: dict(block) for name, block in self.settings.items()},
            "workers": self.workers,
            "levels": [
                {
                    "callers": level.callers,
                    "per_second": level.per_second,
                    "errors": level.errors,
                    **{f"p{each}_ms": level.quantile(each / 100) * 1000 for each in (50, 90, 99)},
                    "quantiles_ms": [seconds * 1000 for seconds in level.quantiles],
                }
                for level in self.levels
            ],
            "batches": [
                {"examples": each.examples, "ms": each.seconds * 1000} for each in self.batches
            ],
        }

    @classmethod
    def load(cls, path: Path) -> ServiceCurve:
        """Reads what `save` wrote. Raises `Mistake` for what is no curve."""
        try:
            return cls.of_dict(json.loads(path.read_text("utf-8")))
        except FileNotFoundError:
            raise Mistake(
                f"{path}: there is no such curve; measure one with "
                f"`sagemaker-serving bench MODEL --curve -o {path}`"
            ) from None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Mistake(
                f"{path}: this is no curve of `bench --curve`: {error!r}; measure it again"
            ) from None

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> ServiceCurve:
        """Of what `as_dict` gives. Raises ValueError, TypeError or KeyError for anything else."""
        if data["format"] != FORMAT:
            raise ValueError(f"its format is {data['format']}, not {FORMAT}")
        levels = [
            Level(
                callers=int(each["callers"]),
                per_second=float(each["per_second"]),
                quantiles=[float(value) / 1000 for value in each["quantiles_ms"]],
                errors=int(each["errors"]),
            )
            for each in data["levels"]
        ]
        if not levels or any(not each.quantiles or each.per_second <= 0 for each in levels):
            raise ValueError("a level has no answers")
        return cls(
            of=str(data["of"]),
            where=str(data["where"]),
            measured=str(data["measured"]),
            settings=data["settings"],
            workers=data["workers"],
            levels=sorted(levels, key=lambda each: each.callers),
            batches=[
                BatchTime(examples=int(each["examples"]), seconds=float(each["ms"]) / 1000)
                for each in data["batches"]
            ],
        )

    @cached_property
    def _callers(self) -> list[int]:
        return [level.callers for level in self.levels]

    def _spread(self, busy: int) -> Level:
        """The level with as many callers, or the next lower one."""
        return self.levels[max(bisect_right(self._callers, busy) - 1, 0)]
