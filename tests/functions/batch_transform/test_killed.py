"""The function is killed after each of its calls to AWS; and so are whole executions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from sagemaker_serving.functions.batch_transform.errors import Refused
from tests.functions.batch_transform.driving import Machine
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import manifest, put
from tests.functions.killing import Killed, Killing


def answer(payload: bytes) -> bytes | None:
    return None if b"bad" in payload else b"<" + payload + b">"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Inputs, and how they are transformed."""

    files: Mapping[str, bytes]
    fields: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[MemoryS3], Mapping[str, Any]] = lambda _: {}

    def begin(self, killed: Killing, **how: Any) -> tuple[Machine, dict[str, Any]]:
        """A machine with its inputs in S3, and an execution's input."""
        s3 = MemoryS3()
        put(s3, self.files)
        given = {**self.given, **self.prepare(s3)}
        return Machine(s3, answer, killed, **{**self.fields, **how}), given


def a_manifest(s3: MemoryS3) -> Mapping[str, Any]:
    return {"source": manifest(s3, ["a", "missing", "c"]), "input_type": "ManifestFile"}


def what_was_refused(s3: MemoryS3) -> Mapping[str, Any]:
    """An earlier execution, whose model refused all."""
    Machine(s3, lambda _: None, Killing(), **WHOLE).execute("earlier")
    s3.now += 2
    return {"retry_quarantined": True}


WHOLE: dict[str, Any] = {"max_objects_per_shard": 2}
OBJECTS = {"a": b"1", "b": b"bad", "c": b"3"}
LINES: dict[str, Any] = {
    "split_type": "Line",
    "batch_strategy": "SingleRecord",
    "assemble_with": "Line",
    "max_objects_per_shard": 2,
}
CASES = {
    "objects": Case(files=OBJECTS, fields=WHOLE),
    "records": Case(files={"a": b"1\n2\n", "b": b"3\nbad\n5\n", "c": b"6\n\n7\n"}, fields=LINES),
    "manifest": Case(files=OBJECTS, fields=WHOLE, prepare=a_manifest),
    "retried": Case(files=OBJECTS, fields=WHOLE, prepare=what_was_refused),
    "in a hurry": Case(
        files={**OBJECTS, "d": b"4", "e": b"5"}, fields={**WHOLE, "is_in_a_hurry": True}
    ),
}
EACH = [
    pytest.param(case, id=name, marks=() if name in ("objects", "records") else pytest.mark.long)
    for name, case in CASES.items()
]


@pytest.mark.parametrize("case", EACH)
def test_an_execution_whose_function_is_killed_anywhere_ends_as_if_it_were_not(case: Case) -> None:
    undisturbed, given = case.begin(Killing())
    wanted = undisturbed.execute("nightly", **given)["counts"]
    for number in count(1):
        killed = Killing(number)
        machine, given = case.begin(killed)
        assert machine.execute("nightly", **given)["counts"] == wanted, killed.calls
        assert answers(machine) == answers(undisturbed), killed.calls
        assert machine.left().keys() == undisturbed.left().keys(), killed.calls
        assert sorted(machine.asked) == sorted(undisturbed.asked), "no job is run twice"
        if not killed.is_over:
            break
    assert number > 30, killed.calls


@pytest.mark.parametrize("case", EACH)
def test_an_execution_that_is_stopped_anywhere_is_finished_by_the_next_one(case: Case) -> None:
    undisturbed, given = case.begin(Killing())
    undisturbed.execute("nightly", **given)
    wanted = answers(undisturbed)
    for number in count(1):
        killed = Killing(number)
        stopped, given = case.begin(killed, is_stopped=True)
        with suppress(Killed):
            stopped.execute("stopped", **given)
        answered = outputs(stopped)
        assert answered.items() <= outputs(undisturbed).items(), "none is there in part"
        stopped.s3.now += 2
        next_one = Machine(stopped.s3, answer, Killing(), **case.fields)
        counts = next_one.execute("nightly", **given)["counts"]
        asked = {line for payload in next_one.asked for line in payload.splitlines()}
        for key in answered:
            body = case.files[key.removeprefix("out/").removesuffix(".out")]
            assert not asked & set(body.splitlines()), "what has its answer is not asked again"
        assert answers(next_one) == wanted, killed.calls
        assert counts["unaccounted"] == 0, killed.calls
        left = next_one.left(with_work=False).keys() - {"reports/turns/000.json"}
        assert left == undisturbed.left(with_work=False).keys(), "a turn waits for who needs it"
        if not killed.is_over:
            break
    assert number > 30, killed.calls


def test_an_execution_that_is_refused_leaves_no_lock_wherever_it_is_killed() -> None:
    case = Case(files={"a": b"1", "b" * 1000: b"2"})
    for number in count(1):
        killed = Killing(number)
        machine, _ = case.begin(killed)
        with pytest.raises(Refused):
            machine.execute("nightly")
        assert [key for key in machine.left() if key.startswith("reports/")] == [], killed.calls
        if not killed.is_over:
            break


def outputs(machine: Machine) -> dict[str, bytes]:
    left = machine.left(with_work=False)
    return {key: body for key, body in left.items() if key.startswith("out/")}


def answers(machine: Machine) -> dict[str, Any]:
    """The outputs, and what is on the list and why."""
    listed = {
        key: [json.loads(line) for line in body.splitlines()]
        for key, body in machine.left(with_work=False).items()
        if "/quarantined/" in key
    }
    return {**outputs(machine), **listed}
