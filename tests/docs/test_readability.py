"""`make lint` names what is hard to read, and no page that was rewritten falls back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.transcripts.blocks import ROOT

CHECK = ROOT / "tools" / "readability" / "check.mjs"
LONG = " ".join(["word"] * 31) + "."


def check(*pages: Path) -> tuple[int, list[str]]:
    """Its exit status, and what it names."""
    ended = subprocess.run(
        ["node", str(CHECK), *map(str, pages)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stderr.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        f"| what | how |\n|---|---|\n| one | {LONG} |",
        f"```text\nUsage: sagemaker-serving x\n\n  {LONG}\n```",
        f"```text\nUsage: sagemaker-serving x\n\nOptions:\n  --json  {LONG}\n```",
    ],
    ids=["paragraph", "table", "help", "option"],
)
def test_a_long_sentence_is_named_with_its_line_and_its_words(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{text}\n")
    status, [said] = check(page)
    assert status == 1
    assert re.match(rf'{page}:[35]: a sentence of 31 words \("word word word word …"\)', said)


def test_a_word_of_the_list_is_named_with_what_to_write_instead(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("It is made anew.\n")
    assert check(page) == (1, [f"{page}:1: Avoid using “anew”, use “again” instead"])


def test_code_addresses_and_examples_are_no_sentences(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    address = "/".join(["word"] * 40)
    page.write_text(
        f"[Here](https://{address}) is a page.\n\n```sh\necho {LONG}\n```\n\n"
        f"```text\nUsage: x\n\n  Examples:\n    x {LONG}\n```\n"
    )
    assert check(page) == (0, [])
