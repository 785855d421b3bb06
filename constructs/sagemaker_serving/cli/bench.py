"""``sagemaker-serving bench``: variants side by side, or the best batching."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import EndpointOrModel
from sagemaker_serving.cli.options import WhichAws, WrittenFile, aws_options, given_options
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.operations.bench import (
        BenchInput,
        BenchReport,
        InputDifference,
        VariantReport,
    )


@click.command()
@click.argument("endpoint", metavar="ENDPOINT_OR_MODEL", type=EndpointOrModel())
@click.option(
    "--requests",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Requests to each variant.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    show_default="8; with --find-batching 32",
    help="Requests at the same time. Each caller sends its next request after an answer.",
)
@click.option(
    "--variants",
    metavar="A,B",
    help="Only these; the first is compared with the others. With --find-batching, the one to try.",
)
@click.option(
    "--input",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file to send, or a folder of files; may be given several times. Default: random "
    "numbers that fit the model's signature.",
)
@click.option("--content-type", help="The files' type; default: by their names.")
@click.option("--accept", help="The answers' type.")
@click.option(
    "--max-difference",
    type=click.FloatRange(min=0),
    help="End with 1 when answers differ by more than this, or a request fails.",
)
@click.option(
    "--find-batching",
    is_flag=True,
    help="Try batching and server settings, and print those with the highest throughput within "
    "--p99-ms.",
)
@click.option(
    "--p99-ms",
    "goal",
    type=click.FloatRange(min=0, min_open=True),
    help="The goal of --find-batching: the p99 of the latency in milliseconds.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1),
    default=10.0,
    show_default=True,
    help="How long each trial of --find-batching takes.",
)
@click.option(
    "--framework-version",
    help="The version of the image that serves a model on this machine; default: the newest.",
)
@click.option(
    "--output",
    "-o",
    type=WrittenFile(),
    help="Draw the times into this PNG file, or write the best settings as YAML.",
)
@json_option
@aws_options
def bench(
    endpoint: str,
    requests: int,
    concurrency: int | None,
    variants: str | None,
    paths: tuple[Path, ...],
    content_type: str | None,
    accept: str | None,
    max_difference: float | None,
    find_batching: bool,
    goal: float | None,
    seconds: float,
    framework_version: str | None,
    output: Path | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Send the same requests to each variant of an endpoint; compare times and answers.

    Prints for each variant the latency (p50, p90, p99), requests per second, errors, and the
    largest difference between its answers and the first variant's. Drawing needs the extra `plots`.

    With --find-batching it finds the batching with the highest throughput whose p99 is below
    --p99-ms. A model's folder or archive is served on this machine. Of an endpoint, a copy of one
    variant with one instance is made, and deleted at the end: each trial takes minutes and costs
    money on AWS. Prints every trial, and the best settings for the environment file. In a pipe a
    trial is, between tabs, requests per second, p50 and p99 in ms, errors, settings. Ends with 1
    when no trial met the goal. `docs compare` says what is tried.

    \b
    Examples:
      sagemaker-serving bench prod-digits --input model_assets/digits/held_out
      sagemaker-serving bench prod-digits --variants cpu,neo --input seven.png \\
          --max-difference 1e-3
      sagemaker-serving bench local-half-plus-three --local \\
          --requests 1000 -o times.png
      sagemaker-serving bench model.tar.gz --find-batching --p99-ms 50 \\
          -o batching.yaml
      sagemaker-serving bench prod-digits --find-batching --p99-ms 40 \\
          --seconds 60 --concurrency 64
    """
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.bench import bench as run
    from sagemaker_serving.progress import progress_bar

    names = None if variants is None else [name.strip() for name in variants.split(",")]
    _must_go_together(goal, names, finds_batching=find_batching)
    model = _model(endpoint)
    if model is not None and not find_batching and not _may_be_an_endpoint(endpoint):
        raise click.UsageError(
            f"{endpoint} is a model on this machine, and an endpoint's variants are compared; give "
            "an endpoint, or --find-batching"
        )
    if output is not None and not find_batching:
        need("plots")
    shorter = "--seconds" if find_batching else "--requests"
    interruptible = when_interrupted(
        lambda: (
            "nothing is kept of what was measured; run the command again, with a smaller "
            f"{shorter} for a shorter run"
        )
    )
    source = model if find_batching and model is not None else which.aws(of=endpoint)
    inputs = _inputs(paths, content_type, source, endpoint, names)
    if goal is not None:
        from sagemaker_serving.cli import batching

        with interruptible:
            found = batching.find_batching(
                source,
                endpoint,
                None if names is None else names[0],
                inputs,
                version=framework_version,
                goal_seconds=goal / 1000,
                callers=32 if concurrency is None else concurrency,
                seconds=seconds,
                quiet=as_json,
            )
        batching.conclude(found, output=output, as_json=as_json)
        return
    assert not isinstance(source, Path)
    with interruptible, progress_bar("bench", counts=True) as progress:
        report = run(
            endpoint,
            inputs,
            aws=source,
            variants=names,
            requests=requests,
            concurrency=8 if concurrency is None else concurrency,
            accept=accept,
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=1, default=str))
    else:
        _print(report)
    if output is not None:
        _draw(report, output)
    _judge(report, max_difference)


_OF_FINDING = ("goal", "seconds", "framework_version")
_OF_COMPARING = ("requests", "accept", "max_difference")


def _must_go_together(
    goal: float | None, variants: list[str] | None, *, finds_batching: bool
) -> None:
    for option in given_options(*(_OF_COMPARING if finds_batching else _OF_FINDING)):
        if finds_batching:
            raise click.UsageError(f"{option} does not go with --find-batching")
        raise click.UsageError(f"{option} goes with --find-batching; give both")
    if finds_batching and goal is None:
        raise click.UsageError("--find-batching needs a goal; give --p99-ms")
    if finds_batching and variants is not None and len(variants) > 1:
        raise click.UsageError(f"--find-batching tries one variant, not {len(variants)}; name one")


def _model(text: str) -> Path | None:
    """The model on this machine that ``text`` is; None for what is the name of an endpoint."""
    from sagemaker_serving.errors import NotFound

    path = Path(text)
    if path.exists():
        return path
    if not _may_be_an_endpoint(text):
        raise NotFound(
            f"{text} does not exist; give a model's folder or archive, or an endpoint's name"
        )
    return None


def _may_be_an_endpoint(text: str) -> bool:
    return text.replace("-", "").isalnum()


def _inputs(
    paths: Sequence[Path],
    content_type: str | None,
    source: Path | Aws,
    endpoint: str,
    variants: Sequence[str] | None,
) -> list[BenchInput]:
    from sagemaker_serving.archive import read_contents
    from sagemaker_serving.operations.bench import generated_inputs, inputs_fitting, inputs_of

    if paths:
        return inputs_of(paths, content_type)
    if content_type is not None:
        raise click.UsageError("--content-type is about the files of --input; there is none")
    if isinstance(source, Path):
        return inputs_fitting(read_contents(source), str(source))
    return generated_inputs(source, endpoint, variants[0] if variants else None)


def _print(report: BenchReport) -> None:
    print_table([_row(variant) for variant in report.variants], as_json=False)
    for variant in report.variants:
        for line in _remarks(variant):
            click.echo(line)


def _row(variant: VariantReport) -> dict[str, object]:
    return {
        "variant": variant.name,
        **{f"p{percent} ms": _ms(variant.percentile(percent)) for percent in (50, 90, 99)},
        "per second": f"{variant.per_second:.1f}",
        "errors": variant.failed,
        "largest difference": _size(variant),
    }


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.1f}"


def _size(variant: VariantReport) -> str:
    if variant.difference is not None:
        size = variant.difference.difference.size
        return "another form" if math.isinf(size) else f"{size:.6g}"
    return "0" if variant.compared else ""


def _remarks(variant: VariantReport) -> Iterator[str]:
    found = variant.difference
    if found is not None:
        yield (
            f"{variant.name} answers differently from {found.baseline}: {_place(found)}: "
            f"{_shown(found.difference.expected)} there, {_shown(found.difference.found)} here"
        )
    own = variant.own_difference
    if own is not None:
        yield (
            f"{variant.name} does not always answer the same: {_place(own)}: "
            f"{_shown(own.difference.expected)}, and {_shown(own.difference.found)}"
        )
    for message, count in variant.errors.items():
        yield f"{variant.name}: {count} failed: {message}"


def _place(found: InputDifference) -> str:
    path = found.difference.path
    return f"input {found.input} at {path}" if path else f"input {found.input}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _judge(report: BenchReport, max_difference: float | None) -> None:
    from sagemaker_serving.errors import Failure

    if max_difference is None:
        return
    for variant in report.variants:
        found = variant.difference
        if found is not None and found.difference.size > max_difference:
            raise Failure(
                f"{variant.name} answers differently from {found.baseline} by "
                f"{_size(variant)}; at most {max_difference:g} is allowed"
            )
        if variant.failed:
            raise Failure(
                f"{variant.failed} of {report.requests} requests to {variant.name} failed"
            )


def _draw(report: BenchReport, output: Path) -> None:
    """For each variant: how many of its requests took so long at most."""
    from sagemaker_serving.cli.graphs import Panel, save_png

    panel = Panel(
        title=f"{report.concurrency} requests at a time",
        of="requests",
        x="milliseconds",
        lines={
            variant.name: [1000 * each for each in variant.seconds] for variant in report.variants
        },
    )
    save_png([panel], output, title=report.endpoint)
