"""Commands and options of earlier versions: what is typed in vain names what to type instead."""

from __future__ import annotations

from typing import Any

import click

from local_aws.cli.lazy import LazyGroup

INSTEAD = {
    "cache": "package --no-cache",
    "predict -f": "predict ENDPOINT FILE",
    "prices --refresh": "prices --update",
    "serve --record": "golden --record",
    "tune": "bench --find-batching",
}
"""What stands for a command of 0.1.0, or for an option of one. CHANGELOG.md has the same table."""


class RenamingGroup(LazyGroup):
    """Commands, and what is told of one that had another name."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; raises `click.UsageError` for one that is gone."""
        if arguments[0] in INSTEAD:
            raise click.UsageError(_told(arguments[0]), context)
        return super().resolve_command(context, arguments)

    def invoke(self, context: click.Context) -> Any:
        """Runs the command; raises `click.UsageError` for an option that is gone."""
        try:
            return super().invoke(context)
        except click.NoSuchOption as error:
            owner = error.ctx if error.ctx is not None else context
            used = f"{owner.info_name} {error.option_name}"
            if used not in INSTEAD:
                raise
            raise click.UsageError(_told(used), owner) from None


def _told(used: str) -> str:
    return f"{used!r} is of version 0.1.0; write {INSTEAD[used]!r}"
