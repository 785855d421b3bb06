"""Two recordings of one AWS are equal, and what differs is told."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.acceptance.comparison import DIFFERS_BY_NATURE, compare
from tests.acceptance.masking import Resource, masked
from tests.acceptance.recording import Call, Recording, Step


def recorded(suffix: str, time: str) -> Recording:
    """What AWS answers; its ids, times and the ends of its names are others each time."""
    queue, key = f"things-Queue-{suffix}", str(uuid4())
    members = {
        "Arn": f"arn:aws:kms:eu-west-1:123456789012:key/{key}",
        "Queue": f"https://sqs.eu-west-1.amazonaws.com/123456789012/{queue}",
        "Request": str(uuid4()),
        "At": time,
    }
    described = Call(
        operation="kms:DescribeKey",
        parameters={"KeyId": key},
        states=["Creating", "Enabled"],
        status=200,
        code="",
        reason=f"{key} is asked for",
        members=members,
    )
    made = [["CREATE_IN_PROGRESS", ""], ["CREATE_COMPLETE", ""]]
    events = {"things.Queue": made, "things.things": made}
    steps = [Step(name=name, calls=[described], events=events) for name in ("create", "update")]
    return masked(
        Recording(aws="the local AWS", steps=[*steps, Step(name="endpoint", calls=[described])]),
        secrets={"123456789012": "account", "eu-west-1": "region"},
        resources=[Resource(stack="things", logical_id="Queue", physical_id=queue)],
    )


@pytest.fixture
def one() -> Recording:
    return recorded("1A2B3C4D5E6F", "2026-11-30T10:00:00Z")


@pytest.fixture
def other() -> Recording:
    return recorded("A1B2C3D4E5F6", "2026-12-01T11:11:11.123Z")


def test_two_recordings_of_one_aws_are_equal(one: Recording, other: Recording) -> None:
    assert [str(each) for each in compare(one, other)] == []


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder and name of a value that is no other holder, but those that differ by nature."""
    for name, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if isinstance(each, dict | list):
            yield from places(each)
        elif name not in DIFFERS_BY_NATURE:
            yield value, name


def test_whatever_is_changed_or_left_out_is_told(one: Recording) -> None:
    before = asdict(one)
    for number in range(len(list(places(before["steps"])))):
        changed, less = deepcopy(before), deepcopy(before)
        holder, name = list(places(changed["steps"]))[number]
        kept = holder[name]
        holder[name] = f"{kept} and more" if isinstance(kept, str) else kept + 1
        assert compare(one, Recording.of(changed)) != [], (name, kept)
        holder, name = list(places(less["steps"]))[number]
        if isinstance(holder, dict) and not holder.keys() & {"states", "calls"}:
            del holder[name]
            assert compare(one, Recording.of(less)) != [], (name, kept)


def test_an_id_that_became_another_is_told(one: Recording, other: Recording) -> None:
    members = other.steps[2].calls[0].members
    members["Request"] = members["Arn"].rpartition("/")[2]
    (found,) = compare(one, other)
    assert (found.kind, found.where) == ("field", ("endpoint", "kms:DescribeKey", "Request"))


def test_a_step_a_call_or_a_resource_that_is_missing_is_told(
    one: Recording, other: Recording
) -> None:
    del other.steps[0].events["things.Queue"]
    del other.steps[1].calls[-1]
    del other.steps[2]
    assert [(each.kind, each.where) for each in compare(one, other)] == [
        ("missing", ("create", "things.Queue")),
        ("missing", ("update",)),
        ("missing", ("endpoint",)),
    ]


def test_a_recording_that_was_saved_is_the_same(one: Recording, tmp_path: Path) -> None:
    path = tmp_path / "recordings" / "aws.json"
    one.save(path)
    assert Recording.load(path) == one
