"""``local-aws logs``: what functions, and others, have written into CloudWatch Logs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from local_aws.cli.lazy import Command
from local_aws.cli.options import local_address, region_option, state_dir_option
from local_aws.process.region import local_region

_LOOK_SECONDS = 0.5


@click.command(cls=Command)
@click.argument("name")
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option(
    "--lines",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="How many of the last lines to begin with.",
)
@region_option("The AWS region of the log group.")
@state_dir_option
def logs(name: str, follow: bool, lines: int, region: str | None, state_dir: Path) -> None:
    """Print the last lines of a log group of CloudWatch, and follow them.

    NAME is the log group, or its end: a function's is /aws/lambda/NAME.

    \b
    Examples:
      local-aws logs Orders-Handler886CB40B-L2x8QkAy0bGZ
      local-aws logs /aws/vendedlogs/orders -f | grep -i error
    """
    address = local_address(state_dir)
    where = region if region is not None else local_region(address, name)
    client = address.client("logs", where)
    group = _group(client, name, where)
    events = _events(client, group, 0)
    for event in events[max(0, len(events) - lines) :]:
        _show(event)
    for event in _new_ones(client, group, events) if follow else ():
        _show(event)


def _group(client: Any, name: str, region: str) -> str:
    """The log group that is meant; raises `NotFound`, and `Mistake` where several may be."""
    from local_aws.errors import Mistake, NotFound
    from local_aws.suggest import nearest

    pages = client.get_paginator("describe_log_groups").paginate()
    known: list[str] = [each["logGroupName"] for page in pages for each in page["logGroups"]]
    if name in known:
        return name
    ending = [group for group in known if group.endswith(f"/{name}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise Mistake(f"{name} is the end of several log groups; name one: {', '.join(ending)}")
    meant = nearest(name, [*known, *(each.rpartition("/")[2] for each in known)])
    hint = f"did you mean '{meant}'?" if meant is not None else "a function has one once it ran"
    raise NotFound(f"there is no log group {name} or …/{name} in {region}; {hint}")


def _events(client: Any, group: str, since: int) -> list[dict[str, Any]]:
    """What was written at ``since``, milliseconds since the epoch, and after, oldest first."""
    pages = client.get_paginator("filter_log_events").paginate(logGroupName=group, startTime=since)
    found = [event for page in pages for event in page["events"]]
    return sorted(found, key=lambda event: int(event["timestamp"]))


def _new_ones(client: Any, group: str, shown: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What comes, for as long as somebody wants it."""
    while True:
        since = shown[-1]["timestamp"] if shown else 0
        # Several lines may have one timestamp, of which some were shown.
        latest = {event["eventId"] for event in shown if event["timestamp"] == since}
        new = [each for each in _events(client, group, since) if each["eventId"] not in latest]
        yield from new
        shown = [*(event for event in shown if event["timestamp"] == since), *new]
        time.sleep(_LOOK_SECONDS)


def _show(event: dict[str, Any]) -> None:
    click.echo(event["message"].rstrip("\n"))
