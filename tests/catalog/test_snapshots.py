"""A snapshot and its source agree; when they don't, ``make catalog`` makes it anew."""

from __future__ import annotations

import json
import subprocess
from importlib.resources import files
from typing import Any

import pytest

from sagemaker_serving.catalog.snapshot import snapshot
from tools import refresh_catalog

NAMES = tuple(refresh_catalog.SNAPSHOTS)


def committed(name: str) -> str:
    path = files("sagemaker_serving.catalog") / "data" / f"{name}.json"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "images"])
def test_what_is_made_from_installed_packages_is_as_they_are(name: str) -> None:
    made = refresh_catalog.compact(refresh_catalog.SNAPSHOTS[name]())
    assert made == committed(name), "run `make catalog`"


@pytest.mark.slow
def test_the_images_are_those_of_the_sdks_tables() -> None:
    """Downloads 1.4 MB, as `make catalog` does; the wheel's sha256 stands in the snapshot."""
    try:
        made = refresh_catalog.compact(refresh_catalog.images())
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no package index answers: {error.stderr.decode()[-200:]}")
    assert made == committed("images"), "run `make catalog`"


@pytest.mark.parametrize("name", NAMES)
def test_every_snapshot_says_where_it_comes_from(name: str) -> None:
    for source in snapshot(name)["sources"]:
        assert {"name", "version", "licence", "sha256", "what"} <= source.keys()
        assert len(source["sha256"]) == 64


def test_all_snapshots_together_stay_small() -> None:
    assert sum(len(committed(name)) for name in NAMES) < 1_000_000


def test_facts_are_kept_once() -> None:
    registries: list[Any] = snapshot("images")["registries"]
    assert len({json.dumps(accounts, sort_keys=True) for accounts in registries}) == len(registries)
