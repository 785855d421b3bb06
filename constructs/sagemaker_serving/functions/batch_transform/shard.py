"""One shard of a run at one of its steps: where its files lie, its next job, its next step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .failures import Failure
from .inputs import folder_of
from .ledger import stale
from .plan import inputs_of
from .quarantine import release
from .run import Run
from .sharding import Input
from .state import ShardState, Unit
from .store import Place, Store

MAX_JOBS = 100
"""Jobs of one shard; then what still fails is quarantined as it is."""


@dataclass(kw_only=True)
class Shard:
    """A shard as step ``step`` found it; ``state`` is what that step works on."""

    store: Store
    run: Run
    number: int
    step: int
    inputs: Sequence[Input]
    state: ShardState

    @classmethod
    def begin(cls, store: Store, run: Run, number: int) -> Shard:
        """The shard before its first job: all of its inputs are to run."""
        inputs = inputs_of(store, run, number)
        state = ShardState(groups=[[Unit(input=index) for index in range(len(inputs))]])
        return cls(store=store, run=run, number=number, step=-1, inputs=inputs, state=state)

    @classmethod
    def load(cls, store: Store, run: Run, number: int, step: int) -> Shard:
        """The shard as step ``step`` has left it."""
        return cls(
            store=store,
            run=run,
            number=number,
            step=step,
            inputs=inputs_of(store, run, number),
            state=ShardState.load(store, run, number, step),
        )

    @property
    def can_run_more(self) -> bool:
        """Whether another job is allowed."""
        return self.state.jobs < MAX_JOBS

    @property
    def job_name(self) -> str:
        """The name of its latest job."""
        return self.run.job_name(self.number, self.state.jobs)

    def input_of(self, unit: Unit) -> Input:
        """The input that a unit is, or is a part of."""
        return self.inputs[unit.input]

    def source_of(self, unit: Unit) -> Place:
        """The object that a job reads for a unit."""
        return self._folder(unit) / self._name(unit)

    def output_of(self, unit: Unit) -> Place:
        """The object that a job writes for a unit."""
        return self.outputs_folder(unit) / f"{self._name(unit)}.out"

    def next_step(self, *, wait: int = 0) -> dict[str, Any]:
        """Save where the shard stands, and say what the state machine does next."""
        self.step += 1
        answer: dict[str, Any] = {"after": self.step, "next": "done"}
        if self.state.is_to_bisect:
            answer["next"] = "isolate"
        elif self.state.groups:
            self.state.jobs += 1
            job = self._next_job(self.state.groups[0])
            answer |= {"next": "transform", "wait_seconds": wait, "job": job}
        self.state.save(self.store, self.run, self.number, self.step)
        if answer["next"] == "done":
            self._release()
            self._finish("done", None)
        return answer

    def give_up(self, failure: Failure) -> dict[str, Any]:
        """End the shard with what is done; the rest is unaccounted for."""
        self._finish(failure.kind, failure.reason)
        return {
            "after": self.step + 1,
            "next": "give-up",
            "error": failure.kind,
            "cause": failure.reason,
        }

    @cached_property
    def _inputs_folder(self) -> Place:
        return folder_of(self.store, self.run)

    def _folder(self, unit: Unit) -> Place:
        """Where a unit's name begins."""
        if unit.is_chunk:
            return self.run.shard(self.number) / "chunks/"
        return self._inputs_folder

    def outputs_folder(self, unit: Unit) -> Place:
        """Where a job over such units writes."""
        if unit.is_chunk:
            return self.run.shard(self.number) / "answers/"
        return self.run.output_place

    def _name(self, unit: Unit) -> str:
        return unit.chunk_name if unit.is_chunk else self.input_of(unit).name

    def _next_job(self, units: Sequence[Unit]) -> dict[str, Any]:
        """CreateTransformJob's arguments for a job over ``units``; its manifest is written."""
        run, number = self.run, self.state.jobs
        manifest = run.shard(self.number) / f"manifests/{number:06}.json"
        names = [self._name(unit) for unit in units]
        body = json.dumps([{"prefix": str(self._folder(units[0]))}, *names], ensure_ascii=False)
        self.store.write(manifest, body.encode())
        job = dict(run.job)
        source = {"S3DataType": "ManifestFile", "S3Uri": str(manifest)}
        return {
            **job,
            "TransformJobName": run.job_name(self.number, number),
            "TransformInput": {**job["TransformInput"], "DataSource": {"S3DataSource": source}},
            "TransformOutput": {
                **job["TransformOutput"],
                "S3OutputPath": str(self.outputs_folder(units[0])),
            },
        }

    def _release(self) -> None:
        """Take from the list what stood on it before, and has all its answers now."""
        split = self.state.split_inputs
        whole = [entry for index, entry in enumerate(self.inputs) if str(index) not in split]
        for name in stale(self.store, self.run, whole):
            release(self.store, self.run, name)

    def _finish(self, ended: str, reason: str | None) -> None:
        """Leave how the shard has ended, for the report and for whoever watches."""
        self.store.write_json(self.run.ended(self.number), {"ended": ended, "reason": reason})
