"""``sagemaker-serving tune``: the batching that answers most within a latency goal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.terminal import print_own
from sagemaker_serving.cli.options import aws_options, the_aws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sagemaker_serving.cli.graphs import Panel
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.operations.bench import BenchInput, VariantReport
    from sagemaker_serving.operations.tuning import Settings, Trial, Tuning


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
@click.option("--plot", is_flag=True, help="Draw throughput and p99 along each setting.")
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
    its server takes at once. Batching that seems to gain is tried once more, beside
    none. Prints every trial (in a pipe: requests per second, p50 and p99 in ms,
    errors, settings, between tabs) and the winning block for the environment
    file. On this machine callers and model share its cores: the figures
    compare with one another, and say nothing about an instance type. Ends with
    1 when nothing kept the goal.

    \b
    Examples:
      sagemaker-serving tune model_assets/half_plus_three/model --input one.json --p99-ms 20
      sagemaker-serving tune model.tar.gz --input images/ --callers 64 --p99-ms 50 -o batching.yaml
      sagemaker-serving tune prod-digits --endpoint --input images/ --p99-ms 40 --seconds 60
    """
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.bench import inputs_of

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
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.tuning import tune as search

    need("local", "tensorflow")
    from sagemaker_serving.operations.tuning.server import measure

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
    from sagemaker_serving.operations.tuning import tune as search
    from sagemaker_serving.operations.tuning.endpoint import trials_on

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
    """A line as the trial ends: aligned on a terminal, tabs between the values in a pipe."""
    import sys

    result = trial.result
    p50, p99 = (_ms(result.percentile(percent)) for percent in (50, 99))
    if sys.stdout.isatty():
        failed = f", {result.failed} failed" if result.failed else ""
        click.echo(
            f"{result.per_second:9.1f} per second, p50 {p50:>7} ms, p99 {p99:>7} ms{failed}: "
            f"{trial.settings}"
        )
    else:
        values = (f"{result.per_second:.1f}", p50, p99, result.failed, trial.settings)
        click.echo("\t".join(map(str, values)))


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

    from sagemaker_serving.cli.graphs import draw

    on_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else 100
    panels = [panel for field in _CURVES for panel in _curves(found, field)]
    print_own(draw(panels, width=width, colours=on_terminal))


def _curves(found: Tuning, field: str) -> Iterator[Panel]:
    """What was answered, and how late, along the values of ``field`` that were tried."""
    from sagemaker_serving.cli.graphs import Panel

    tried = {getattr(trial.settings, field): trial.result for trial in _climb(found, field)}
    values = sorted(value for value in tried if value is not None)
    if len(values) < 2:
        return
    late = [(value, tried[value].percentile(99)) for value in values]
    p99 = [(float(value), seconds * 1000) for value, seconds in late if seconds is not None]
    ends = (float(values[0]), float(values[-1]))
    yield Panel(
        title="answered",
        unit="per second",
        x=field,
        note=f"by {field}",
        lines=[("", [(float(value), tried[value].per_second) for value in values])],
    )
    yield Panel(
        title="p99",
        unit="ms",
        x=field,
        note=f"by {field}",
        lines=[("p99", p99), ("goal", [(end, found.goal_seconds * 1000) for end in ends])],
    )


def _climb(found: Tuning, field: str) -> list[Trial]:
    """The trials along ``field``, before any field after it was set."""
    later = _CURVES[_CURVES.index(field) + 1 :]
    return [
        trial
        for trial in found.trials
        if all(getattr(trial.settings, name) is None for name in later)
    ]


_CURVES = ("max_batch_size", "batch_timeout_micros", "num_batch_threads")
"""The fields that make a curve, in the order in which they are tried."""
