"""Nothing that others wrote steers a terminal, and our own colours stay."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws import terminal
from local_aws.cli.showing import in_short
from local_aws.terminal import CleanStream, clean, console, print_own, progress_bars

STEERING = [
    *(chr(code) for code in range(32) if code not in (9, 10)),
    "\x7f",
    *(chr(code) for code in range(0x80, 0xA0)),
    *(chr(code) for code in range(0x202A, 0x202F)),
    *(chr(code) for code in range(0x2066, 0x206A)),
    "\ud800",
    "\udfff",
]
SEQUENCES = [
    "\x1b]0;owned\x07",  # a new title
    "\x1b[2J",  # an empty screen
    "\x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\",  # a link
    "\x1bP+q544e\x1b\\",  # asks the terminal for a string, which it types
    "\x9b31m",  # a colour, by one C1 character
    "\x1b[6n",
    "\u202egnp.exe",
]


def test_each_character_is_shown_as_jsons_escape() -> None:
    for character in STEERING:
        shown = clean(f"a{character}b")
        assert shown == f"a\\u{ord(character):04x}b"
        assert json.loads(f'"{shown}"') == f"a{character}b"


@given(text=st.text())
def test_what_is_printed_steers_nothing_and_all_else_stays(text: str) -> None:
    shown = clean(text)
    assert not set(shown) & set(STEERING)
    assert clean(shown) == shown
    kept = re.sub(r"\x1b\[[0-9;:]*m", "", text.replace("\r\n", "\n"))
    assert re.sub(r"\\u[0-9a-f]{4}", "", shown) == re.sub(
        r"\\u[0-9a-f]{4}", "", "".join("" if c in STEERING else c for c in kept)
    )


def test_colours_are_left_out_and_lines_stay() -> None:
    assert clean("\x1b[31mred\x1b[0m\tand\r\nplain\n") == "red\tand\nplain\n"


@given(value=st.recursive(st.text(), lambda inner: st.lists(inner)), ascii_only=st.booleans())
def test_a_json_document_stays_one_and_the_same(value: Any, ascii_only: bool) -> None:
    document = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    assert json.loads(clean(document)) == value


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def stream(kind: type[io.TextIOWrapper]) -> tuple[CleanStream, io.BytesIO]:
    below = io.BytesIO()
    return CleanStream(kind(below, encoding="utf-8", write_through=True)), below


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_text_is_cleaned_wherever_it_goes_bytes_on_a_terminal_alone(sequence: str) -> None:
    for kind, bytes_as in ((Terminal, clean(sequence)), (io.TextIOWrapper, sequence)):
        clean_stream, below = stream(kind)
        print(f"one {sequence}", file=clean_stream)
        clean_stream.writelines([sequence])
        assert below.getvalue().decode() == f"one {clean(sequence)}\n{clean(sequence)}"
        clean_stream, below = stream(kind)
        clean_stream.buffer.write(sequence.encode())
        assert below.getvalue().decode() == bytes_as


def test_bytes_in_parts_are_the_same_text_and_what_is_no_text_is_escaped() -> None:
    clean_stream, below = stream(Terminal)
    for byte in "é\x1b日".encode():
        clean_stream.buffer.write(bytes([byte]))
    clean_stream.buffer.write(b"\xff\x00")
    assert below.getvalue().decode() == "é\\u001b日\\xff\\u0000"


def on_a_screen(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Both streams of this process, from now on; pytest's own take the place of a fixture's."""
    below = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, Terminal(below, encoding="utf-8", write_through=True))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal.install()
    terminal.install()
    return below


def test_everything_that_prints_is_cleaned_and_our_colours_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import logging

    import click
    from rich.table import Table
    from rich.tree import Tree

    screen = on_a_screen(monkeypatch)
    hostile = f"[bold]:warning:[/]{''.join(SEQUENCES)}"
    click.echo(hostile)
    click.echo(hostile.encode(), err=True)
    print(hostile, file=sys.stderr)
    record = logging.makeLogRecord({"msg": "%s", "args": (hostile,)})
    logging.StreamHandler().handle(record)
    table, tree = Table(hostile, hostile), Tree(hostile)
    table.add_row(hostile, hostile)
    tree.add(hostile)
    for drawn in (table, tree, hostile):
        console(width=4000).print(drawn)
    with progress_bars() as bars:
        bars.add_task(hostile, total=1)
        click.echo(hostile)
    print_own("\x1b[32mours\x1b[0m")
    console().print("ours, too", style="red")
    shown = screen.getvalue().decode()
    assert not any(sequence in shown for sequence in SEQUENCES)
    shown = shown.replace("\\u0007", "")  # which rich leaves out
    printed = shown.count("[bold]:warning:[/]\\u001b]0;owned\\u001b[2J")
    assert printed >= 13, "a bar is drawn at least once"
    assert "\x1b[32mours\x1b[0m" in shown
    assert "\x1b[31mours, too\x1b[0m" in shown


def test_rich_is_asked_for_consoles_and_bars_in_one_place(pytestconfig: pytest.Config) -> None:
    """So that a new command cleans what it prints, or has no colours."""
    root = pytestconfig.rootpath
    sources = (root / "constructs", root / "local-aws" / "src")
    files = [*(path for each in sources for path in each.rglob("*.py")), root / "demo.py"]
    asking = re.compile(
        r"from rich\.console import|from rich\.progress import .*\bProgress\b|sys\.__std"
    )
    found = [path.name for path in files if asking.search(path.read_text())]
    assert found == ["terminal.py"]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (None, None),
        ("no capacity", "no capacity"),
        ("no ping. Last log lines: Traceback\n  File\nno model", "no ping. … no model"),
    ],
)
def test_of_a_log_in_a_reason_the_last_line_is_told(reason: str | None, told: str | None) -> None:
    assert in_short(reason) == told
