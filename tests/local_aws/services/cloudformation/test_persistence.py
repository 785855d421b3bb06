"""Stacks are written down while deployments go on with them."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from local_aws.services.cloudformation.engine.persistence import export_stacks, restore_stacks
from local_aws.services.cloudformation.engine.stacks import Resource, Stack, Stacks


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns as often as they can, and wherever memory is collected: anywhere."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    gc.callbacks.append(_take_turns)
    yield
    gc.callbacks.remove(_take_turns)
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


def _take_turns(phase: str, info: dict[str, int]) -> None:
    for _ in range(10):
        pass


@pytest.mark.usefixtures("busy")
def test_a_stack_is_written_down_while_its_resources_come_and_go() -> None:
    stacks = Stacks()
    stack = Stack("s", "arn:s", "eu-west-1", "2026-11-23T00:00:00.000Z")
    stacks.put(stack)
    resources = stack.version.resources
    resources.update({f"r{n}": Resource(f"r{n}", "AWS::SNS::Topic") for n in range(200)})
    ended = threading.Event()

    def deploy() -> None:
        for n in count(200):
            resources[f"r{n}"] = Resource(f"r{n}", "AWS::SNS::Topic")
            del resources[f"r{n - 200}"]
            if ended.is_set():
                break

    deployment = threading.Thread(target=deploy)
    deployment.start()
    try:
        for _ in range(200):
            (written,) = export_stacks(stacks)
            assert 199 <= len(written["version"]["resources"]) <= 201
    finally:
        ended.set()
        deployment.join()


def test_all_that_has_happened_to_a_stack_is_written_down_until_it_is_deleted() -> None:
    stacks = Stacks()
    stack = Stack("s", "arn:s", "eu-west-1", "2026-11-23T00:00:00.000Z")
    stacks.put(stack)
    happened = ("CREATE_IN_PROGRESS", "CREATE_COMPLETE", "DELETE_IN_PROGRESS", "DELETE_COMPLETE")
    for status in happened:
        stack.set_status(status, f"why {status}")
        (written,) = export_stacks(stacks)
        assert (written["status"], written["reason"]) == (status, f"why {status}")
        assert [event["status"] for event in written["events"]][-1] == status
    assert export_stacks(stacks)[0] is written
    found = Stacks()
    restore_stacks(found, [written])
    assert [event.status for event in found.every()[0].events] == [*happened]
