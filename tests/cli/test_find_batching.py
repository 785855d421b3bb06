"""`bench --find-batching` as a shell sees it, with a real model server under a short load."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Run = Callable[..., Any]

MODEL = Path(__file__).parents[2] / "model_assets" / "half_plus_three" / "model"


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(600)
def test_every_trial_is_told_and_the_winner_is_a_block_of_the_environment_file(
    run: Run, tmp_path: Path
) -> None:
    ended = run(
        *("bench", str(MODEL), "--find-batching", "--p99-ms=60000"),
        *("--seconds=1", "--concurrency=4", "--json", "-o", "block.yaml"),
        within=500,
    )
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    trials = document["trials"]
    assert trials[0]["settings"] == {}
    assert {trial["settings"]["batching"]["max_batch_size"] for trial in trials[1:3]} == {4, 8}
    assert all(trial["per_second"] > 0 and trial["errors"] == 0 for trial in trials)
    written = yaml.safe_load((tmp_path / "block.yaml").read_text())
    assert (written or {}) == document["best"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.tar.gz", "--find-batching", "--p99-ms=20"),
         "gone.tar.gz does not exist; give a model's folder or archive, or an endpoint's name"),
        ((str(MODEL), "--find-batching", "--p99-ms=20", "--input=gone.json"),
         "gone.json does not exist"),
        ((str(MODEL), "--find-batching"), "--find-batching needs a goal; give --p99-ms"),
        ((str(MODEL), "--find-batching", "--p99-ms=20", "--requests=9"),
         "--requests does not go with --find-batching"),
        ((str(MODEL), "--find-batching", "--p99-ms=20", "--variants=cpu,gpu"),
         "--find-batching tries one variant, not 2; name one"),
        (("prod-digits", "--p99-ms=20"), "--p99-ms goes with --find-batching; give both"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_clear_message(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ended = run("bench", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
