"""`check --account` and `prices`, with the answers that were kept: no AWS, no credentials."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]
DEV = str(ROOT / "environments" / "dev.yaml")


def test_a_kept_answer_is_judged_without_credentials(run: Run, tmp_path: Path) -> None:
    (tmp_path / "account.json").write_text(
        json.dumps(
            {
                "account": "111122223333",
                "region": "eu-west-1",
                "read": "2026-11-21T00:00:00+00:00",
                "quotas": {"ml.c5.large for endpoint usage": 0},
                "deployed": {"found": {"eu-west-1": ["dev/digits", "old/digits"]}, "unread": []},
            }
        )
    )
    ended = run("check", DEV, "--account", "--account-file", "account.json")
    assert ended.returncode == 2
    assert "the deploy takes 2 instances of ml.c5.large for endpoints" in ended.stdout
    assert "[quota-endpoint-instances]" in ended.stdout
    assert "the environment old runs in eu-west-1, and is billed" in ended.stdout
    assert "the environment dev runs" not in ended.stdout


def test_costs_are_printed_from_the_price_file_alone(run: Run, tmp_path: Path) -> None:
    prices = {"eu-west-1": {"hosting": {"ml.c5.large": 0.1}, "transform": {"ml.m5.large": 0.2}}}
    (tmp_path / "prices.json").write_text(
        json.dumps({"read": "2026-11-21T00:00:00+00:00", "currency": "USD", "regions": prices})
    )
    ended = run("prices", DEV, "--prices", "prices.json", "--json")
    assert "prices of eu-west-1: AWS Price List API, pricing:GetProducts" in ended.stderr
    assert ", read 2026-11-21, " in ended.stderr
    together = json.loads(ended.stdout)[-1]
    assert together["what"] == "together"
    assert together["prices read"] == "2026-11-21"
    assert together["USD a month, floor"] == together["USD a month, ceiling"] == 146.0


def test_without_a_price_file_it_is_said_how_to_get_one(run: Run) -> None:
    ended = run("prices", DEV)
    assert ended.returncode == 2
    assert "sagemaker-serving/prices.json: there is no such price file" in ended.stderr
    assert "no price is guessed; make it with `sagemaker-serving prices --update" in ended.stderr
