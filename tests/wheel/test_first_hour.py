"""docs/first-hour.md, pasted into a shell with the installed package, prints what it shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.wheel.conftest import Installed
from tools.transcripts import follow, must_show
from tools.transcripts.blocks import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_the_first_hour_goes_as_its_page_shows(lowest: Installed, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    environment = {
        "PATH": os.pathsep.join([str(lowest.folder / "bin"), os.environ["PATH"]]),
        "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
    }
    for block, printed in follow(ROOT / "docs" / "first-hour.md", tmp_path, environment):
        must_show(block.text, printed, block.where)
