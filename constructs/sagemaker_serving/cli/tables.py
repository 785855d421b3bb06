"""Tables: drawn on a terminal, plain columns in a pipe, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

import click

from local_aws.terminal import console


def print_table(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    """Prints ``rows``, all of the same columns.

    In a pipe a row is one line, its values separated by tabs and without a head, so that
    ``cut`` and ``awk`` read it.
    """
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    elif sys.stdout.isatty():
        _draw(rows)
    else:
        for row in rows:
            click.echo("\t".join(_text(value) for value in row.values()))


def _draw(rows: Sequence[Mapping[str, object]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name, value in rows[0].items() if rows else ():
        table.add_column(
            name,
            justify="right" if isinstance(value, int | float) else "left",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(_text(value) for value in row.values()))
    console().print(table)


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)
