"""Which settings are tried, in which order, and which of them is the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sagemaker_serving.operations.bench import VariantReport
from sagemaker_serving.spec import Batching, Server, batching_variables, server_variables

SIZES = (4, 8, 16, 32, 64, 128)
TIMEOUTS = (0, 500, 1000, 2000, 5000, 10000)
BATCH_THREADS = (1, 2, 4, 8)
HANDLER_THREADS = (4, 16, 64)
BETTER = 1.03
"""Less than 3 percent more is no gain: runs of the same settings differ by as much."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a trial sets, in the words of an environment file; None: the container's default."""

    max_batch_size: int | None = None
    batch_timeout_micros: int | None = None
    num_batch_threads: int | None = None
    max_enqueued_batches: int | None = None
    gunicorn_threads: int | None = None

    @property
    def block(self) -> dict[str, dict[str, Any]]:
        """The fields of a model in an environment file; empty where nothing is to be set."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        threads = given.pop("gunicorn_threads", None)
        server = {} if threads is None else {"gunicorn_threads": threads}
        blocks = {"batching": given, "server": server}
        return {name: block for name, block in blocks.items() if block}

    @property
    def variables(self) -> dict[str, str]:
        """The container's variables."""
        block = self.block
        batching = Batching(**block["batching"]) if "batching" in block else None
        server = Server(**block["server"]) if "server" in block else None
        return {**batching_variables(batching), **server_variables(server)}

    def __str__(self) -> str:
        fields = [
            f"{name} {value}" for block in self.block.values() for name, value in block.items()
        ]
        return ", ".join(fields) if fields else "no batching"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Settings, and what they answered under the load."""

    settings: Settings
    result: VariantReport


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Every trial in order; the settings of ``best`` are to be taken.

    They answer most within the goal of ``goal_seconds``, clearly more than
    without batching, or come nearest to it where ``reached`` is false.
    """

    goal_seconds: float
    trials: tuple[Trial, ...]
    best: Trial

    @property
    def reached(self) -> bool:
        """Whether the best trial kept the goal and refused nothing."""
        return _keeps(self.best, self.goal_seconds)


def tune(
    measure: Callable[[Settings], VariantReport],
    *,
    goal_seconds: float,
    has_handler: bool,
    callers: int,
    tried: Callable[[Trial], None] = lambda _: None,
) -> Tuning:
    """Tries settings one field after the other, each from the best so far.

    First none at all; then, with an ``inference.py``, how many requests its
    server takes at once, since what waits before it is never joined; then batch
    sizes, upwards as long as that gains; then time-outs, and threads. As many
    batches may wait as there are ``callers``: the container's own default,
    one for each CPU, refuses requests that could be answered.
    The best of so many trials may be so by chance, so batching that seems to
    gain is tried once more, right after none: it has to gain again.
    ``tried`` is told of every trial as it ends.
    """
    trials: list[Trial] = []

    def attempt(settings: Settings) -> Trial:
        trial = Trial(settings=settings, result=measure(settings))
        trials.append(trial)
        tried(trial)
        return trial

    def climb(best: Trial, field: str, values: Iterable[int], *, on: bool) -> Trial:
        """Along ``values`` as long as each is better than the best; ``on``: even after a loss."""
        for value in values:
            if getattr(best.settings, field) == value:
                continue
            trial = attempt(replace(best.settings, **{field: value}))
            if _better(trial, best, goal_seconds):
                best = trial
            elif not on:
                break
        return best

    without = attempt(Settings())
    if has_handler:
        without = climb(without, "gunicorn_threads", HANDLER_THREADS, on=False)
    # Against each other, not against none: a small batch may cost what a large one gains.
    first = replace(without.settings, max_batch_size=SIZES[0], max_enqueued_batches=callers)
    with_batches = climb(attempt(first), "max_batch_size", SIZES[1:], on=False)
    with_batches = climb(with_batches, "batch_timeout_micros", TIMEOUTS, on=True)
    with_batches = climb(with_batches, "num_batch_threads", BATCH_THREADS, on=True)
    best = without
    if _better(with_batches, without, goal_seconds):
        best, again = attempt(without.settings), attempt(with_batches.settings)
        if _better(again, best, goal_seconds):
            best = again
    return Tuning(goal_seconds=goal_seconds, trials=tuple(trials), best=best)


def _better(trial: Trial, best: Trial, goal_seconds: float) -> bool:
    if _keeps(trial, goal_seconds) and _keeps(best, goal_seconds):
        return trial.result.per_second > BETTER * best.result.per_second
    return _worth(trial, goal_seconds) > _worth(best, goal_seconds)


def _worth(trial: Trial, goal_seconds: float) -> tuple[bool, float]:
    """Within the goal, requests per second; else the nearer to the goal the better."""
    if _keeps(trial, goal_seconds):
        return True, trial.result.per_second
    p99 = trial.result.percentile(99)
    return False, float("-inf") if p99 is None else -p99 * (1 + trial.result.failed)


def _keeps(trial: Trial, goal_seconds: float) -> bool:
    p99 = trial.result.percentile(99)
    return trial.result.failed == 0 and p99 is not None and p99 <= goal_seconds
