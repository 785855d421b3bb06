from __future__ import annotations

import json
from threading import Barrier, Event
from typing import Any

from local_aws.services.cloudformation.engine.graph import Graph, resource_graph, run
from local_aws.services.cloudformation.engine.template import parse
from local_aws.template import needed


def _graph(**resources: dict[str, Any]) -> Graph:
    definitions = {name: {"Type": "T", **rest} for name, rest in resources.items()}
    return resource_graph(parse(json.dumps({"Resources": definitions})))


def test_every_kind_of_reference_orders() -> None:
    graph = _graph(
        E={"Properties": {"A": {"Fn::Sub": "${D.Arn} ${AWS::Region} ${!X}"}}},
        D={"Properties": {"A": [{"Fn::GetAtt": ["C", "Arn"]}]}},
        C={"Properties": {"A": {"Fn::Join": ["", [{"Ref": "B"}]]}}},
        B={"DependsOn": ["A"]},
        A={"DependsOn": []},
    )

    assert graph.order() == ["A", "B", "C", "D", "E"]


def test_sub_variables_are_not_references() -> None:
    resource = {"Properties": {"A": {"Fn::Sub": ["${Name} ${B}", {"Name": {"Ref": "C"}}]}}}

    assert needed(resource) == {"B", "C"}


def test_both_branches_of_a_condition_count() -> None:
    resource = {"Properties": {"A": {"Fn::If": ["X", {"Ref": "B"}, {"Fn::GetAtt": "C.Arn"}]}}}

    assert needed(resource) == {"B", "C"}


def test_a_cycle_is_found_and_named() -> None:
    graph = _graph(A={"DependsOn": "B"}, B={"DependsOn": "C"}, C={"DependsOn": "A"}, D={})

    assert graph.cycle() == ["A", "B", "C"]


def test_deletion_goes_the_other_way() -> None:
    graph = Graph({"a": set(), "b": {"a"}, "c": {"b"}})

    assert graph.reversed().order() == ["c", "b", "a"]


def test_independent_names_are_worked_on_together() -> None:
    together = Barrier(3, timeout=60)

    def work(name: str) -> None:
        together.wait()

    assert run(Graph({"a": set(), "b": set(), "c": set()}), work) == {}


def test_nothing_begins_before_what_it_needs() -> None:
    done: list[str] = []

    run(Graph({"c": {"b"}, "b": {"a"}, "a": set()}), done.append)

    assert done == ["a", "b", "c"]


def test_what_needs_a_failed_one_is_not_begun_and_the_rest_is() -> None:
    done: list[str] = []

    def work(name: str) -> None:
        if name == "a":
            raise ValueError(name)
        done.append(name)

    failures = run(Graph({"a": set(), "b": {"a"}, "x": set(), "y": {"x"}}), work)

    assert list(failures) == ["a"]
    assert done == ["x", "y"]


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
