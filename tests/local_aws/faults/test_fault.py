"""One fault: how it is read, what it is about, which matches it strikes."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_aws.faults import KINDS, Fault, Faults, Kind, read_fault, read_faults
from sagemaker_serving.errors import Mistake, NotFound


def test_a_fault_is_read_as_it_was_written() -> None:
    written = {
        "id": "busy",
        "kind": "throttling",
        "service": "sagemaker",
        "operation": "Create*",
        "name": "prod-*",
        "rate": 0.5,
        "seed": 3,
    }
    fault = read_fault(written)
    assert fault.as_json() == written
    assert read_fault(fault.as_json()) == fault


def test_a_fault_without_an_id_is_called_by_its_kind() -> None:
    assert read_fault({"kind": "kill"}) == Fault(id="kill", kind=Kind.KILL)


def test_every_kind_is_explained() -> None:
    assert set(KINDS) == set(Kind)


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    (
        {"kind": "throtling", "rate": 2, "sed": 1},
        ["sed is not a field of a fault; did you mean seed?", "did you mean throttling?", "rate"],
    ),
    ({}, ["kind is None; it is one of throttling, access-denied"]),
    ({"kind": "kill", "rate": 1, "first": 1}, ["rate and first say each how often; give one"]),
    ({"kind": "kill", "every": 0}, ["every is 0; it is a whole number from 1 to 1000000"]),
    ({"kind": "kill", "first": 1.5}, ["first is 1.5; it is a whole number"]),
    ({"kind": "kill", "rate": True}, ["rate is True; it is a number"]),
    ({"kind": "kill", "latency_ms": 5}, ["latency_ms is of slow only; leave it out of kill"]),
    ({"kind": "slow", "status": 500}, ["status is of model-error only; leave it out of slow"]),
    ({"kind": "model-error", "status": 200}, ["status is 200; it is a whole number from 400"]),
    ({"kind": "kill", "service": ""}, ["service is ''; it is a text that is not empty"]),
    (
        {"kind": "kill", "service": "sagmaker"},
        ["AWS has none of this name; did you mean sagemaker"],
    ),
    (
        {"kind": "kill", "service": "sagemaker", "operation": "CreateEndpont"},
        ["sagemaker has none of this name; did you mean CreateEndpoint?"],
    ),
    ({"kind": "kill", "id": "a/b"}, ["id is 'a/b'; it has no '/'"]),
]


@pytest.mark.parametrize(("item", "said"), WRONG, ids=lambda value: str(value)[:50])
def test_all_that_is_wrong_is_said_at_once(item: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(Mistake) as refused:
        read_fault(item)
    for text in said:
        assert text in str(refused.value)


@pytest.mark.parametrize(
    ("service", "operation"),
    [
        ("sagemaker", "InvokeEndpoint"),
        ("sagemaker-runtime", "InvokeEndpoint"),
        ("states", "StartExecution"),
        ("stepfunctions", "StartExecution"),
        ("monitoring", "PutMetricData"),
        ("s*", "Anything"),
        ("s3", "Get*"),
    ],
)
def test_services_go_by_boto3s_and_iams_names(service: str, operation: str) -> None:
    assert read_fault({"kind": "throttling", "service": service, "operation": operation})


def test_a_list_says_which_of_its_faults_is_wrong() -> None:
    with pytest.raises(Mistake, match=r"faults\[1\]: kind is 'x'"):
        read_faults({"faults": [{"kind": "kill"}, {"kind": "x"}]})
    with pytest.raises(Mistake, match=r"faults\[1\]: id 'kill' is taken already"):
        read_faults({"faults": [{"kind": "kill"}, {"kind": "kill"}]})
    documents: list[object] = [[], {"fault": []}, {"faults": {}}, None]
    for document in documents:
        with pytest.raises(Mistake):
            read_faults(document)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_whatever_is_given_is_read_or_refused(value: object) -> None:
    for item in (value, {"kind": value}, {"kind": "kill", "rate": value, "name": value}):
        with suppress(Mistake):
            assert read_fault(item).as_json()


@pytest.mark.parametrize(
    ("patterns", "matches"),
    [
        ({}, True),
        ({"service": "sagemaker"}, True),
        ({"service": "sagemaker-runtime"}, True),
        ({"service": "s3"}, False),
        ({"operation": "Invoke*"}, True),
        ({"operation": "invoke*"}, False),
        ({"name": "prod-?"}, True),
        ({"name": "blue"}, True),
        ({"name": "prod"}, False),
    ],
)
def test_patterns_select_calls(patterns: dict[str, str], matches: bool) -> None:
    fault = read_fault({"kind": "slow", **patterns})
    names = ("prod-1", "blue")
    assert fault.is_about("sagemaker-runtime", "InvokeEndpoint", names) is matches


def struck(fault: Fault, count: int = 12) -> list[int]:
    return [number for number in range(1, count + 1) if fault.strikes(number)]


def test_how_often() -> None:
    assert struck(Fault(id="f", kind=Kind.KILL), 3) == [1, 2, 3]
    assert struck(Fault(id="f", kind=Kind.KILL, first=2)) == [1, 2]
    assert struck(Fault(id="f", kind=Kind.KILL, every=5)) == [5, 10]
    assert struck(Fault(id="f", kind=Kind.KILL, rate=0.0)) == []
    assert len(struck(Fault(id="f", kind=Kind.KILL, rate=1.0))) == 12


@settings(max_examples=20)
@given(st.integers(0, 1000), st.floats(0.1, 0.9))
def test_a_rate_is_kept_and_its_seed_decides_which(seed: int, rate: float) -> None:
    fault = Fault(id="f", kind=Kind.KILL, rate=rate, seed=seed)
    found = struck(fault, 2000)
    assert found == struck(fault, 2000)
    assert abs(len(found) / 2000 - rate) < 0.08
    assert found != struck(Fault(id="f", kind=Kind.KILL, rate=rate, seed=seed + 1), 2000)


def test_threads_do_not_change_how_many_are_struck() -> None:
    faults = Faults()
    faults.put(Fault(id="f", kind=Kind.THROTTLING, rate=0.3, seed=5))
    strikes: list[Fault | None] = []

    def call() -> None:
        for _ in range(100):
            strikes.append(faults.strike((Kind.THROTTLING,), "s3", "GetObject", "b"))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = len(struck(Fault(id="f", kind=Kind.THROTTLING, rate=0.3, seed=5), 800))
    assert sum(fault is not None for fault in strikes) == expected
    (listed,) = faults.listed()
    assert (listed["matched"], listed["struck"]) == (800, expected)


def test_only_what_matches_is_counted() -> None:
    faults = Faults()
    faults.put(Fault(id="f", kind=Kind.THROTTLING, operation="GetObject", first=1))
    assert faults.strike((Kind.ACCESS_DENIED,), "s3", "GetObject") is None
    assert faults.strike((Kind.THROTTLING,), "s3", "PutObject") is None
    assert faults.strike((Kind.THROTTLING,), "s3", "GetObject") is not None
    assert faults.strike((Kind.THROTTLING,), "s3", "GetObject") is None
    assert faults.listed()[0]["matched"] == 2


def test_setting_again_counts_from_the_beginning() -> None:
    faults = Faults()
    for _ in range(2):
        faults.put(Fault(id="f", kind=Kind.KILL, first=1))
        assert faults.strike((Kind.KILL,), "sagemaker", "CreateTransformJob") is not None
        assert faults.strike((Kind.KILL,), "sagemaker", "CreateTransformJob") is None


def test_clearing() -> None:
    faults = Faults()
    assert not faults
    faults.replace([Fault(id="a", kind=Kind.KILL), Fault(id="b", kind=Kind.SLOW)])
    faults.clear("a")
    assert [fault["id"] for fault in faults.listed()] == ["b"]
    with pytest.raises(NotFound, match="there is no fault 'bb'; did you mean 'b'"):
        faults.clear("bb")
    faults.clear()
    assert not faults
