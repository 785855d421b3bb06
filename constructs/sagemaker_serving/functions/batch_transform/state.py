"""Where a shard stands: what is still to run, and which inputs are run in chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .run import Run
from .store import Place, Store


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
    def chunk_name(self) -> str:
        """The chunk's key below the shard's chunks."""
        return f"{self.input:06}/{self.first:012}-{self.count}"


@dataclass(kw_only=True)
class SplitInput:
    """An input that is run in chunks: the good ones, and the bad records.

    ``is_over`` is whether its output, and what the list says of it, are written.
    """

    is_over: bool = False
    good: list[list[int]] = field(default_factory=list)
    """First record and count of each chunk that has an output."""
    bad: list[dict[str, Any]] = field(default_factory=list)
    """The fields of `quarantine.Bad`; ``data`` is read when the list is written."""


@dataclass(kw_only=True)
class ShardState:
    """Kept in S3 after each step. ``groups`` wait for jobs, the first is the current job's."""

    jobs: int = 0
    budgets: dict[str, int] = field(default_factory=dict)
    groups: list[list[Unit]] = field(default_factory=list)
    to_cut: list[dict[str, Any]] = field(default_factory=list)
    """Units that are to be cut into smaller ones, each with why: ``{"unit": …, "error": …}``."""
    split_inputs: dict[str, SplitInput] = field(default_factory=dict)
    """By the input's index, as text, since JSON's keys are."""

    @property
    def is_to_bisect(self) -> bool:
        """Whether there is something to cut, or to put together, before the next job."""
        inputs = self.split_inputs.values()
        return bool(self.to_cut) or (not self.groups and any(not each.is_over for each in inputs))

    def save(self, store: Store, run: Run, shard: int, step: int) -> None:
        """Keep it as what step ``step`` has left."""
        store.write_json(_place(run, shard, step), asdict(self))

    @classmethod
    def load(cls, store: Store, run: Run, shard: int, step: int) -> ShardState:
        """What step ``step`` has left."""
        kept: Mapping[str, Any] = store.read_json(_place(run, shard, step))
        return cls(
            jobs=kept["jobs"],
            budgets=dict(kept["budgets"]),
            groups=[[Unit(**unit) for unit in group] for group in kept["groups"]],
            to_cut=list(kept["to_cut"]),
            split_inputs={
                index: SplitInput(**each) for index, each in kept["split_inputs"].items()
            },
        )


def _place(run: Run, shard: int, step: int) -> Place:
    return run.shard(shard) / f"state/{step:06}.json"
