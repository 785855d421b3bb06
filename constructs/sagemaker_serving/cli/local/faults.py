"""``sagemaker-serving local faults``: what goes wrong on AWS, when you want it to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from sagemaker_serving.cli.options import local_address, state_dir_option


@click.group()
def faults() -> None:
    """Make the local AWS fail as AWS does: refusals, no capacity, dead jobs, slow answers.

    \b
    A fault has a kind:
      throttling     a call is refused: too many requests
      access-denied  a call is refused: the caller may not
      no-capacity    an endpoint, its update or a job gets no instances, and fails
      kill           a job, or the server that a request went to, dies in the middle
      model-error    the model answers --status (default 500) instead of a prediction
      corrupt        an endpoint's answer is 200 with its second half missing
      slow           an answer takes --latency-ms longer; after 60 s it is a timeout

    It strikes calls of users and roles that match --service, --operation and
    --name: always, or by --rate, --every or --first. The local AWS's own
    bookkeeping is spared, and with it what CloudFormation calls.

    \b
    Examples:
      sagemaker-serving local faults set throttling --operation 'Create*' --first 2
      sagemaker-serving local faults set no-capacity --name ml.g5.xlarge
      sagemaker-serving local faults set slow --latency-ms 800 --rate 0.1 --seed 7
      sagemaker-serving local faults list
      sagemaker-serving local faults clear
    """


@faults.command(name="set")
@click.argument("kind")
@click.option("--id", help="What to call it; one of the same id is replaced. Default: its kind.")
@click.option("--service", help="boto3's or IAM's name of a service, or a pattern. Default: any.")
@click.option("--operation", help="As CreateEndpoint, or a pattern ('Describe*'). Default: any.")
@click.option(
    "--name", help="A pattern for what is named: endpoint, job, instance type, bucket/key …"
)
@click.option("--rate", type=float, help="The share of matches that is struck, 0 to 1.")
@click.option("--every", type=int, help="Every n-th match is struck.")
@click.option("--first", type=int, help="The first n matches are struck, and no more.")
@click.option("--seed", type=int, help="With the same seed, --rate strikes the same matches.")
@click.option("--latency-ms", type=int, help="For slow: how much longer; default 1000.")
@click.option("--status", type=int, help="For model-error: the model's status; default 500.")
@state_dir_option
def set_(kind: str, state_dir: Path, **options: Any) -> None:
    """Set a fault of KIND; it strikes from now on, until it is cleared.

    \b
    KIND: throttling, access-denied, no-capacity, kill, model-error, corrupt or slow.
    \b
    Examples:
      sagemaker-serving local faults set access-denied --service s3 --name 'models/*'
      sagemaker-serving local faults set kill --operation CreateTransformJob --first 1
      sagemaker-serving local faults set model-error --status 400 --every 3
      sagemaker-serving local faults set corrupt --name my-endpoint
    """
    fault = {"kind": kind, **{name: value for name, value in options.items() if value is not None}}
    _ask(state_dir, "PUT", fault.get("id", kind), fault)
    click.echo(f"set: {_in_a_line(fault)}")


@faults.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print everything, for programs.")
@state_dir_option
def list_(as_json: bool, state_dir: Path) -> None:
    """Show the faults that are set, and how often each was matched and has struck."""
    found = _ask(state_dir, "GET")
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
    """Take away the fault ID, or all of them."""
    left = _ask(state_dir, "DELETE", id)
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


def _ask(
    state_dir: Path, method: str, id: str | None = None, body: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The faults that are set once the local AWS has done it; its refusals as `Mistake`."""
    import urllib.error

    from sagemaker_serving.errors import Mistake

    path = "/_local/faults" if id is None else f"/_local/faults/{quote(id, safe='')}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with local_address(state_dir).open(path, method, data) as answer:
            listed: list[dict[str, Any]] = json.load(answer)["faults"]
    except urllib.error.HTTPError as refused:
        raise Mistake(json.load(refused)["message"]) from None
    return listed
