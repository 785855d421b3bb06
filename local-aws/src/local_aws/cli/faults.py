"""``local-aws faults``: what goes wrong on AWS, when you want it to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from local_aws.cli.lazy import Group
from local_aws.cli.options import json_option, local_address, state_dir_option


@click.group(cls=Group)
def faults() -> None:
    """Make the local AWS fail on purpose: refusals, no capacity, killed jobs, slow answers.

    \b
    A fault has a kind:
      throttling       a call is refused: too many requests
      access-denied    a call is refused: the caller may not
      unknown-role     a call is refused: the role that it gives is too new
      no-capacity      an endpoint, its update or a job fails: no instances
      silent-rollback  an update of an endpoint goes back, without a FailureReason
      kill             a job, or the server of a request, is killed in the middle
      model-error      the model answers --status (default 500), no prediction
      corrupt          an endpoint's answer is 200 with its second half missing
      slow             an answer takes --latency-ms longer; 60 s are a timeout

    It applies to calls of users and roles that match --service, --operation and --name: to all of
    them, or by --rate, --every or --first. Calls of the local AWS itself are never affected,
    CloudFormation's included.

    \b
    Examples:
      local-aws faults set throttling --operation 'Put*' --first 2
      local-aws faults set no-capacity --name ml.g5.xlarge
      local-aws faults set slow --latency-ms 800 --rate 0.1 --seed 7
      local-aws faults list
      local-aws faults clear
    """


@faults.command(name="set")
@click.argument("kind")
@click.option("--id", help="Its id, which replaces a fault with the same id. Default: its kind.")
@click.option("--service", help="A service by boto3's or IAM's name, or a pattern. Default: any.")
@click.option("--operation", help="CreateEndpoint, say, or a pattern ('Describe*'). Default: any.")
@click.option("--name", help="A pattern: an endpoint's, job's, instance type's name, bucket/key …")
@click.option("--rate", type=float, help="The share of matching calls that it applies to, 0 to 1.")
@click.option("--every", type=int, help="It applies to every n-th matching call.")
@click.option("--first", type=int, help="It applies to the first n matching calls only.")
@click.option("--seed", type=int, help="With the same seed, --rate picks the same calls.")
@click.option("--latency-ms", type=int, help="For slow: the added milliseconds; default 1000.")
@click.option("--status", type=int, help="For model-error: the model's status; default 500.")
@state_dir_option
def set_(kind: str, state_dir: Path, **options: Any) -> None:
    """Set a fault of KIND, until it is cleared.

    \b
    KIND: throttling, access-denied, unknown-role, no-capacity,
          silent-rollback, kill, model-error, corrupt or slow.
    \b
    Examples:
      local-aws faults set access-denied --service s3 --name 'models/*'
      local-aws faults set kill --operation CreateTransformJob --first 1
      local-aws faults set model-error --status 400 --every 3
      local-aws faults set corrupt --name my-endpoint
    """
    from local_aws.process.faults import FaultsPage

    fault = {name: value for name, value in options.items() if value is not None}
    FaultsPage(local_address(state_dir)).set(kind, **fault)
    click.echo(f"set: {_in_a_line({'kind': kind, **fault})}")


@faults.command(name="list")
@json_option
@state_dir_option
def list_(as_json: bool, state_dir: Path) -> None:
    """Show the faults, and how often each was matched and applied."""
    from local_aws.process.faults import FaultsPage

    found = FaultsPage(local_address(state_dir)).listed()
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    for fault in found:
        counts = f"struck {fault.pop('struck')} of {fault.pop('matched')}"
        click.echo(f"{_in_a_line(fault)}  ({counts})")
    if not found:
        click.echo("no faults are set")


@faults.command()
@click.argument("id", required=False)
@state_dir_option
def clear(id: str | None, state_dir: Path) -> None:
    """Remove the fault ID, or all of them."""
    from local_aws.process.faults import FaultsPage

    left = FaultsPage(local_address(state_dir)).clear(id)
    click.echo(f"{len(left)} faults are left" if left else "no faults are set")


def _in_a_line(fault: dict[str, Any]) -> str:
    kind, id = fault["kind"], fault.get("id", fault["kind"])
    head = kind if id == kind else f"{id}: {kind}"
    rest = [
        f"{name}={value}"
        for name, value in fault.items()
        if name not in ("kind", "id") and (name, value) not in _DEFAULTS
    ]
    return " ".join([head, *rest])


_DEFAULTS = (("service", "*"), ("operation", "*"), ("name", "*"), ("seed", 0))
