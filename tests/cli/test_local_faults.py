"""``local faults`` against a local AWS that runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local_aws.faults import KINDS

Run = Callable[..., Any]


@pytest.fixture
def up(run: Run) -> Iterator[None]:
    assert run("local", "up", "--port", "0").returncode == 0
    yield
    run("local", "down")


@pytest.mark.parametrize("command", [(), ("set",)], ids=" ".join)
def test_the_help_knows_every_kind(run: Run, command: tuple[str, ...]) -> None:
    said = run("local", "faults", *command, "--help").stdout
    assert [kind for kind in KINDS if kind not in said] == []


@pytest.mark.slow
@pytest.mark.long
def test_faults_are_set_shown_and_cleared(run: Run, up: None) -> None:
    def faults(*arguments: str) -> tuple[int, str, str]:
        ended = run("local", "faults", *arguments)
        return ended.returncode, ended.stdout, ended.stderr

    assert faults("list") == (0, "no faults are set\n", "")
    options = ("--service", "sagemaker", "--operation", "List*", "--first", "2")
    set_ = "throttling service=sagemaker operation=List* first=2"
    assert faults("set", "throttling", *options) == (0, f"set: {set_}\n", "")
    assert faults("set", "slow", "--id", "late", "--latency-ms", "5")[0] == 0
    assert faults("list")[1].splitlines() == [
        f"{set_}  (struck 0 of 0)",
        "late: slow latency_ms=5  (struck 0 of 0)",
    ]
    assert json.loads(faults("list", "--json")[1])[1]["latency_ms"] == 5
    status, _, said = faults("set", "slow", "--rate", "2", "--status", "5")
    assert status == 2
    assert "rate is 2.0; it is a number from 0 to 1" in said
    assert "status is of model-error only" in said
    assert faults("clear", "lat") == (
        2,
        "",
        "sagemaker-serving: there is no fault 'lat'; did you mean 'late'?\n",
    )
    assert faults("clear", "late") == (0, "1 faults are left\n", "")
    assert faults("clear") == (0, "no faults are set\n", "")
