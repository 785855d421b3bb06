"""The pictures of the terminal: made of what commands print, and nothing that they took back."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tools.pictures import picture, printed, settled
from tools.pictures.__main__ import COMMANDS, PICTURES


def test_what_was_erased_or_written_over_is_not_shown() -> None:
    assert settled("a\r\nb\r\x1b[2Kc\r\n") == "a\nc"
    assert settled("a\r\nbar\r\n\x1b[1A\x1b[2Kend") == "a\nend"


def test_it_is_what_the_command_prints_on_a_terminal(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdout.isatty(), os.get_terminal_size().columns)"
    assert printed([sys.executable, "-c", code], tmp_path, 90, {}) == "True 90"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_picture_fetches_nothing_and_begins_with_its_command(name: str) -> None:
    text = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    shown = ["".join(line.itertext()) for line in ET.fromstring(text).iter() if line.text]
    assert any(f"$ {COMMANDS[name]}" in line.replace("\xa0", " ") for line in shown)
    assert "url(http" not in text
    assert "<script" not in text


def test_colours_are_kept() -> None:
    assert "#cc555a" in picture("one", "one", "\x1b[31mred\x1b[0m", 20)
