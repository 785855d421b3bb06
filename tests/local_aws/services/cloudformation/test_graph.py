from __future__ import annotations

from threading import Barrier, Event

from local_aws.services.cloudformation.engine.graph import Graph, run
from local_aws.template import needed


def test_sub_variables_are_not_references() -> None:
    resource = {"Properties": {"A": {"Fn::Sub": ["${Name} ${B}", {"Name": {"Ref": "C"}}]}}}

    assert needed(resource) == {"B", "C"}


def test_both_branches_of_a_condition_count() -> None:
    resource = {"Properties": {"A": {"Fn::If": ["X", {"Ref": "B"}, {"Fn::GetAtt": "C.Arn"}]}}}

    assert needed(resource) == {"B", "C"}


def test_independent_names_are_worked_on_together() -> None:
    together = Barrier(3, timeout=60)

    def work(name: str) -> None:
        together.wait()

    assert run(Graph({"a": set(), "b": set(), "c": set()}), work) == {}


def test_after_a_failure_nothing_further_begins_when_told_to_stop() -> None:
    stop = Event()
    done: list[str] = []

    def work(name: str) -> None:
        if name == "a":
            raise ValueError(name)
        stop.wait(60)
        done.append(name)

    run(Graph({"a": set(), "x": set(), "y": {"x"}}), work, stop=stop)

    assert done == ["x"]
