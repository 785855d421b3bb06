"""The pages of the first hour print what they show, with nothing but the package installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.jsii_cache import keep_unpacked
from tests.wheel.conftest import Installed
from tools.transcripts import follow, must_show
from tools.transcripts.blocks import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_the_first_hour_goes_as_its_page_shows(lowest: Installed, tmp_path: Path) -> None:
    goes_as_shown("first-hour.md", lowest, tmp_path)


def test_the_first_hour_with_pytorch_goes_as_its_page_shows(
    with_torch: Installed, tmp_path: Path
) -> None:
    goes_as_shown("first-hour-pytorch.md", with_torch, tmp_path)


def goes_as_shown(page: str, installed: Installed, folder: Path) -> None:
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    keep_unpacked(folder)
    environment = {
        "PATH": os.pathsep.join([str(installed.folder / "bin"), os.environ["PATH"]]),
        "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
    }
    for block, printed in follow(ROOT / "docs" / page, folder, environment):
        must_show(block.text, printed, block.where)
