"""What ``bench --find-batching`` does: trials of settings, and those that answer most."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sagemaker_serving.whole_files import write_whole

if TYPE_CHECKING:
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.operations.bench import BenchInput, VariantReport
    from sagemaker_serving.operations.tuning import Settings, Trial, Tuning


def find_batching(
    source: Path | Aws,
    endpoint: str,
    variant: str | None,
    inputs: Sequence[BenchInput],
    *,
    version: str | None,
    goal_seconds: float,
    callers: int,
    seconds: float,
    quiet: bool,
) -> Tuning:
    """By trials of the model ``source`` on this machine, or, there, of a copy of ``endpoint``.

    ``version`` is that of the image which this machine's server behaves like. Unless ``quiet``,
    every trial is printed as it ends.
    """
    from sagemaker_serving.archive import read_contents
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.tuning import tune

    search = partial(
        tune,
        goal_seconds=goal_seconds,
        callers=callers,
        tried=(lambda _: None) if quiet else _tell,
    )
    if isinstance(source, Path):
        need("local", "tensorflow")
        from sagemaker_serving.operations.tuning.server import measure

        here = partial(measure, source, container_version=version)
        return search(
            lambda settings: here(settings, inputs, callers=callers, seconds=seconds),
            has_handler=read_contents(source).script is not None,
        )
    from sagemaker_serving.operations.tuning.endpoint import EndpointTrials

    with closing(EndpointTrials(source, endpoint, variant)) as trials:
        click.echo(f"trials run on {trials.name}, which is deleted at the end", err=True)
        return search(
            lambda settings: trials.measure(settings, inputs, callers=callers, seconds=seconds),
            has_handler=True,  # nobody can see into its container
        )


def conclude(found: Tuning, *, output: Path | None, as_json: bool) -> None:
    """Print what was found, and write it into ``output``; ends with 1 where no goal was kept."""
    if as_json:
        click.echo(json.dumps(_document(found), indent=1))
    else:
        _print(found)
    if output is not None:
        write_whole(output, _yaml(found.best.settings))
    if not found.reached:
        raise click.exceptions.Exit(1)


def _tell(trial: Trial) -> None:
    """A line as the trial ends: aligned on a terminal, tabs between the values in a pipe."""
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


def _print(found: Tuning) -> None:
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
