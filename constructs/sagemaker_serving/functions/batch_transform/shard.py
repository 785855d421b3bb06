"""One shard of a run at one of its steps: where its files lie, its next job, its next step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from .failures import Failure, Kind
from .inputs import folder_of
from .ledger import stale
from .plan import inputs_of
from .quarantine import Bad, quarantine, release
from .records import Framed, records_of
from .run import Run
from .sharding import Input
from .state import ShardState, SplitInput, Unit
from .store import Place

MAX_JOBS = 100
"""Jobs of one shard, but for those after a wait; then what still fails is quarantined as it is."""


@dataclass(kw_only=True)
class Shard:
    """A shard as step ``step`` found it; ``state`` is what that step works on.

    ``in_time`` is whether this call has time for more; what is left is for the next one.
    """

    run: Run
    number: int
    step: int
    inputs: Sequence[Input]
    state: ShardState
    in_time: Callable[[], bool] = lambda: True

    @classmethod
    def begin(cls, run: Run, number: int) -> Shard:
        """The shard before its first job: all of its inputs are to run."""
        inputs = inputs_of(run, number)
        state = ShardState(groups=[[Unit(input=index) for index in range(len(inputs))]])
        return cls(run=run, number=number, step=-1, inputs=inputs, state=state)

    @classmethod
    def load(cls, run: Run, number: int, step: int, in_time: Callable[[], bool]) -> Shard:
        """The shard as step ``step`` has left it."""
        state = ShardState.load(run, number, step)
        inputs = inputs_of(run, number)
        for index, modified in state.changed.items():
            inputs[int(index)] = replace(inputs[int(index)], modified=modified)
        return cls(run=run, number=number, step=step, inputs=inputs, state=state, in_time=in_time)

    @property
    def can_run_more(self) -> bool:
        """Whether another job is allowed."""
        return self.state.jobs - self.state.retried < MAX_JOBS

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

    def records_of(self, unit: Unit, *, limit: int) -> Iterator[Framed]:
        """The records of what a job reads for a unit, as `records.records_of` gives them."""
        body = self.run.store.open(self.source_of(unit))
        return records_of(body, self.run.split_type, is_gzip=self.run.is_gzip, limit=limit)

    def look_again(self, units: Sequence[Unit]) -> tuple[dict[Unit, int], set[Unit]]:
        """Those of units whose inputs were put anew since they were planned, and when; those gone.

        An answer to what an input was before is none to what it is now, however young it is.
        """
        by_key = {self._inputs_folder.key + self.input_of(unit).name: unit for unit in units}
        found = self.run.store.found(self._inputs_folder, sorted(by_key))
        changed = {
            by_key[key]: entry.modified
            for key, entry in found.items()
            if entry.modified > self.input_of(by_key[key]).modified
        }
        return changed, {unit for key, unit in by_key.items() if key not in found}

    def run_anew(self, unit: Unit, modified: int) -> None:
        """Have an input that was put anew transformed as it is now.

        One that is put again and again stays unaccounted for in the end.
        """
        self.state.changed[str(unit.input)] = modified
        self.state.split_inputs.pop(str(unit.input), None)
        if self.can_run_more:
            self.state.groups.append([Unit(input=unit.input)])

    def again(self) -> dict[str, Any]:
        """Save where the shard stands, and have this step called again."""
        self.step += 1
        self.state.save(self.run, self.number, self.step)
        return {"after": self.step, "next": "settle"}

    def refuse(
        self,
        unit: Unit,
        why: str,
        *,
        differs: bool = False,
        records: int | None = None,
        is_final: bool = False,
    ) -> None:
        """Quarantine what cannot be cut any more; have the rest cut.

        ``differs`` is whether the unit has an output whose answers are not as many as its
        ``records``; ``is_final`` is whether an input is not to be cut at all.
        """
        known = records if records is not None else unit.count
        if unit.is_chunk:
            self._refuse_chunk(unit, why, differs=differs)
        elif self.run.is_split and self.can_run_more and known not in (0, 1) and not is_final:
            self.state.split_inputs[str(unit.input)] = SplitInput(records=records, error=why)
            self._cut(unit, why, differs=differs)
        else:
            whole = None if known == 1 else known
            bad = Bad(error=why, records=whole)
            quarantine(self.run, self.input_of(unit).name, [bad])
            if known is not None or not self.run.is_split:
                number = 1 if known is None else known
                self.state.add(records=number, answers=0, refused=number)

    def _refuse_chunk(self, unit: Unit, why: str, *, differs: bool) -> None:
        if unit.count != 1 and self.can_run_more:
            self._cut(unit, why, differs=differs)
            return
        bad = {"record": unit.first, "offset": unit.offset, "length": unit.length, "error": why}
        if unit.count != 1:
            bad |= {"records": unit.count, "error": f"not told apart, from here on: {why}"}
        self.state.split_inputs[str(unit.input)].bad.append(bad)

    def _cut(self, unit: Unit, why: str, *, differs: bool) -> None:
        self.state.to_cut.append({"unit": asdict(unit), "error": why, "differs": differs})

    def next_step(self) -> dict[str, Any]:
        """Save where the shard stands, and say what the state machine does next."""
        self.step += 1
        answer: dict[str, Any] = {"after": self.step, "next": "done"}
        if self.state.is_to_bisect:
            answer["next"] = "isolate"
        elif self.state.groups:
            self.state.jobs += 1
            job = self._next_job(self.state.groups[0])
            wait, self.state.wait_seconds = self.state.wait_seconds, 0
            answer |= {"next": "transform", "wait_seconds": wait, "job": job}
        self.state.save(self.run, self.number, self.step)
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
        return folder_of(self.run)

    def _folder(self, unit: Unit) -> Place:
        """Where a unit's name begins."""
        if unit.is_chunk:
            return self.run.shard(self.number) / "chunks/"
        return self._inputs_folder

    def outputs_folder(self, unit: Unit) -> Place:
        """Where a job over such units writes.

        Outputs of records go beside the shard's other files, until they are counted.
        """
        if unit.is_chunk:
            return self.run.shard(self.number) / "answers/"
        if self.run.is_split:
            return self.run.shard(self.number) / f"outputs/{self.state.jobs:03}/"
        return self.run.output_place

    def _name(self, unit: Unit) -> str:
        if not unit.is_chunk:
            return self.input_of(unit).name
        anew = self.state.changed.get(str(unit.input))
        return unit.chunk_name if anew is None else f"{anew}/{unit.chunk_name}"

    def _next_job(self, units: Sequence[Unit]) -> dict[str, Any]:
        """CreateTransformJob's arguments for a job over ``units``; its manifest is written."""
        run, number = self.run, self.state.jobs
        manifest = run.shard(self.number) / f"manifests/{number:06}.json"
        names = [self._name(unit) for unit in units]
        body = json.dumps([{"prefix": str(self._folder(units[0]))}, *names], ensure_ascii=False)
        self.run.store.write(manifest, body.encode())
        job = dict(run.job)
        turn = self.state.budgets.get(Kind.CAPACITY, 0) % len(run.instance_types)
        hosts = {**job["TransformResources"], "InstanceType": run.instance_types[turn]}
        source = {"S3DataType": "ManifestFile", "S3Uri": str(manifest)}
        return {
            **job,
            "TransformResources": hosts,
            "TransformJobName": run.job_name(self.number, number),
            "TransformInput": {**job["TransformInput"], "DataSource": {"S3DataSource": source}},
            "TransformOutput": {
                **job["TransformOutput"],
                "S3OutputPath": str(self.outputs_folder(units[0])),
            },
        }

    def _release(self) -> None:
        """Take from the list what stood on it before, and has all its answers now."""
        listed = {*map(int, self.state.split_inputs), *self.state.with_blanks}
        whole = [entry for index, entry in enumerate(self.inputs) if index not in listed]
        for name in stale(self.run, whole):
            release(self.run, name)

    def _finish(self, ended: str, reason: str | None) -> None:
        """Leave how the shard has ended, for the report and for whoever watches."""
        state = self.state
        ended_as = {
            "ended": ended,
            "reason": reason,
            "records": state.records,
            "records_answered": state.answers,
            "records_quarantined": state.refused,
        }
        self.run.store.write_json(self.run.ended(self.number), ended_as)
