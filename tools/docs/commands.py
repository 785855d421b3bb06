"""docs/commands.md: every command with its help, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from local_aws.cli import commands
from local_aws.program import Program
from sagemaker_serving.cli.commands import group

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
PROGRAMS = {Program("sagemaker-serving local"): group, Program("local-aws"): commands}
_WIDTH = 78
"""Columns, whatever terminal this runs on."""

_HEAD = """# Commands

This page has the `--help` of every command. `make docs` makes it.

| exit status | meaning |
| --- | --- |
| 0 | success |
| 2 | a user error: something that you can correct |
| 1 | any other failure: AWS, a model, this machine |

An error is one sentence. `SAGEMAKER_SERVING_DEBUG=1` also shows the traceback of an unexpected one.
In a pipe, tables are plain columns; `--json` is for programs. Escape sequences in names and log
lines are printed as text (`\\u001b`), so they cannot control your terminal.

A shell completes commands, options and environments once it has read click's script:
`source <(_SAGEMAKER_SERVING_COMPLETE=bash_source sagemaker-serving)`, with `zsh_source` in zsh.
"""


def page() -> str:
    """The page, from the commands themselves."""
    return "\n".join([_HEAD, *(each for pair in PROGRAMS.items() for each in _sections(*pair))])


def _sections(program: Program, group: click.Group) -> Iterator[str]:
    program.called()
    settings = group.context_settings
    root = click.Context(group, info_name=program.name, terminal_width=_WIDTH, **settings)
    for path, depth, text in _helps(group, root, 1):
        yield f"{'#' * (1 + depth)} {path}\n\n```text\n{text.rstrip()}\n```\n"


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
