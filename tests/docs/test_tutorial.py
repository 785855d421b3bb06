"""The tutorial, pasted block by block into a shell, prints what it shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.beside_openvino import python_with_openvino
from tests.jsii_cache import keep_unpacked
from tools.transcripts import follow, must_show
from tools.transcripts.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "tutorial.md"


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """The project as a clone has it after `make setup` and with OpenVINO.

    Its local AWS ends with the test.
    """
    for name in ("app.py", "cdk.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("stacks", "environments", "model_assets"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    keep_unpacked(tmp_path)
    (tmp_path / ".venv").symlink_to(python_with_openvino().parents[1])
    try:
        yield tmp_path
    finally:
        subprocess.run(
            [str(Path(sys.executable).with_name("sagemaker-serving")), "local", "down"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_it_works_when_it_is_pasted(clone: Path) -> None:
    for block, printed in follow(PAGE, clone, {"PATH": os.environ["PATH"]}):
        must_show(block.text, printed, block.where)


def test_its_blocks_are_pasted_or_looked_at_or_said_to_be_neither() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before_aws = text.count("\n", 0, text.index("\n## On AWS\n"))
    languages = [(block.line < before_aws, block.language) for block in blocks(PAGE)]
    assert {language for here, language in languages if not here} == {"console"}
    assert languages.count((True, "console")) == 2, "make setup, and what else is installed"
    assert {language for here, language in languages if here} == {"console", "sh", "text"}
