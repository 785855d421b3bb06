"""``sagemaker-serving local up``: start it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from sagemaker_serving.cli.local.status import engine_lines
from sagemaker_serving.cli.options import state_dir_option


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=4570,
    show_default=True,
    help="Its port on the loopback; 0 takes a free one.",
)
@click.option("--foreground", is_flag=True, help="Stay here until Ctrl-C instead of returning.")
@click.option("--fresh", is_flag=True, help="Forget what was deployed before and start empty.")
@click.option(
    "--time-scale",
    type=float,
    help="How many seconds of AWS's own waits pass in one: deployments' bakes, alarms' periods, "
    "scaling's cooldowns, idle times.  [default: 1]",
)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="REPOSITORY=ENGINE",
    help="What stands in for images of a repository: tensorflow, tensorflow:VERSION, pytorch, "
    "command:PROGRAM (it listens on SAGEMAKER_BIND_TO_PORT or 8080; its model is in "
    "SM_MODEL_DIR), or stub (its answers say so). Several times; kept; none forgets it.",
)
@click.option(
    "--without-engines/--with-engines",
    default=None,
    help="Make everything but model servers: endpoints are InService, and say that nothing "
    "runs behind them. Kept.  [default: as before]",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse a template for what would only be kept of it: types and properties that the local "
    "AWS does nothing by.",
)
@click.option(
    "--end-with",
    type=click.IntRange(min=1),
    metavar="PID",
    envvar="SAGEMAKER_SERVING_END_WITH",
    help="End it when this process ends, however: a script's shell ($$), a test run.",
)
@state_dir_option
def up(
    port: int,
    foreground: bool,
    fresh: bool,
    time_scale: float | None,
    engines: tuple[str, ...],
    without_engines: bool | None,
    strict: bool,
    end_with: int | None,
    state_dir: Path,
) -> None:
    """Start the local AWS and return when it answers.

    Stacks, objects and endpoints that were there when it last ended are found
    again. A stack whose deploy was cut off is rolled back, and said.

    \b
    Examples:
      sagemaker-serving local up --engine team/server=pytorch
      sagemaker-serving local up --engine 'djl-inference=command:python fake_djl.py'
      sagemaker-serving local up --engine sagemaker-tritonserver=stub --time-scale 60
    """
    from sagemaker_serving.extras import need

    need("local", *(() if without_engines else ("tensorflow",)))
    from local_aws import daemon
    from local_aws.process import has_ended
    from local_aws.process.address import killed_before
    from local_aws.settings import STRICT, TIME_SCALE
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.local_sagemaker.common.settings import (
        ENGINES,
        WITHOUT_ENGINES,
        declarations,
    )
    from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations

    if end_with is not None and has_ended(end_with):
        raise Mistake(
            f"--end-with is {end_with}; there is no such process, so the local AWS would end at "
            "once; name one that runs"
        )
    declared = read_declarations({ENGINES: declarations(os.environ), "--engine": engines})
    given = {ENGINES: "\n".join(f"{name}={engine}" for name, engine in declared.items())}
    if time_scale is not None:
        given[TIME_SCALE] = f"{time_scale:g}"
    if without_engines is not None:
        given[WITHOUT_ENGINES] = f"{without_engines:d}"
    if strict:
        given[STRICT] = "1"
    if foreground:
        os.environ.update(given)
        daemon.serve(state_dir, port, end_with=end_with, fresh=fresh)
        return
    began = time.monotonic()
    killed = killed_before(state_dir)
    address = daemon.start(state_dir, port, end_with=end_with, fresh=fresh, environment=given)
    seconds = time.monotonic() - began
    click.echo(
        f"the local AWS answers at {address.url} (process {address.pid}) after {seconds:.1f} s"
    )
    if killed is not None:
        click.echo(f"the one before it (process {killed}) was killed")
    _tell_what_was_found(address.status(), fresh=fresh)


def _tell_what_was_found(facts: dict[str, Any], *, fresh: bool) -> None:
    stacks, endpoints = facts["stacks"], facts["endpoints"]
    if fresh:
        click.echo("it starts empty; what was deployed before is forgotten")
    elif stacks or endpoints:
        click.echo(f"found again: {_count(stacks, 'stack')}, {_count(endpoints, 'endpoint')}")
    for stack in facts["recovered"]:
        click.echo(
            f"stack {stack['name']} ({stack['region']}) was in {stack['found']} when the local AWS "
            f"ended; it is in {stack['now']} now; see `sagemaker-serving local status`"
        )
    for line in engine_lines(facts):
        click.echo(line)
    if not stacks:
        click.echo("next: sagemaker-serving local deploy local", err=True)


def _count(things: list[Any], name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"
