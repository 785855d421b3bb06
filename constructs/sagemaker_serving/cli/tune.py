"""``sagemaker-serving tune``: the batching that answers most within a latency goal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sagemaker_serving.cli.options import aws_options, the_aws
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.client.bench import BenchInput, VariantReport
    from sagemaker_serving.client.tuning import Settings, Trial, Tuning


@click.command()
@click.argument("model", metavar="MODEL_OR_ENDPOINT")
@click.option(
    "--input",
    "paths",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="A file to send, or a folder of files; may be given several times.",
)
@click.option("--content-type", help="What the files are; default: told by their names.")
@click.option(
    "--callers",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="The load: so many send at once, each the next request when the last was answered.",
)
@click.option(
    "--p99-ms",
    "goal",
    type=click.FloatRange(min=0, min_open=True),
    required=True,
    help="The goal: 99 of 100 requests are answered within so many milliseconds.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=10.0,
    show_default=True,
    help="How long each trial is under load.",
)
@click.option("--framework-version", help="Which image's server to tune; default: the newest.")
@click.option(
    "--endpoint",
    "is_endpoint",
    is_flag=True,
    help="The argument is an endpoint: try on a copy of it with one instance, which is paid for "
    "and takes minutes for each trial, and delete the copy at the end.",
)
@click.option("--variant", help="With --endpoint: which variant to copy; default: the first.")
@click.option("--plot", is_flag=True, help="Draw throughput and latency on the terminal.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the winning block, as YAML, into this file.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@aws_options
def tune(
    model: str,
    paths: tuple[Path, ...],
    content_type: str | None,
    callers: int,
    goal: float,
    seconds: float,
    framework_version: str | None,
    is_endpoint: bool,
    variant: str | None,
    plot: bool,
    output: Path | None,
    as_json: bool,
    local: bool,
    state_dir: Path,
    region: str | None,
    profile: str | None,
) -> None:
    """Find the batching that answers most requests while 99 of 100 keep the goal.

    MODEL_OR_ENDPOINT is a model's folder or archive, served on this machine, or
    with --endpoint an endpoint. Tries no batching, then batch sizes, time-outs and
    threads, each from the best so far; with an inference.py also how many requests
    its server takes at once. Prints every trial, and the winning block for the
    environment file. On this machine callers and model share its cores: the figures
    compare with one another, and say nothing about an instance type. Ends with
    1 when nothing kept the goal.

    \b
    Examples:
      sagemaker-serving tune model_assets/half_plus_three/model --input one.json --p99-ms 20
      sagemaker-serving tune model.tar.gz --input images/ --callers 64 --p99-ms 50 -o batching.yaml
      sagemaker-serving tune prod-digits --endpoint --input images/ --p99-ms 40 --seconds 60
    """
    from sagemaker_serving.client.bench import inputs_of
    from sagemaker_serving.extras import need

    inputs = inputs_of(paths, content_type)
    if plot:
        need("plots")
    say: Callable[[Trial], None] = (lambda _: None) if as_json else _say
    load = {"callers": callers, "seconds": seconds}
    if is_endpoint:
        aws = the_aws(local, state_dir, region, profile)
        found = _on_a_copy(aws, model, variant, inputs, goal / 1000, say, load)
    else:
        found = _here(Path(model), framework_version, inputs, goal / 1000, say, load)
    if as_json:
        click.echo(json.dumps(_document(found), indent=1))
    else:
        _conclude(found)
    if plot and not as_json:
        _draw(found)
    if output is not None:
        output.write_text(_yaml(found.best.settings), encoding="utf-8")
    if not found.reached:
        raise click.exceptions.Exit(1)


def _here(
    model: Path,
    version: str | None,
    inputs: list[BenchInput],
    goal_seconds: float,
    say: Callable[[Trial], None],
    load: dict[str, Any],
) -> Tuning:
    from sagemaker_serving.archive import read_contents
    from sagemaker_serving.client.tuning import tune as search
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.extras import need

    need("local", "tensorflow")
    from sagemaker_serving.local.tuning import measure

    if not model.exists():
        raise Mistake(f"{model}: there is no such model; an endpoint is tuned with --endpoint")

    def trial(settings: Settings) -> VariantReport:
        return measure(model, settings, inputs, environment={}, container_version=version, **load)

    has_handler = read_contents(model).script is not None
    return search(
        trial,
        goal_seconds=goal_seconds,
        has_handler=has_handler,
        tried=say,
        callers=load["callers"],
    )


def _on_a_copy(
    aws: Aws,
    endpoint: str,
    variant: str | None,
    inputs: list[BenchInput],
    goal_seconds: float,
    say: Callable[[Trial], None],
    load: dict[str, Any],
) -> Tuning:
    from sagemaker_serving.client.tuning import tune as search
    from sagemaker_serving.client.tuning.endpoint import trials_on

    with trials_on(aws, endpoint, variant) as trials:
        click.echo(f"trials run on {trials.name}, which is deleted at the end", err=True)
        return search(
            lambda settings: trials.measure(settings, inputs, **load),
            goal_seconds=goal_seconds,
            has_handler=True,  # nobody can see into its container
            callers=load["callers"],
            tried=say,
        )


def _say(trial: Trial) -> None:
    print_table([_row(trial)], as_json=False)


def _row(trial: Trial) -> dict[str, object]:
    result = trial.result
    return {
        "settings": str(trial.settings),
        "per second": f"{result.per_second:.1f}",
        **{f"p{percent} ms": _ms(result.percentile(percent)) for percent in (50, 99)},
        "errors": result.failed,
    }


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.1f}"


def _conclude(found: Tuning) -> None:
    best = found.best
    goal = f"{found.goal_seconds * 1000:g} ms"
    if not found.reached:
        click.echo(f"\nnothing kept the goal of {goal}; nearest: {best.settings}")
    elif not best.settings.block:
        click.echo(f"\nwithin {goal}, no batching answers most; leave batching out")
    else:
        click.echo(f"\nwithin {goal} these answer most; in the environment file:\n")
        click.echo(_yaml(best.settings), nl=False)


def _yaml(settings: Settings) -> str:
    import yaml

    block = settings.block
    text: str = yaml.safe_dump(block, sort_keys=False) if block else "# no batching answers most\n"
    return text


def _document(found: Tuning) -> dict[str, object]:
    return {
        "goal_ms": found.goal_seconds * 1000,
        "reached": found.reached,
        "best": found.best.settings.block,
        "trials": [
            {"settings": trial.settings.block, **_figures(trial.result)} for trial in found.trials
        ],
    }


def _figures(result: VariantReport) -> dict[str, object]:
    wanted = ("p50_ms", "p90_ms", "p99_ms", "per_second", "errors", "error_messages")
    return {name: value for name, value in result.as_dict().items() if name in wanted}


def _draw(found: Tuning) -> None:
    import shutil
    import sys

    from sagemaker_serving.cli.graphs import Panel, draw

    def line(value: Callable[[VariantReport], float | None]) -> list[tuple[float, float]]:
        points = ((number, value(trial.result)) for number, trial in enumerate(found.trials, 1))
        return [(number, amount) for number, amount in points if amount is not None]

    def milliseconds(result: VariantReport) -> float | None:
        seconds = result.percentile(99)
        return None if seconds is None else seconds * 1000

    panels = [
        Panel(title="answered", unit="per second", x="trial", lines=[("", line(_per_second))]),
        Panel(title="p99", unit="ms", x="trial", lines=[("p99", line(milliseconds))]),
    ]
    on_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else 100
    click.echo(draw(panels, width=width, colours=on_terminal))


def _per_second(result: VariantReport) -> float | None:
    return result.per_second
