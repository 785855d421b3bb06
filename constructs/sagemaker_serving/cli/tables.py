"""Tables: drawn on a terminal, plain columns in a pipe, JSON for programs."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence

import click

from local_aws.terminal import console

_LEAST_ROOM = 20


def print_table(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    """Prints ``rows``, all of the same columns.

    On a terminal that is too narrow for a value, each row is a block. In a pipe a row is one line,
    its values separated by tabs, so that ``cut`` and ``awk`` read it; who sits before it sees the
    columns' names, which go to standard error.
    """
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    elif sys.stdout.isatty():
        _draw(rows)
    else:
        if rows and sys.stderr.isatty():
            click.echo("\t".join(rows[0]), err=True)
        for row in rows:
            click.echo("\t".join(_text(value) for value in row.values()))


def print_values(values: Iterable[tuple[str, str]], *, indent: int = 0, column: int = 12) -> None:
    """Prints names with their values beside them, ``column`` wide.

    On a terminal a value goes on below itself; in a pipe it stays on its line.
    """
    for name, value in values:
        head = f"{' ' * indent}{name:{column}} "
        click.echo("\n".join(_folded(head, value)) if sys.stdout.isatty() else head + value)


def _folded(head: str, value: str) -> list[str]:
    room = max(console().width - len(head), _LEAST_ROOM)
    # An address that is broken in two cannot be copied.
    lines = textwrap.wrap(value, room, break_on_hyphens=False, break_long_words=False) or [""]
    return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]


def _draw(rows: Sequence[Mapping[str, object]]) -> None:
    from rich.table import Table

    names = [name for name in (rows[0] if rows else ()) if any(_text(row[name]) for row in rows)]
    widths = [max(len(name), *(len(_text(row[name])) for row in rows)) for name in names]
    gaps = 2 * (len(widths) - 1)
    room = console().width - sum(widths) - gaps
    least = {name: _least(name, rows) for name in names}
    is_cut = sum(least.values()) + gaps > console().width
    if room < 0 and (is_cut or (len(names) > 2 and max(widths) > console().width / 2)):
        _draw_below(names, rows)
        return
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(
            name.replace("_", " " if room >= 0 else "\n"),
            justify="right" if isinstance(rows[0][name], int | float) else "left",
            min_width=least[name],
            overflow="fold",
            # What is broken in two cannot be copied.
            no_wrap=not any(" " in _text(row[name]) for row in rows),
        )
    for row in rows:
        table.add_row(*(_text(value) for value in row.values()))
    console().print(table)


def _least(name: str, rows: Sequence[Mapping[str, object]]) -> int:
    """How wide a column is at least that breaks no word in two."""
    texts = [name.replace("_", " "), *(_text(row[name]) for row in rows)]
    return max(len(word) for text in texts for word in text.split(" "))


def _draw_below(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> None:
    """Each row as a block, what it has below its first value: columns would be slivers."""
    for row in rows:
        click.echo(_text(row[names[0]]))
        line = ""
        for name in names[1:]:
            head, value = f"  {name.replace('_', ' ')} ", _text(row[name])
            told = head + value if value else ""
            if line and len(line + told) > console().width:
                click.echo(line)
                line = ""
            if len(told) > console().width:
                click.echo("\n".join(_folded(head, value)))
            else:
                line += told
        if line:
            click.echo(line)


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else str(value)
