"""``sagemaker-serving local logs``: what the servers of an endpoint say."""

from __future__ import annotations

from pathlib import Path

import click

from local_aws.cli.options import region_option, state_dir_option
from local_aws.process.region import LAST_REGION, one_region, shell_region
from sagemaker_serving.cli.completing import DeployedEndpoint, EndpointOfFile, variant_named


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.option("--variant", help="Only this production variant; default: all of them.")
@click.option("-f", "--follow", is_flag=True, help="Print new lines as they come, until Ctrl-C.")
@click.option(
    "--lines",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="How many of the last lines to print first.",
)
@region_option("The AWS region of the endpoint.")
@state_dir_option
def logs(
    endpoint: str,
    variant: str | None,
    follow: bool,
    lines: int,
    region: str | None,
    state_dir: Path,
) -> None:
    """Print the last log lines of an endpoint's model servers, and follow them.

    Reads files in the local AWS's folder, so it also works for an endpoint that failed or was
    deleted, and after `local down`. With several variants each line begins with its variant's name.
    CloudWatch has the same lines in the log group /aws/sagemaker/Endpoints/ENDPOINT.

    \b
    Examples:
      sagemaker-serving local logs local-half-plus-three
      sagemaker-serving local logs local-half-plus-three -f | grep -i error
      sagemaker-serving local logs local-half-plus-three --variant blue \\
          --lines 500
    """
    from local_aws.process.address import is_held
    from sagemaker_serving.local_sagemaker.observability.log_files import regions_with_logs
    from sagemaker_serving.local_sagemaker.observability.log_reading import EndpointLogs, Line

    if region is None:
        written = one_region(regions_with_logs(state_dir, endpoint), endpoint)
        of_file = endpoint.region if isinstance(endpoint, EndpointOfFile) else None
        region = written or of_file or shell_region() or LAST_REGION
    found = EndpointLogs(state_dir, region, endpoint, variant_named(variant, endpoint))
    several = len(found.variants) > 1

    def show(line: Line) -> None:
        click.echo(f"{line.variant}: {line.text}" if several else line.text)

    for line in found.last(lines):
        show(line)
    if follow:
        for line in found.follow(lambda: is_held(state_dir)):
            show(line)
        click.echo("the local AWS has ended; nothing more will come", err=True)
