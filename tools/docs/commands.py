"""docs/commands.md: every command with its help, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from sagemaker_serving.cli import _group

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
_PROGRAM = "sagemaker-serving"
_WIDTH = 78
"""Columns, whatever terminal this runs on."""

_HEAD = """# Commands

Every command explains itself with `--help`; this page is made from that by `make docs`. A command
ends with 0 when all went well, with 2 for a mistake that you can mend, with 1 when something else
failed: AWS, a model, this machine. In a pipe, tables are plain columns, and `--json` is for
programs. What went wrong is one sentence; `SAGEMAKER_SERVING_DEBUG=1` shows the traceback of what
nobody expected. Names and log lines that others wrote steer no terminal: where they hold escape
sequences, `\\u001b` is shown.
"""


def page() -> str:
    """The page, from the commands themselves."""
    root = click.Context(
        _group, info_name=_PROGRAM, terminal_width=_WIDTH, **_group.context_settings
    )
    sections = [
        f"{'#' * (1 + depth)} {path}\n\n```text\n{text.rstrip()}\n```\n"
        for path, depth, text in _helps(_group, root, 1)
    ]
    return "\n".join([_HEAD, *sections])


def _helps(
    command: click.Command, context: click.Context, depth: int
) -> Iterator[tuple[str, int, str]]:
    yield context.command_path, depth, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            inner = click.Context(
                below, info_name=name, parent=context, **(below.context_settings or {})
            )
            yield from _helps(below, inner, min(depth + 1, 3))
