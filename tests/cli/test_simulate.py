"""`simulate` as a shell sees it: what it prints, how it ends, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.operations.simulation.served import server

Run = Callable[..., Any]

ENVIRONMENT = str(Path(__file__).parents[2] / "environments" / "prod.yaml")


@pytest.fixture
def curve(tmp_path: Path) -> str:
    server(0.02).save(tmp_path / "curve.json")
    return str(tmp_path / "curve.json")


def simulated(run: Run, curve: str, traffic: str, *more: str) -> Any:
    return run(
        *("simulate", ENVIRONMENT, "digits", "--variant=cpu", "--curve", curve),
        *("--traffic", traffic, *more),
    )


def test_a_fleet_that_is_enough_ends_with_0_and_says_what_was_assumed(run: Run, curve: str) -> None:
    ended = simulated(run, curve, "constant:5/30m", "--scale=0.5")
    assert ended.returncode == 0, ended.stderr
    quarters = [line.split("\t") for line in ended.stdout.splitlines() if "\t" in line]
    assert [quarter[0] for quarter in quarters] == ["Mon 00:00", "Mon 00:15"]
    assert "answers 0.5 times as fast as a model on a machine" in ended.stdout
    assert "nobody said so: give --start-seconds" in ended.stdout
    assert "no price is known" in ended.stdout


def test_a_fleet_too_small_ends_with_1_and_names_the_minute(
    run: Run, curve: str, tmp_path: Path
) -> None:
    prices = {
        "read": "2026-11-25T00:00:00+00:00",
        "currency": "USD",
        "regions": {"eu-west-1": {"hosting": {"ml.c5.xlarge": 0.25}}},
    }
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    more = ("--instances=2", "--prices", str(tmp_path / "prices.json"), "--json")
    ended = simulated(run, curve, "constant:2000/2m", "--p99-ms=100", *more)
    assert ended.returncode == 1
    document = json.loads(ended.stdout)
    assert document["too_small"][0] == {
        "what": "requests were refused",
        "at": "2026-01-05T00:00:00+00:00",
        "minutes": 2,
    }
    assert document["cost"] == pytest.approx(0.25 * 2 * 2 / 60)
    counted = document["answered"] + document["refused"] + document["timed_out"]
    assert document["arrived"] == counted


def test_it_is_drawn_on_the_terminal_and_into_a_file(run: Run, curve: str, tmp_path: Path) -> None:
    ended = simulated(run, curve, "ramp:1-5/5m", "--plot", "-o", "fleet.png")
    assert ended.returncode == 0, ended.stderr
    assert "instances" in ended.stdout
    assert (tmp_path / "fleet.png").read_bytes()[:4] == b"\x89PNG"


def test_what_it_cannot_read_is_one_message(run: Run, curve: str, tmp_path: Path) -> None:
    for ended, said in (
        (simulated(run, "gone.json", "constant:1"), "there is no such curve; measure one with"),
        (simulated(run, curve, "constnat:1"), "it is no shape; write, say, constant:50/1h"),
    ):
        assert ended.returncode == 2
        assert said in ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("m", "--curve", "--find-batching"), "--find-batching does not go with --curve"),
        (("prod-digits", "--settings=b.yaml"), "--settings goes with --curve; give both"),
        (("prod-digits", "--curve", "--variants=a,b"), "--curve measures one variant, not 2"),
    ],
)
def test_bench_curve_refuses_what_does_not_go_with_it(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    ended = run("bench", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr


@pytest.mark.slow
@pytest.mark.long
def test_a_model_served_here_is_measured_and_then_simulated(run: Run, tmp_path: Path) -> None:
    model = Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"
    (tmp_path / "block.yaml").write_text("batching: {max_batch_size: 2}\n")
    ended = run(
        *("bench", str(model), "--curve", "--seconds=1", "--concurrency=2"),
        *("--settings=block.yaml", "-o", "curve.json"),
        within=200,
    )
    assert ended.returncode == 0, ended.stderr
    kept = json.loads((tmp_path / "curve.json").read_text())
    assert [level["callers"] for level in kept["levels"]] == [1, 2]
    assert [batch["examples"] for batch in kept["batches"]] == [1, 2]
    assert kept["settings"]["batching"]["max_batch_size"] == 2
    simulation = simulated(run, "curve.json", "constant:1/1m")
    assert simulation.returncode in (0, 1), simulation.stderr
