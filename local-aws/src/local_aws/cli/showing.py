"""What a local AWS says of itself, for people: lines and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import click

Facts = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A list among the facts, ``name``, as a table; ``rows`` makes it of the list.

    A row's last value, when there is one, is a line of its own below.
    """

    name: str
    columns: Sequence[str]
    rows: Callable[[Sequence[Facts]], Iterable[Sequence[Any]]]

    def show(self, facts: Facts) -> None:
        """Print it, aligned, where there are any."""
        print_table(self.columns, self.rows(facts.get(self.name, ())))


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is shown of a local AWS, beside what every one has.

    ``next_step`` is the command to begin with where nothing is deployed. ``notes`` are lines that
    come first; ``kept`` names lists of things that are found again, with what one is called, and
    ``tables`` shows more.
    """

    next_step: Callable[[], str]
    notes: Callable[[Facts], Iterable[str]] = lambda _: ()
    kept: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tables: Sequence[Table] = ()


def accounts_in(facts: Facts) -> list[tuple[str | None, Facts]]:
    """What is said of each account, by its id; the first account's by None."""
    return [(None, facts), *facts.get("accounts", {}).items()]


def in_short(reason: str | None) -> str | None:
    """A reason in one line: of a log that it quotes, the last line; `--json` has all of it."""
    first, *rest = (reason or "").splitlines() or [""]
    return f"{first.partition(' Last log lines:')[0]} … {rest[-1]}" if rest else reason


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Aligned columns; a row's last value, when there is one, is a line of its own below.

    A column in which no row has anything is left out.
    """
    rows = [tuple(row) for row in rows]
    if not rows:
        return
    values = [[str(value) for value in row[:-1]] for row in rows]
    shown = [number for number in range(len(columns)) if any(row[number] for row in values)]
    texts = [[line[number] for number in shown] for line in (columns, *values)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    click.echo()
    for line, note in zip(texts, (None, *(row[-1] for row in rows)), strict=True):
        padded = (value.ljust(width) for value, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())
        if note:
            click.echo(f"    {note}")
