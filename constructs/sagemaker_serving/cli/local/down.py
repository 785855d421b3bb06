"""``sagemaker-serving local down``: end it."""

from __future__ import annotations

from pathlib import Path

import click

from sagemaker_serving.cli.options import state_dir_option


@click.command()
@state_dir_option
def down(state_dir: Path) -> None:
    """End the local AWS and every process that it started.

    What is deployed is kept in its folder; `local up` finds it again.
    """
    from sagemaker_serving.local import daemon

    daemon.stop(state_dir)
    click.echo(f"the local AWS has ended; what was deployed is kept in {state_dir}")
