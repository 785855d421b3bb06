"""Every execution of this local AWS, by its ARN."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from local_aws.clock import iso, now
from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine.execution import Execution, Machine
from local_aws.services.stepfunctions.engine.map_run import AnyMapRun, EndedMapRun

_RESTARTED = "the local AWS ended while this execution ran"


class Executions:
    """Starts executions and remembers them; ``on_start`` is told of each that somebody starts,
    ``on_end`` of each that ends."""

    def __init__(
        self,
        on_start: Callable[[Execution], None] = lambda _: None,
        on_end: Callable[[Execution], None] = lambda _: None,
    ) -> None:
        self._by_arn: dict[str, Execution] = {}
        self._lock = threading.RLock()
        self._on_start, self._on_end = on_start, on_end

    def start(
        self, machine: Machine, name: str | None, input: str, trace_header: str | None = None
    ) -> Execution:
        """Start an execution; the same name and input as one that runs is that one.

        Raises AwsError ExecutionAlreadyExists when the name is taken otherwise.
        """
        with self._lock:
            taken = None if name is None else self._named(machine, name)
            if taken is not None:
                if taken.status == "RUNNING" and taken.input == input:
                    return taken
                raise AwsError("ExecutionAlreadyExists", f"Execution Already Exists: '{taken.arn}'")
            name = name or str(uuid.uuid4())
            execution = self.add(machine, name, input, trace_header=trace_header)
        self._on_start(execution)
        execution.start()
        return execution

    def add(
        self,
        machine: Machine,
        name: str,
        input: str,
        *,
        map_run_arn: str | None = None,
        item_count: int | None = None,
        trace_header: str | None = None,
    ) -> Execution:
        """An execution that somebody else runs."""
        execution = Execution(
            arn=arn_of(machine, name),
            name=name,
            machine=machine,
            input=input,
            map_run_arn=map_run_arn,
            item_count=item_count,
            trace_header=trace_header,
            on_end=self._on_end,
        )
        with self._lock:
            self._by_arn[execution.arn] = execution
        return execution

    def find(self, arn: str) -> Execution:
        """The execution of this ARN. Raises AwsError ExecutionDoesNotExist."""
        found = self._by_arn.get(arn)
        if found is None:
            raise AwsError("ExecutionDoesNotExist", f"Execution Does Not Exist: '{arn}'")
        return found

    def executions_of(self, arn: str) -> list[Execution]:
        """Executions of a machine, the newest first."""
        return self._newest(lambda each: each.machine.arn == arn)

    def children_of(self, arn: str) -> list[Execution]:
        """Children of a Map Run, the newest first."""
        return self._newest(lambda each: each.map_run_arn == arn)

    def running(self) -> list[Execution]:
        """Executions that run now."""
        return [each for each in self._all() if each.status == "RUNNING"]

    def map_run(self, arn: str) -> AnyMapRun:
        """The Map Run of this ARN. Raises AwsError ResourceNotFound."""
        for execution in self._all():
            for run in execution.map_runs:
                if run.arn == arn:
                    return run
        raise AwsError("ResourceNotFound", f"Resource not found: '{arn}'")

    def forget_machine(self, arn: str) -> None:
        """Abort and forget the executions of a machine that is deleted."""
        for execution in self._all():
            if execution.machine.arn.partition("/")[0] == arn:
                execution.stop(cause="The state machine was deleted.")
                with self._lock:
                    self._by_arn.pop(execution.arn, None)

    def stop_all(self, cause: str) -> None:
        """Abort whatever runs."""
        for execution in self.running():
            execution.stop(cause=cause)

    def export_state(self) -> list[dict[str, Any]]:
        """Every execution as plain data, for JSON; also of those that run, as they are now."""
        return [_exported(execution) for execution in self._all()]

    def restore_state(self, exported: list[dict[str, Any]]) -> None:
        """Take back what `export_state` gave; what ran then is ABORTED."""
        for data in exported:
            execution = _restored(data)
            with self._lock:
                self._by_arn[execution.arn] = execution

    def _named(self, machine: Machine, name: str) -> Execution | None:
        return None if machine.kind == "EXPRESS" else self._by_arn.get(arn_of(machine, name))

    def _all(self) -> list[Execution]:
        with self._lock:
            return list(self._by_arn.values())

    def _newest(self, wanted: Callable[[Execution], bool]) -> list[Execution]:
        found = [each for each in self._all() if wanted(each)]
        return sorted(found, key=lambda each: each.start_date, reverse=True)


def arn_of(machine: Machine, name: str) -> str:
    """``arn:…:execution:<machine>:<name>``; EXPRESS ones are ``express`` and end in a UUID."""
    if machine.kind == "EXPRESS":
        head = machine.arn.replace(":stateMachine:", ":express:")
        return f"{head}:{name}:{uuid.uuid4()}"
    return f"{machine.arn.replace(':stateMachine:', ':execution:')}:{name}"


_TEXTS = (
    *("arn", "name", "input", "status", "output", "error", "cause", "map_run_arn", "item_count"),
    "trace_header",
)
_MACHINE = [each.name for each in fields(Machine)]


def _exported(execution: Execution) -> dict[str, Any]:
    runs = [{**run.describe(), "stateMachineArn": run.machine_arn} for run in execution.map_runs]
    stopped = execution.stop_date
    return {
        **{name: getattr(execution, name) for name in _TEXTS},
        "start_date": iso(execution.start_date),
        "stop_date": None if stopped is None else iso(stopped),
        "machine": {name: getattr(execution.machine, name) for name in _MACHINE},
        "history": execution.history.events(),
        "map_runs": [_plain(run) for run in runs],
    }


def _restored(data: dict[str, Any]) -> Execution:
    execution = Execution(
        arn=data["arn"],
        name=data["name"],
        machine=Machine(**data["machine"]),
        input=data["input"],
        map_run_arn=data["map_run_arn"],
        item_count=data["item_count"],
        trace_header=data.get("trace_header"),
    )
    for name in ("status", "output", "error", "cause"):
        setattr(execution, name, data[name])
    execution.start_date = datetime.fromisoformat(data["start_date"])
    execution.map_runs = [EndedMapRun(run) for run in _runs(data["map_runs"])]
    execution.history.restore(data["history"])
    if data["stop_date"] is not None:
        execution.stop_date = datetime.fromisoformat(data["stop_date"])
    else:
        execution.history.aborted(None, _RESTARTED)
        execution.status, execution.cause = "ABORTED", _RESTARTED
        execution.stop_date = now()
    execution.history.close()
    execution.ended.set()
    return execution


def _runs(exported: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for run in exported:
        dates: dict[str, Any] = {
            name: datetime.fromisoformat(run[name])
            for name in ("startDate", "stopDate")
            if name in run
        }
        ended = {} if "stopDate" in run else {"status": "ABORTED"}
        yield {**run, **dates, **ended}


def _plain(run: dict[str, Any]) -> dict[str, Any]:
    return {key: iso(value) if isinstance(value, datetime) else value for key, value in run.items()}
