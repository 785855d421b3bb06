"""``sagemaker-serving watch``: a rollout as it happens."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_lines_option
from local_aws.terminal import console
from sagemaker_serving.cli.completing import DeployedEndpoint
from sagemaker_serving.cli.options import WhichAws, aws_options

if TYPE_CHECKING:
    from rich.table import Table

    from sagemaker_serving.operations import RolloutEvent
    from sagemaker_serving.operations.rollout.state import EndpointState


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.option("--config", help="The config to wait for; default: the one that is rolled out.")
@click.option(
    "--timeout",
    type=click.IntRange(min=1),
    default=3600,
    show_default=True,
    help="The seconds to wait. The rollout itself goes on.",
)
@click.option("--logs", is_flag=True, help="Print the new containers' log, as it comes.")
@json_lines_option
@aws_options
def watch(
    endpoint: str,
    config: str | None,
    timeout: int,
    logs: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Show a rollout of ENDPOINT as it happens, and end with its result.

    It waits for --config; without it, for the config that is being rolled out; else for the one
    that ENDPOINT's CloudFormation stack names. Without --config it waits for the stack, too: from
    its change set, before ENDPOINT moves, to its end, as a stack that fails takes ENDPOINT back.

    \b
    Ends with
      0  when that config serves, and no deploy is under way
      1  as soon as a container fails, with the cause and its last log lines
      1  when another config serves in the end: SageMaker or the stack rolled back
      1  after --timeout seconds
      2  when there is no such endpoint

    \b
    Examples:
      sagemaker-serving watch prod-digits
      sagemaker-serving watch prod-digits --logs --timeout 900
      sagemaker-serving watch local-digits --local --json | jq -r .message
    """
    from sagemaker_serving.operations import watch as watch_rollout

    aws = which.aws(of=endpoint)
    events = watch_rollout(endpoint, aws, config=config, timeout_seconds=timeout)
    with when_interrupted(lambda: "the rollout goes on without it; run watch again to see it"):
        show(events, logs=logs, as_json=as_json)


def show(events: Iterable[RolloutEvent], *, logs: bool, as_json: bool) -> None:
    """Prints a rollout: alive on a terminal, as plain lines or JSON in a pipe."""
    wanted = (event for event in events if logs or event.kind != "log")
    if as_json:
        _show_documents(wanted)
    elif sys.stdout.isatty():
        _show_alive(wanted)
    else:
        for event in wanted:
            click.echo(_line(event))


def _line(event: RolloutEvent) -> str:
    return f"{event.at:%H:%M:%S}  {event.message}"


def _show_documents(events: Iterator[RolloutEvent]) -> None:
    from sagemaker_serving.errors import RolloutFailed

    try:
        for event in events:
            click.echo(json.dumps(_document(event)))
    except RolloutFailed as failed:
        document = {"event": "failed", "message": failed.cause, "log_lines": failed.log_lines}
        click.echo(json.dumps(document))
        raise


def _document(event: RolloutEvent) -> dict[str, Any]:
    state = event.state
    return {
        "at": event.at.isoformat(timespec="milliseconds"),
        "event": event.kind,
        "message": event.message,
        "status": state.status,
        "config": state.config,
        "coming_config": state.coming_config,
        "failure_reason": state.failure_reason,
        "variants": [
            {
                "name": variant.name,
                "coming": variant.coming,
                "instances": variant.instances,
                "desired_instances": variant.desired_instances,
                "weight": variant.weight,
                "phase": variant.phase,
            }
            for variant in state.variants
        ],
    }


def _show_alive(events: Iterator[RolloutEvent]) -> None:
    from rich.live import Live

    with Live(
        console=console(), transient=True, redirect_stdout=False, redirect_stderr=False
    ) as live:
        for event in events:
            live.console.print(_line(event))
            live.update(_variants(event.state))


def _variants(state: EndpointState) -> Table:
    from rich.spinner import Spinner
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("", "variant", "config", "instances", "weight", ""):
        table.add_column(name)
    for variant in state.variants:
        counted = variant.desired_instances is not None
        table.add_row(
            Spinner("dots") if variant.coming else "",
            variant.name,
            str(state.coming_config if variant.coming else state.config),
            f"{variant.instances or 0}/{variant.desired_instances}" if counted else "",
            "" if variant.weight is None else f"{variant.weight:g}",
            f"{variant.phase} {variant.message}".strip(),
        )
    return table
