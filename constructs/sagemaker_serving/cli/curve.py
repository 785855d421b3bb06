"""What ``bench --curve`` does: ever more callers, and the service curve that ``simulate`` reads."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.terminal import print_own
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.operations.bench import BenchInput
    from sagemaker_serving.operations.simulation import Level, ServiceCurve


def measure(
    source: Path | Aws,
    endpoint: str,
    variant: str | None,
    inputs: Sequence[BenchInput],
    *,
    version: str | None,
    settings: Path | None,
    most_callers: int,
    seconds: float,
    quiet: bool,
) -> ServiceCurve:
    """Of the model ``source``, served here, or of a variant of ``endpoint`` there.

    Unless ``quiet``, on a terminal every level is told as it ends.
    """
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.simulation.measuring import (
        blocks_in,
        curve_of_endpoint,
        curve_of_model,
    )

    told = _tell if sys.stderr.isatty() and not quiet else _pass
    if isinstance(source, Path):
        need("local", "tensorflow")
        return curve_of_model(
            source,
            inputs,
            blocks={} if settings is None else blocks_in(_text(settings), settings),
            container_version=version,
            seconds=seconds,
            most_callers=most_callers,
            told=told,
        )
    return curve_of_endpoint(
        source,
        endpoint,
        variant,
        inputs,
        seconds=seconds,
        most_callers=most_callers,
        told=told,
    )


def conclude(curve: ServiceCurve, *, plot: bool, output: Path | None, as_json: bool) -> None:
    """Print the curve, and write it into ``output``."""
    if as_json:
        click.echo(json.dumps(curve.as_dict(), indent=1))
    else:
        print_table([_row(level) for level in curve.levels], as_json=False)
        if curve.batches:
            print_table(
                [
                    {"examples in a batch": each.examples, "p50 ms": f"{each.seconds * 1000:.2f}"}
                    for each in curve.batches
                ],
                as_json=False,
            )
        if plot:
            _draw(curve)
    if output is not None:
        curve.save(output)
        click.echo(f"written: {output}", err=True)


def _row(level: Level) -> dict[str, object]:
    return {
        "callers": level.callers,
        "per second": f"{level.per_second:.1f}",
        **{f"p{each} ms": f"{level.quantile(each / 100) * 1000:.1f}" for each in (50, 90, 99)},
        "errors": level.errors,
    }


def _tell(level: Level) -> None:
    click.echo(f"{level.callers} callers: {level.per_second:.1f} per second", err=True)


def _pass(level: Level) -> None:
    """Tells nothing."""


def _text(path: Path) -> str:
    from sagemaker_serving.errors import Mistake

    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"--settings {path} can't be read: {error}") from None


def _draw(curve: ServiceCurve) -> None:
    from sagemaker_serving.cli.graphs import Panel, draw

    answered = [(float(each.callers), each.per_second) for each in curve.levels]
    latency = [
        (
            f"p{percent}",
            [(float(e.callers), e.quantile(percent / 100) * 1000) for e in curve.levels],
        )
        for percent in (50, 90, 99)
    ]
    panels = [
        Panel(title="answered", unit="per second", x="callers", lines=[("", answered)]),
        Panel(title="latency", unit="ms", x="callers", lines=latency),
    ]
    if curve.batches:
        batches = [(float(each.examples), each.seconds * 1000) for each in curve.batches]
        panels.append(Panel(title="a batch", unit="ms", x="examples", lines=[("p50", batches)]))
    on_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else 100
    print_own(draw(panels, width=width, colours=on_terminal))
