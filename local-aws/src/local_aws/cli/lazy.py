"""Commands that are each a file of their own, imported only when they run."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click

from local_aws.program import program
from local_aws.suggest import nearest

CONTEXT = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    # With color click takes no escapes away in a pipe: `terminal` shows them, everywhere alike.
    "color": True,
}
"""How a program's commands are shown."""


class Command(click.Command):
    """A command whose help is written for ``local-aws``, and names the program that was called."""

    def get_help(self, context: click.Context) -> str:
        """The help."""
        return super().get_help(context).replace("local-aws ", f"{program().group} ")


class Group(Command, click.Group):
    """A group of such commands."""

    command_class = Command


class LazyGroup(Group):
    """Finds a command in the file of its name below ``package``, or below that of ``elsewhere``.

    ``sections`` names every command with its one line, below the heading that the help
    has for it, so that listing them loads none.
    """

    def __init__(
        self,
        *arguments: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        elsewhere: Mapping[str, str] = MappingProxyType({}),
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._package = package
        self._sections = sections
        self._elsewhere = elsewhere

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; raises `click.UsageError` with the nearest for none."""
        known = self.list_commands(context)
        options = [option for each in self.get_params(context) for option in each.opts]
        given = arguments[0]
        near = f"--{given}" if f"--{given}" in options else nearest(given, known)
        if given not in known and near is not None:
            raise click.UsageError(
                f"there is no command {given!r}; did you mean {near!r}?", context
            )
        return super().resolve_command(context, arguments)

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of all commands."""
        return [name for section in self._sections.values() for name in section]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, loaded now; None when there is none."""
        if name not in self.list_commands(context):
            return None
        package = self._elsewhere.get(name, self._package)
        command: click.Command = getattr(import_module(f"{package}.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the one-line summaries, without loading a single command."""
        width = max(map(len, self.list_commands(context)))
        for heading, section in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{width}}", said) for name, said in section.items()])
