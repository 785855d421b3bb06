"""``local up --engine`` and ``--without-engines``: what stands in for images, and who says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local_aws.process.address import find

Run = Callable[..., Any]


@pytest.fixture
def local(run: Run) -> Iterator[Run]:
    """Runs ``sagemaker-serving local``; what it has started is ended."""
    yield lambda *arguments, **more: run("local", *arguments, **more)
    run("local", "down")


def test_everything_wrong_with_engines_is_said_at_once_and_nothing_starts(local: Run) -> None:
    ended = local(
        *("up", "--port", "0", "--engine", "mine:7=stub", "--engine", "mine=sutb"),
        SAGEMAKER_SERVING_ENGINES="other",
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines() == [
        "sagemaker-serving: SAGEMAKER_SERVING_ENGINES is 'other': it must be REPOSITORY=ENGINE, as "
        "team/server=stub; ENGINE is tensorflow, pytorch, neo-pytorch, neo-onnx, neo-xgboost, "
        "sklearn, xgboost, huggingface, triton, ray-serve, ray-serve-streaming, stub or "
        "command:PROGRAM",
        "--engine is 'mine:7=stub': 'mine:7' is no repository's name; leave the tag out: mine",
        "--engine is 'mine=sutb': there is no engine 'sutb'; ENGINE is tensorflow, pytorch, "
        "neo-pytorch, neo-onnx, neo-xgboost, sklearn, xgboost, huggingface, triton, ray-serve, "
        "ray-serve-streaming, stub or command:PROGRAM, or none to forget it; did you mean stub",
    ]
    assert local("status").returncode == 2


def test_an_engine_may_be_named_while_it_runs_and_is_kept(local: Run, tmp_path: Any) -> None:
    local("up", "--port", "0")
    assert "no local AWS" not in local("status").stderr
    ended = local("up", "--engine", "mine=stub")
    assert ended.stdout.splitlines()[0] == "from now on stub serves images of mine", ended.stderr
    sagemaker = find(tmp_path / ".sagemaker-serving").client("sagemaker", "eu-west-1")
    assert sagemaker.list_endpoints()["Endpoints"] == []
    said = "images of mine are served by stub\n"
    assert said in local("status").stdout
    assert local("up", "--engine", "mine=pytorch", "--port", "0").returncode == 2
    local("down")
    assert said in local("up", "--port", "0").stdout


@pytest.mark.long
def test_what_was_said_of_engines_is_shown_and_kept(local: Run, tmp_path: Any) -> None:
    said = "images of mine are served by stub\n"
    up = local(
        *("up", "--port", "0", "--without-engines", "--engine", "mine=stub"),
        SAGEMAKER_SERVING_ENGINES="mine=pytorch",
    )
    off = "no engines: endpoints are InService with nothing behind them (--without-engines)\n"
    assert off + said in up.stdout, up.stderr
    assert off + said in local("status").stdout
    sagemaker = find(tmp_path / ".sagemaker-serving").client("sagemaker", "eu-west-1")
    assert sagemaker.list_endpoints()["Endpoints"] == []
    local("down")
    assert off + said in local("up", "--port", "0").stdout
    local("down")
    again = local("up", "--port", "0", "--with-engines").stdout
    assert said in again
    assert off not in again
