"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sagemaker_serving.client import Aws

LOCAL_REGION = "eu-west-1"
"""Where the local AWS is asked when no region is given: that of ``environments/local.yaml``."""

state_dir_option = click.option(
    "--state-dir",
    type=click.Path(path_type=Path),
    default=Path(".sagemaker-serving"),
    show_default=True,
    envvar="SAGEMAKER_SERVING_STATE_DIR",
    help="The local AWS's folder.",
)


def aws_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--local, --state-dir, --region and --profile: which AWS a command speaks to."""
    for option in (
        click.option("--profile", help="A profile of ~/.aws; default: what the shell says."),
        click.option("--region", help="The AWS region; default: what the shell says."),
        state_dir_option,
        click.option("--local", is_flag=True, help="Ask the local AWS of this folder."),
    ):
        command = option(command)
    return command


def the_aws(local: bool, state_dir: Path, region: str | None, profile: str | None) -> Aws:
    """The AWS that the options name."""
    from sagemaker_serving.client import Aws

    if not local:
        return Aws(region=region, profile=profile)
    from sagemaker_serving.local.address import find

    return find(state_dir).aws(region if region is not None else LOCAL_REGION)
