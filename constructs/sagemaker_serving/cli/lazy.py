"""A group whose commands are each a file of its own, imported only when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Finds a command in the file of its name below ``package``.

    ``summaries`` names every command with its one line, in the order of the
    help, so that listing them loads none.
    """

    def __init__(
        self, *arguments: Any, package: str, summaries: Mapping[str, str], **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._package = package
        self._summaries = summaries

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self._summaries)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, loaded now; None when there is none."""
        if name not in self._summaries:
            return None
        command: click.Command = getattr(import_module(f"{self._package}.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the one-line summaries, without loading a single command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
