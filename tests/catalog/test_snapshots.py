"""A snapshot and its source agree; when they don't, ``make catalog`` makes it anew."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.catalog.snapshot import snapshot
from tools import refresh_catalog, support_data

IMAGE = """
version: "9.1"
accelerator: gpu
cuda: cu129
platform: {platform}
ga: "2030-01-02"
eop: "{eop}"
tags: ["9.1.0-gpu-cu129", "9.1-gpu"]
"""
LEGACY = 'tensorflow: [{version: "8.0", ga: "2028-01-02", eop: "2029-01-02"}]'

NAMES = (*refresh_catalog.SNAPSHOTS, "support")


def committed(name: str) -> str:
    path = files("sagemaker_serving.catalog") / "data" / f"{name}.json"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in refresh_catalog.SNAPSHOTS if name != "images"])
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


@pytest.fixture
def upstream(tmp_path: Path) -> Callable[[str], dict[str, Any]]:
    """A repository of support data: writes the end of patches into it and reads it as a whole."""
    folder = tmp_path / "upstream"

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)

    def read(eop: str) -> dict[str, Any]:
        for name, text in {
            "data/tensorflow-inference/a.yml": IMAGE.format(platform="sagemaker", eop=eop),
            "data/tensorflow-inference/b.yml": IMAGE.format(platform="ec2", eop="2099-01-01"),
            "data/tensorflow-training/a.yml": IMAGE.format(platform="sagemaker", eop="2099-01-01"),
            "legacy/legacy_support.yml": LEGACY,
        }.items():
            path = folder / "docs" / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git("init", "--quiet")
        git("add", ".")
        git("commit", "--quiet", "--message", "x")
        return refresh_catalog.support(str(folder), "HEAD")

    return read


def test_support_data_are_read_from_a_repository(
    upstream: Callable[[str], dict[str, Any]],
) -> None:
    made = upstream("2031-01-02")
    assert made["complete"] == ["tensorflow"]
    assert made["releases"] == {
        "tensorflow": {
            "9.1": {"ga": "2030-01-02", "eop": "2031-01-02"},
            "8.0": {"ga": "2028-01-02", "eop": "2029-01-02"},
        }
    }
    assert made["images"] == {
        "tensorflow-inference:9.1.0-gpu-cu129": {
            "version": "9.1",
            "accelerator": "gpu",
            "cuda": "cu129",
            "tags": ["9.1-gpu"],
        }
    }
    (source,) = made["sources"]
    assert (len(source["version"]), made["as_of"]) == (40, source["date"])


def test_a_date_that_moves_and_an_image_that_is_new_are_printed(
    upstream: Callable[[str], dict[str, Any]],
) -> None:
    before = upstream("2031-01-02")
    after = upstream("2031-06-30")
    after["images"]["tensorflow-inference:9.2"] = {"version": "9.2"}
    del after["releases"]["tensorflow"]["8.0"]
    assert list(support_data.changes(before, after, "support:")) == [
        "support: releases tensorflow 9.1 eop was 2031-01-02, is 2031-06-30",
        "support: releases tensorflow 8.0 is gone",
        "support: images tensorflow-inference:9.2 is new: {'version': '9.2'}",
    ]
