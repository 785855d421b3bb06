"""``sagemaker-serving local env``: point any AWS tool at it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sagemaker_serving.cli.options import LOCAL_REGION, state_dir_option


@click.command()
@click.option("--region", default=LOCAL_REGION, show_default=True, help="The region to name.")
@state_dir_option
def env(region: str, state_dir: Path) -> None:
    """Print the variables that point any AWS tool at the local AWS.

    What else the shell knows of AWS is unset: a profile, or an endpoint of one
    service, would win over them.

    \b
    Example:
      eval "$(sagemaker-serving local env)"
      aws sagemaker list-endpoints
    """
    from local_aws.process.address import find
    from local_aws.process.isolation import is_about_aws, no_proxy

    variables = {**find(state_dir).environment(region), "no_proxy": no_proxy(os.environ)}
    for name in sorted(os.environ):
        if is_about_aws(name) and name not in variables:
            click.echo(f"unset {name}")
    for name, value in variables.items():
        click.echo(f"export {name}={value}")
