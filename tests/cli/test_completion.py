"""What a shell completes: commands, options, and the environments of the files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run

FILE = """
name: prod
region: eu-west-1
models: {digits: {image_uri: x}, words: {image_uri: x}}
"""


@pytest.fixture(autouse=True)
def environments(tmp_path: Path) -> None:
    folder = tmp_path / "environments"
    folder.mkdir()
    (folder / "prod.yaml").write_text(FILE)
    (folder / "_base.yaml").write_text(FILE)
    (folder / "broken.yaml").write_text("[")


def completed(run: Run, *words: str) -> list[str]:
    ended = run(
        COMP_WORDS=" ".join(("sagemaker-serving", *words)),
        COMP_CWORD=str(len(words)),
        _SAGEMAKER_SERVING_COMPLETE="bash_complete",
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return [line.partition(",")[2] for line in ended.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("wat",), ["watch"]),
        (("local", "de"), ["deploy", "destroy"]),
        (("local", "deploy", ""), ["broken", "prod"]),
        (("dashboard", "p"), ["prod"]),
        (("watch", "--time"), ["--timeout"]),
    ],
)
def test_what_is_begun_is_completed(run: Run, words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(run, *words) == offered


def test_bash_takes_the_script(run: Run, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(run(_SAGEMAKER_SERVING_COMPLETE="bash_source").stdout)
    ended = subprocess.run(
        ["bash", "-c", "source ./script && complete -p sagemaker-serving"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith("-F _sagemaker_serving_completion sagemaker-serving\n")
