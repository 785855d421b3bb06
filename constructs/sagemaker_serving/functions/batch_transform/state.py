"""Where a shard stands: what is still to run, and which inputs are run in chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .run import Run
from .store import Place


@dataclass(frozen=True, kw_only=True)
class Unit:
    """What a job transforms as one object: an input, or a chunk of one.

    ``input`` is the input's index in its shard. Of a chunk, ``first`` is the number of its
    first record from 1, ``count`` how many it has, ``offset`` and ``length`` where its bytes
    are. ``tries`` is how often it has failed.
    """

    input: int
    first: int | None = None
    count: int | None = None
    offset: int | None = None
    length: int | None = None
    tries: int = 0

    @property
    def is_chunk(self) -> bool:
        """Whether it is a part of an input."""
        return self.first is not None

    @property
    def key(self) -> str:
        """What it is called among the units of its shard."""
        return self.chunk_name if self.is_chunk else str(self.input)

    @property
    def chunk_name(self) -> str:
        """The chunk's key below the shard's chunks."""
        return f"{self.input:06}/{self.first:012}-{self.count}"


@dataclass(kw_only=True)
class SplitInput:
    """An input that is run in chunks: the good ones, and the bad records.

    ``is_over`` is whether its output, and what the list says of it, are written; ``error`` why
    it was cut.
    """

    error: str = ""
    is_over: bool = False
    records: int | None = None
    """How many records it has; None before they were counted."""
    good: list[list[int]] = field(default_factory=list)
    """First record and count of each chunk that has an output."""
    bad: list[dict[str, Any]] = field(default_factory=list)
    """The fields of `quarantine.Bad`; ``data`` is read when the list is written."""


@dataclass(kw_only=True)
class Tally:
    """The counting of a job's outputs, as long as it goes on.

    ``error`` is what the job failed with, ``units`` how many it had; ``cursors`` has, by a unit's
    `Unit.key`, where the reading of it stopped.
    """

    error: Mapping[str, Any] | None
    units: int
    cursors: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class ShardState:
    """Kept in S3 after each step. ``groups`` wait for jobs, the first is the current job's."""

    jobs: int = 0
    retried: int = 0
    """Jobs that were only asked for again, after a wait."""
    budgets: dict[str, int] = field(default_factory=dict)
    waited: dict[str, int] = field(default_factory=dict)
    """How often a kind of failure was tried again since a job ran to its end, and for how long
    that was waited, by its kind."""
    groups: list[list[Unit]] = field(default_factory=list)
    to_cut: list[dict[str, Any]] = field(default_factory=list)
    """Units that are to be cut into smaller ones: ``{"unit": …, "error": …, "differs": …}``,
    the last of what had an output, with another number of answers."""
    split_inputs: dict[str, SplitInput] = field(default_factory=dict)
    """By the input's index, as text, since JSON's keys are."""
    wait_seconds: int = 0
    """How long to wait before the next job."""
    tally: Tally | None = None
    """None but while the latest job's outputs are counted."""
    changed: dict[str, int] = field(default_factory=dict)
    """When inputs were put anew since they were planned, by their index."""
    with_blanks: list[int] = field(default_factory=list)
    """Inputs with an output to all but their blank lines, which are on the list."""
    records: int = 0
    answers: int = 0
    refused: int = 0
    """Records of inputs that are through, those with an answer, and those on the list. Inputs
    that were quarantined uncounted are not among them."""

    def add(self, *, records: int, answers: int, refused: int) -> None:
        """Count an input's records with the others'."""
        self.records += records
        self.answers += answers
        self.refused += refused

    @property
    def is_to_bisect(self) -> bool:
        """Whether there is something to cut, or to put together, before the next job."""
        inputs = self.split_inputs.values()
        return bool(self.to_cut) or (not self.groups and any(not each.is_over for each in inputs))

    def save(self, run: Run, shard: int, step: int) -> None:
        """Keep it as what step ``step`` has left."""
        run.store.write_json(_place(run, shard, step), asdict(self))

    @classmethod
    def load(cls, run: Run, shard: int, step: int) -> ShardState:
        """What step ``step`` has left."""
        kept: Mapping[str, Any] = run.store.read_json(_place(run, shard, step))
        return cls(
            jobs=kept["jobs"],
            retried=kept.get("retried", 0),  # absent where an earlier version began the shard
            budgets=dict(kept["budgets"]),
            waited=dict(kept.get("waited", {})),
            groups=[[Unit(**unit) for unit in group] for group in kept["groups"]],
            to_cut=list(kept["to_cut"]),
            split_inputs={
                index: SplitInput(**each) for index, each in kept["split_inputs"].items()
            },
            wait_seconds=kept["wait_seconds"],
            tally=None if kept["tally"] is None else Tally(**kept["tally"]),
            changed=dict(kept["changed"]),
            with_blanks=list(kept["with_blanks"]),
            records=kept["records"],
            answers=kept["answers"],
            refused=kept["refused"],
        )


def _place(run: Run, shard: int, step: int) -> Place:
    return run.shard(shard) / f"state/{step:06}.json"
