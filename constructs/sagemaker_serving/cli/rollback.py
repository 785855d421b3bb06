"""``sagemaker-serving rollback``: an endpoint back to what it served before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_lines_option
from sagemaker_serving.cli.completing import DeployedEndpoint
from sagemaker_serving.cli.options import WhichAws, ask, aws_options

if TYPE_CHECKING:
    from sagemaker_serving.client import Aws
    from sagemaker_serving.operations import Version


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.option("--to", help="The config to return to; default: the newest before the serving one.")
@click.option("--list", "only_list", is_flag=True, help="Print the configs to return to.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@json_lines_option
@aws_options
def rollback(
    endpoint: str,
    to: str | None,
    only_list: bool,
    yes: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Return ENDPOINT to the config it served before, and watch it until it does.

    A deploy with `production: true`, or of a model with `update`, keeps the configs and models that
    it replaces. Other deploys delete them; then deploy the former commit instead. All traffic moves
    at once as soon as the old version is healthy. Until then the present one serves. The stack
    drifts: it still names the config that you left, and the next deploy of a change updates
    ENDPOINT from where it is. Ends as `watch` does.

    \b
    Examples:
      sagemaker-serving rollback prod-digits --list
      sagemaker-serving rollback prod-digits
      sagemaker-serving rollback prod-digits --yes \\
          --to EndpointConfig0a1b2c3d4e-XYZ
    """
    from sagemaker_serving.cli.watch import show
    from sagemaker_serving.operations import find_rollback, watch

    aws = which.aws(of=endpoint)
    if only_list:
        _print_versions(endpoint, aws, as_json=as_json)
        return
    found = find_rollback(endpoint, aws, to=to)
    if not yes:
        ask(f"{endpoint}: from {_told(found.serving)} to {_told(found.to)}")
    found.begin()
    show(watch(endpoint, aws, config=found.to.config), logs=False, as_json=as_json)
    named = found.drift()
    if named is not None:
        click.echo(
            f"the stack still names {named}: CloudFormation sees a drift, and the next deploy of "
            f"a change moves {endpoint} on",
            err=True,
        )


def _told(version: Version) -> str:
    return f"{version.config} of {version.created:%Y-%m-%d %H:%M}"


def _print_versions(endpoint: str, aws: Aws, *, as_json: bool) -> None:
    from sagemaker_serving.cli.tables import print_table
    from sagemaker_serving.operations import versions

    rows = [
        {
            "config": version.config,
            "created": version.created.isoformat(timespec="seconds"),
            "models": [f"{variant}={model}" for variant, model in version.models.items()],
        }
        for version in versions(endpoint, aws)
    ]
    print_table(rows, as_json=as_json)
