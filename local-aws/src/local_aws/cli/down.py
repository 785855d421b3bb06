"""``local-aws down``: end it."""

from __future__ import annotations

from pathlib import Path

import click

from local_aws.cli.lazy import Command
from local_aws.cli.options import state_dir_option


@click.command(cls=Command)
@state_dir_option
def down(state_dir: Path) -> None:
    """Stop the local AWS and every process that it started.

    Its folder keeps what is deployed, and `local up` finds it again.
    """
    from local_aws import daemon
    from local_aws.errors import Failure
    from local_aws.state.folder import STATE, StateFolder

    daemon.stop(state_dir)
    if not StateFolder(state_dir / STATE).ended():
        raise Failure(
            f"the local AWS has ended, and its last changes could not be saved in {state_dir}: "
            f"{state_dir / 'local.log'} says why"
        )
    click.echo(f"the local AWS has ended; what was deployed is kept in {state_dir}")
