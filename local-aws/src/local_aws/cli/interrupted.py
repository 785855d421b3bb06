"""What Ctrl-C leaves behind, told by the command that it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def when_interrupted(tell: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C in the block prints what ``tell`` says: what is there, and what to do next.

    The command then ends with status 130, as `local_aws.cli.running.run` has it.
    """
    try:
        yield
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"interrupted: {tell()}", err=True)
        raise
