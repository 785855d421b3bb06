"""Pictures of the terminal, made from what commands print on one."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

ROWS = 50
_CONTROL = re.compile(
    r"\x1b\[(?:(?P<up>\d*)A|(?P<erase>2?)K|\?25[lh])|(?P<begin>\r)(?!\n)|\r?(?P<end>\n)"
)
_STYLE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px; font-variant-east-asian: full-width; }}
    .{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""
"""Rich's own, without the fonts that it would fetch from elsewhere."""


def printed(
    command: Sequence[str], folder: Path, columns: int, environment: Mapping[str, str]
) -> str:
    """What ``command`` leaves on a terminal of so many columns, in ANSI's codes."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment},
    ):
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 1 << 16)
            except OSError:  # the terminal has ended with its last program
                break
            said += more
    os.close(ours)
    return settled(said.decode(errors="replace"))


def settled(said: str) -> str:
    """The lines that stay, of a text that also moves the cursor up and erases what it wrote."""
    lines, at, done = [""], 0, 0
    for control in _CONTROL.finditer(said):
        lines[at] += said[done : control.start()]
        done = control.end()
        if control["end"]:
            at += 1
            if at == len(lines):
                lines.append("")
        elif control["up"] is not None:
            at = max(0, at - int(control["up"] or 1))
        elif control["begin"] or control["erase"]:
            lines[at] = ""
    lines[at] += said[done:]
    return "\n".join(lines).rstrip("\n")


def picture(name: str, title: str, text: str, columns: int) -> str:
    """``text``, in ANSI's codes, as an SVG that fetches nothing."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), soft_wrap=False)
    return console.export_svg(
        title=title, theme=SVG_EXPORT_THEME, code_format=_STYLE, unique_id=f"picture-{name}"
    )
