"""``sagemaker-serving local``: AWS on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sagemaker_serving.cli.options import LOCAL_REGION, state_dir_option


@click.group()
def local() -> None:
    """Run AWS on this machine: up, deploy, status, down.

    The real CDK CLI deploys the real templates to it; endpoints are real
    server processes that load the model and answer. No Docker, no account.
    """


@local.command()
@click.option(
    "--port", default=4570, show_default=True, help="Its port on the loopback; 0 takes a free one."
)
@click.option("--foreground", is_flag=True, help="Stay here until Ctrl-C instead of returning.")
@state_dir_option
def up(port: int, foreground: bool, state_dir: Path) -> None:
    """Start the local AWS and return when it answers."""
    from sagemaker_serving.local import daemon

    if foreground:
        daemon.serve(state_dir, port)
        return
    address = daemon.start(state_dir, port)
    click.echo(f"the local AWS answers at {address.url} (process {address.pid})")
    click.echo("next: sagemaker-serving local deploy local", err=True)


@local.command()
@click.argument("environment", metavar="ENV")
@state_dir_option
def deploy(environment: str, state_dir: Path) -> None:
    """Check, synthesize and deploy environments/ENV.yaml with the real CDK CLI.

    Deploying again updates what is there, as on AWS. Ends with 2 when the
    environment is wrong, with 1 and the first reason when a stack fails.
    """
    from sagemaker_serving.errors import ProblemsFound, Severity
    from sagemaker_serving.local.address import find
    from sagemaker_serving.local.cdk import CdkCli
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.spec import read_environment

    file = read_environment(Path("environments") / f"{environment}.yaml")
    problems = check_environment(file)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise ProblemsFound(errors)
    assert file.environment is not None
    cdk = CdkCli(Path.cwd(), find(state_dir), file.environment.region)
    assembly = (state_dir / f"cdk.out-{environment}").resolve()
    cdk.synth(environment, assembly)
    cdk.bootstrap()
    cdk.deploy(assembly)
    for name, model in file.environment.models.items():
        if model.variants:
            click.echo(f"in service: {file.environment.endpoint_name(name)}")


@local.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything, for programs.")
@state_dir_option
def status(as_json: bool, state_dir: Path) -> None:
    """Show endpoints, their processes, ports and memory."""
    from sagemaker_serving.local.address import find

    facts = _status(find(state_dir).url)
    if as_json:
        click.echo(json.dumps(facts, indent=1))
    else:
        _print_status(facts)


@local.command()
@click.option("--region", default=LOCAL_REGION, show_default=True, help="The region to name.")
@state_dir_option
def env(region: str, state_dir: Path) -> None:
    """Print the variables that point any AWS tool at the local AWS.

    \b
    Example:
      eval "$(sagemaker-serving local env)"
      aws sagemaker list-endpoints
    """
    from sagemaker_serving.local.address import find

    for name, value in find(state_dir).environment(region).items():
        click.echo(f"export {name}={value}")


@local.command()
@state_dir_option
def down(state_dir: Path) -> None:
    """End the local AWS and every process that it started."""
    from sagemaker_serving.local import daemon

    daemon.stop(state_dir)
    click.echo("the local AWS has ended")


def _status(url: str) -> dict[str, Any]:
    import urllib.request

    with urllib.request.urlopen(f"{url}/_local/status", timeout=10) as answer:
        facts: dict[str, Any] = json.load(answer)
    return facts


def _print_status(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(
        f"local AWS at {facts['url']}, process {facts['pid']}, {_mb(facts['memory_bytes'])}",
        highlight=False,
    )
    table = Table("name", "state", "pid", "port", "memory", "log", box=None, pad_edge=False)
    for endpoint in facts["endpoints"]:
        table.add_row(endpoint["name"], endpoint["status"], "", "", "", "")
        if endpoint["failure_reason"] is not None:
            table.add_row("", endpoint["failure_reason"], "", "", "", "")
    for process in facts["processes"]:
        table.add_row(
            f"  {process['name']}",
            "runs",
            str(process["pid"]),
            str(process["port"]),
            _mb(process["memory_bytes"]),
            str(process["log"]),
        )
    console.print(table if table.row_count else "no endpoints yet; deploy some")


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
