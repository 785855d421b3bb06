"""The tutorial, pasted block by block into a shell, prints what it shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "tutorial.md"
_END = "--- the block has ended with"

_CHANGING = {
    r"http://localhost:\d+": "<url>",
    r"\(process \d+\) after [\d.]+ s": "<process and seconds>",
    r"\d{4}-\d\d-\d\dT[\d:+]+": "<time>",
    r"\b\d\d:\d\d:\d\d\b": "<time>",
    r"^commit .*": "<commit>",
    r"(EndpointConfig|Models)\w+-[A-Z0-9]+": r"\1<id>",
    r"[0-9a-f]{64}": "<sha256>",
}
"""What another run prints otherwise."""

_A_MOMENT = re.compile(r"Creating$")
"""What `watch` says only when it looks at the right moment."""


class Shell:
    """One bash in ``folder``, which blocks are pasted into."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "XDG_CACHE_HOME": str(folder / ".cache"),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def paste(self, block: str) -> tuple[list[str], int]:
        """What the block prints, and the status that its last command ends with."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Braces, so that no command reads the blocks after its own from the same pipe.
        self._process.stdin.write(f"{{\n{block}\n}} </dev/null\nprintf '\\n{_END} %s\\n' $?\n")
        self._process.stdin.flush()
        printed: list[str] = []
        for line in self._process.stdout:
            if line.startswith(_END):
                return printed, int(line.removeprefix(_END))
            printed.append(line.rstrip("\n"))
        raise AssertionError(f"the shell ended in the middle of a block: {printed}")

    def close(self) -> None:
        """Ends it; nothing that it printed is waited for."""
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """The project as a clone has it after `make setup`; its local AWS ends with the test."""
    for name in ("app.py", "cdk.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("stacks", "environments"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
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
    shell = Shell(clone)
    watchdog = threading.Timer(1000, shell.close)
    watchdog.start()
    printed: list[str] = []
    try:
        for block in blocks(PAGE, "sh", "text"):
            if block.language == "text":
                _must_show(block.text, printed, block.where)
                continue
            # Another local AWS may have the usual port here.
            text = re.sub(r"\blocal up\b", "local up --port 0", block.text)
            printed, status = shell.paste(text)
            said = "\n".join([block.where, *printed])
            log = clone / ".sagemaker-serving" / "deploy.log"
            if log.exists():
                said += "\n" + log.read_text()[-2000:]
            assert status == 0, said
    finally:
        watchdog.cancel()
        shell.close()


def test_its_blocks_are_pasted_or_looked_at_or_said_to_be_neither() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before_aws = text.count("\n", 0, text.index("\n## On AWS\n"))
    languages = [(block.line < before_aws, block.language) for block in blocks(PAGE)]
    assert {language for here, language in languages if not here} == {"console"}
    assert languages.count((True, "console")) == 1, "git clone and make setup"
    assert {language for here, language in languages if here} == {"console", "sh", "text"}


def _must_show(shown: str, printed: list[str], where: str) -> None:
    """Every line that is shown was printed, in this order; ``…`` stands for any."""
    came = iter([_stable(line) for line in printed])
    for line in shown.splitlines():
        if line == "…" or _A_MOMENT.search(line):
            continue
        assert _stable(line) in came, f"{where}: {line!r} was not printed in its place: {printed}"


def _stable(line: str) -> str:
    for pattern, name in _CHANGING.items():
        line = re.sub(pattern, name, line)
    return line.rstrip()
