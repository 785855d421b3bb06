"""``sagemaker-serving simulate``: what an endpoint's instances do under traffic to come."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from local_aws.terminal import print_own, progress_bars
from sagemaker_serving.cli.completing import EnvironmentName, ModelName, environment_path
from sagemaker_serving.cli.options import WhichAws, aws_options, price_file_option
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.cli.graphs import Panel
    from sagemaker_serving.operations.simulation import Setup, SimulationReport


@click.command()
@click.argument("environment", metavar="ENVIRONMENT_OR_FILE", type=EnvironmentName())
@click.argument("model", type=ModelName())
@click.option(
    "--traffic",
    required=True,
    metavar="FILE|CAPTURE|SHAPE",
    help="When requests come: a file, data capture, or a shape, as below.",
)
@click.option(
    "--curve",
    "curve_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="What one instance does, from `bench --curve -o`.",
)
@click.option("--variant", help="The variant; needed where the model has several.")
@click.option(
    "--scale",
    type=click.FloatRange(0, min_open=True),
    help="How fast an instance is beside the one of the curve: 0.5 takes twice as long. "
    "Default: 1, as an assumption.",
)
@click.option(
    "--start-seconds",
    type=click.FloatRange(0),
    help="From asking for an instance until it answers. Default: 300, as an assumption.",
)
@click.option(
    "--instances",
    type=click.IntRange(min=1),
    help="A fixed number of instances, in place of the file's and its scaling.",
)
@click.option(
    "--start",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]),
    help="When a shape begins, in UTC. Default: a Monday at midnight.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another one: other chances.")
@click.option(
    "--p99-ms",
    "goal",
    type=click.FloatRange(min=0, min_open=True),
    help="A goal: the p99 of every minute's requests in milliseconds.",
)
@price_file_option
@click.option("--plot", is_flag=True, help="Draw it on the terminal.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw it into this PNG file.",
)
@json_option
@aws_options
def simulate(
    environment: str,
    model: str,
    traffic: str,
    curve_file: Path,
    variant: str | None,
    scale: float | None,
    start_seconds: float | None,
    instances: int | None,
    start: datetime | None,
    seed: int,
    goal: float | None,
    price_file: Path,
    plot: bool,
    output: Path | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Simulate the instances of MODEL under traffic to come.

    ENVIRONMENT_OR_FILE is `prod` for environments/prod.yaml, or the file.
    Requests queue, are joined and refused as the server does it, by the file's own settings.
    Instances come and go by the file's policies and schedules, as on the local AWS. Prints p50, p90
    and p99 of each quarter-hour, refused and timed-out requests, instances, instance-hours and,
    where the price file knows the price, what they cost. Says what was assumed, and the minute in
    which a fleet became too small; it ends with 1 then. Needs the extra `simulation`.

    \b
    Traffic is requests per second, by chance, in one of these shapes:
      constant:50            50 a second for an hour; constant:50/8h for eight
      ramp:10-200/30m        from 10 to 200 in half an hour
      day:peak=300,trough=20 a day with its peak at 14:00 UTC; day:peak=300,trough=20,at=9 at 9:00
    Or a file, whose lines are all
      1250                           requests of one minute after the other
      2026-11-23T08:00:00Z,1250      requests of that minute
      2026-11-23T08:00:01.250Z       one request
    Or what data capture wrote: a .jsonl file, a folder of them, or s3://BUCKET/PREFIX.

    \b
    Examples:
      sagemaker-serving bench model.tar.gz --curve -o curve.json
      sagemaker-serving simulate local digits --traffic day:peak=90,trough=5 --curve curve.json
      sagemaker-serving simulate local digits --traffic monday.csv --curve curve.json --p99-ms 200
      sagemaker-serving simulate prod digits --variant cpu --traffic ramp:10-900/30m \\
        --curve curve.json --scale 0.5 --instances 4 -o ramp.png
    """
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.simulation import ServiceCurve, setup_of, traffic_of
    from sagemaker_serving.operations.simulation import simulate as run
    from sagemaker_serving.spec import read_environment

    need("simulation", *(("plots",) if plot or output is not None else ()))
    found = read_environment(environment_path(environment)).sound
    setup = setup_of(
        found,
        model,
        ServiceCurve.load(curve_file),
        variant=variant,
        scale=scale,
        start_seconds=start_seconds,
        instances=instances,
    )
    setup = _priced(setup, price_file, found.region)
    begins = None if start is None else start.replace(tzinfo=UTC)
    in_s3 = which.aws(found.region) if traffic.startswith("s3://") else None
    came = traffic_of(traffic, begins, in_s3)
    interrupted = when_interrupted(lambda: "nothing is kept; shorter traffic takes less time")
    with interrupted, _progress() as progress:
        report = run(
            setup,
            came,
            seed=seed,
            goal_seconds=None if goal is None else goal / 1000,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=1))
    else:
        _print(report)
    _draw(report, traffic, plot=plot and not as_json, output=output)
    if report.beginnings:
        raise click.exceptions.Exit(1)


def _priced(setup: Setup, price_file: Path, region: str) -> Setup:
    from sagemaker_serving.operations.prices import Prices

    if not price_file.exists():
        return setup
    prices = Prices.load(price_file)
    return replace(
        setup,
        price=prices.of(region, "hosting", setup.instance_type),
        currency=prices.currency,
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.progress import TimeRemainingColumn

    with progress_bars(TimeRemainingColumn()) as bars:
        task = bars.add_task("minutes", total=None)
        yield lambda done, of: bars.update(task, completed=done, total=of)


def _print(report: SimulationReport) -> None:
    print_table(
        [
            {
                "from": f"{each.start:%a %H:%M}",
                "requests": each.arrived,
                **{f"p{percent} ms": _ms(getattr(each, f"p{percent}")) for percent in (50, 90, 99)},
                "refused": each.refused,
                "timed out": each.timed_out,
                "instances": f"{each.fewest_instances}"
                if each.fewest_instances == each.most_instances
                else f"{each.fewest_instances} to {each.most_instances}",
            }
            for each in report.quarters
        ],
        as_json=False,
    )
    click.echo(
        f"{report.title}: {report.arrived} requests, p50 {_ms(report.percentile(50))} ms, "
        f"p99 {_ms(report.percentile(99))} ms, {report.refused} refused, "
        f"{report.timed_out} timed out"
    )
    cost = "no price is known" if report.cost is None else f"{report.cost:.2f} {report.currency}"
    hours = f"{report.instance_hours:.2f} instance-hours of {report.instance_type}"
    click.echo(f"{hours}: {cost}")
    for change in report.changes:
        click.echo(
            f"{report.at(change.minute):%a %H:%M}: from {change.before} to {change.after} "
            f"instances, {change.because}"
        )
    for sentence in report.assumptions:
        click.echo(f"assumed: {sentence}")
    for found in report.beginnings:
        minutes = f"{found.minutes} minute{'s' if found.minutes > 1 else ''}"
        click.echo(f"too small: {found.what}, from {found.at:%a %H:%M} on, in {minutes}")


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.1f}"


def _draw(report: SimulationReport, traffic: str, *, plot: bool, output: Path | None) -> None:
    if not plot and output is None:
        return
    from sagemaker_serving.cli.graphs import draw, save_png

    panels = _panels(report)
    if plot:
        on_terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if on_terminal else 100
        print_own(draw(panels, width=width, colours=on_terminal))
    if output is not None:
        save_png(panels, output, title=f"{report.title}: {traffic}, simulated")
        click.echo(f"drawn: {output}", err=True)


def _panels(report: SimulationReport) -> list[Panel]:
    from sagemaker_serving.cli.graphs import Panel

    quarters, begins = report.quarters, report.start.timestamp()
    latency = [
        (
            f"p{percent}",
            [
                (each.start.timestamp(), seconds * 1000)
                for each in quarters
                if (seconds := getattr(each, f"p{percent}")) is not None
            ],
        )
        for percent in (50, 90, 99)
    ]

    def by_minute(values: list[float]) -> list[tuple[float, float]]:
        return [(begins + 60 * number, value) for number, value in enumerate(values)]

    minutes = report.minutes
    return [
        Panel(
            title="requests",
            unit="per second",
            lines=[
                ("arrived", by_minute([each.arrived / 60 for each in minutes])),
                ("refused", by_minute([each.refused / 60 for each in minutes])),
                ("timed out", by_minute([each.timed_out / 60 for each in minutes])),
            ],
        ),
        Panel(title="latency", unit="ms", note="by quarter-hour", lines=latency),
        Panel(
            title="instances",
            lines=[
                ("taking requests", by_minute([float(each.instances) for each in minutes])),
                ("paid for", by_minute([float(each.paid) for each in minutes])),
            ],
        ),
    ]
