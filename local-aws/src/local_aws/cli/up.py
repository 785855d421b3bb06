"""``local-aws up``: start it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from local_aws.cli.lazy import Command
from local_aws.cli.options import ProgramOption, state_dir_option
from local_aws.cli.showing import Facts, Shown, accounts_in
from local_aws.program import program

OWN = Shown(next_step=lambda: "local-aws deploy path/to/app")
"""What is shown where nothing is built on it."""


def up_options(*more: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `start_and_tell`, with ``more`` among them."""
    options = (
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            show_default="4570, or the next one that is free",
            help="Its port on 127.0.0.1; 0 takes a free one.",
        ),
        click.option("--foreground", is_flag=True, help="Run until Ctrl-C instead of returning."),
        click.option(
            "--fresh", is_flag=True, help="Delete what was deployed before, and start empty."
        ),
        click.option(
            "--time-scale",
            type=float,
            help="How much faster AWS's waits pass: deployments' bake times, alarms' periods, "
            "scaling's cooldowns, idle times.  [default: 1]",
        ),
        *more,
        click.option(
            "--strict",
            is_flag=True,
            help="Refuse templates with types or properties that the local AWS would only store.",
        ),
        click.option(
            "--end-with",
            cls=ProgramOption,
            type=click.IntRange(min=1),
            metavar="PID",
            help="Stop it when this process ends in any way: a script's shell ($$), a test run.",
        ),
        state_dir_option,
    )

    def with_options(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@click.command(cls=Command)
@up_options()
def up(**given: Any) -> None:
    """Start the local AWS and return when it answers.

    It restores the stacks, objects and functions of its last run. A stack whose
    deploy was interrupted is rolled back, with a message.

    \b
    Examples:
      local-aws up --port 0 --time-scale 60
      local-aws up --fresh --end-with $$
    """
    start_and_tell(OWN, **given)


def start_and_tell(
    shown: Shown,
    *,
    port: int | None,
    foreground: bool,
    fresh: bool,
    time_scale: float | None,
    strict: bool,
    end_with: int | None,
    state_dir: Path,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Start it as the options say, and print where it is and what it found again.

    ``environment`` are variables of it beside this process's own.
    """
    from local_aws import daemon
    from local_aws.errors import Mistake
    from local_aws.process import has_ended
    from local_aws.process.address import killed_before
    from local_aws.settings import strict_variable, time_scale_variable

    if end_with is not None and has_ended(end_with):
        raise Mistake(
            f"--end-with is {end_with}; there is no such process, so the local AWS would end at "
            "once; name one that runs"
        )
    from local_aws.process.address import DEFAULT_PORT
    from local_aws.process.http_server import next_free_port

    if port is None:
        port = next_free_port(DEFAULT_PORT)
    given = dict(environment)
    if time_scale is not None:
        given[time_scale_variable()] = f"{time_scale:g}"
    if strict:
        given[strict_variable()] = "1"
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
    _tell_what_was_found(address.status(), shown, fresh=fresh)


def _tell_what_was_found(facts: Facts, shown: Shown, *, fresh: bool) -> None:
    things = {"stacks": "stack", **shown.kept}
    accounts = [own for _, own in accounts_in(facts)]
    found = {name: sum(len(own.get(name, ())) for own in accounts) for name in things}
    if fresh:
        click.echo("it starts empty; what was deployed before is forgotten")
    elif any(found.values()):
        counts = (_count(found[name], one) for name, one in things.items())
        click.echo(f"found again: {', '.join(counts)}")
    for stack in [each for own in accounts for each in own["recovered"]]:
        click.echo(
            f"stack {stack['name']} ({stack['region']}) was in {stack['found']} when the local AWS "
            f"ended; it is in {stack['now']} now; see {program().command('status')}"
        )
    for line in shown.notes(facts):
        click.echo(line)
    if not found["stacks"]:
        click.echo(f"next: {shown.next_step()}", err=True)


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
