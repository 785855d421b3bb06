"""What ``sagemaker-serving compile --compare`` does: compiled models beside their original."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.archive.compiling import Precision
    from sagemaker_serving.client.aws import Aws
    from sagemaker_serving.operations.bench.report import VariantReport
    from sagemaker_serving.operations.compiled import Report, Variant
    from sagemaker_serving.operations.golden import Request
    from sagemaker_serving.operations.wanted_compilation import Wanted
    from sagemaker_serving.spec.compilation import Acceptance

RANDOM = ""
"""The value of --compare that asks for random requests."""

_SMALLEST_ERROR = 1e-12


def compare(
    asked: Wanted,
    golden: str,
    precisions: Sequence[Precision],
    accept: Acceptance | None,
    aws: Aws,
    *,
    count: int,
    callers: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compile here, print both side by side, and raise `Failure` where the gate is missed."""
    from sagemaker_serving.answers.acceptance import misses
    from sagemaker_serving.errors import Failure
    from sagemaker_serving.extras import need
    from sagemaker_serving.operations.compiled import Subject, run
    from sagemaker_serving.progress import progress_bar

    need("local")
    if output is not None:
        need("plots")
    shapes = asked.job.data_input_config
    requests = _requests(asked, golden)
    with (
        when_interrupted(lambda: "nothing is kept of what was compiled; run the command again"),
        tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as folder,
        progress_bar("compile, ask, take times", counts=True) as progress,
    ):
        report = run(
            Subject(
                folder=asked.unpacked(Path(folder), aws),
                framework=asked.job.framework,
                shapes=None if shapes is None else json.loads(shapes),
                container_version=asked.container_version,
            ),
            requests,
            precisions,
            count=count,
            callers=callers,
            progress=progress,
        )
    missed: dict[str, list[str]] = {
        variant.compiled.precision: list(misses(accept, variant.comparison, variant.speedup))
        for variant in report.variants
        if accept is not None
    }
    if as_json:
        click.echo(json.dumps({**report.as_dict(), "missed": missed}, indent=1))
    else:
        _print(report, missed)
    if output is not None:
        _draw(report, output)
    if any(missed.values()):
        told = [f"{precision}: {text}" for precision in missed for text in missed[precision]]
        raise Failure("the compiled model is not accepted: " + "; ".join(told))


def _requests(asked: Wanted, golden: str) -> list[Request]:
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.operations.bench import inputs_fitting
    from sagemaker_serving.operations.golden import Request, read_golden

    path = asked.golden if golden == RANDOM else Path(golden)
    if path is not None:
        return [exchange.request for exchange in read_golden(path)]
    if asked.contents is None:
        raise Mistake("what a model in S3 takes is not known; give golden requests to --compare")
    try:
        singles = inputs_fitting(asked.contents, str(asked.sources[0].path))
    except Mistake as unknown:
        reason = str(unknown).rpartition(";")[0]
        raise Mistake(f"{reason}; give golden requests: --compare FILE") from None
    rows = [json.loads(single.body)["instances"][0] for single in singles]
    batch = asked.asked.batch_size or 1
    batches = [[rows[(at + n) % len(rows)] for n in range(batch)] for at in range(len(rows))]
    return [Request(body=json.dumps({"instances": each}).encode()) for each in batches]


def _print(report: Report, missed: dict[str, list[str]]) -> None:
    from sagemaker_serving.answers.acceptance import shown_error

    rows = [{**_row("original"), **_times(report.original), "speedup": "", "accepted": ""}]
    for variant in report.variants:
        name, comparison = variant.compiled.precision, variant.comparison
        agreement = comparison.agreement
        accepted = "" if name not in missed else ("no" if missed[name] else "yes")
        rows.append(
            {
                **_row(
                    name,
                    shown_error(comparison.max_error),
                    shown_error(comparison.mean_error),
                    "" if agreement is None else f"{agreement:.2%}",
                ),
                **_times(variant.times),
                "speedup": "" if variant.speedup is None else f"{variant.speedup:.2f}",
                "accepted": accepted,
            }
        )
    print_table(rows, as_json=False)
    for variant in report.variants:
        for place, output in variant.comparison.outputs.items():
            click.echo(
                f"{variant.compiled.precision}: {place}: max error {shown_error(output.max)}, "
                f"mean {shown_error(output.mean)}"
            )
        _remark(variant)
    click.echo(
        f"{report.requests} requests, on this machine; {report.variants[0].compiled.compiler} "
        "stands in for Neo's compiler and proves nothing of what Neo makes"
    )


def _remark(variant: Variant) -> None:
    compiled = variant.compiled
    if compiled.precision == "bf16" and compiled.runs_in == "f32":
        click.echo("bf16: this machine's processor has no bfloat16, so it was computed in f32")
    for message, times in variant.times.errors.items():
        click.echo(f"{compiled.precision}: {times} failed: {message}")


def _row(name: str, largest: str = "", mean: str = "", agreement: str = "") -> dict[str, str]:
    return {"model": name, "max error": largest, "mean error": mean, "agreement": agreement}


def _times(report: VariantReport) -> dict[str, str]:
    def shown(percent: int) -> str:
        seconds = report.percentile(percent)
        return "" if seconds is None else f"{seconds * 1000:.1f}"

    return {
        "p50 ms": shown(50),
        "p99 ms": shown(99),
        "per second": f"{report.per_second:.1f}",
    }


def _draw(report: Report, output: Path) -> None:
    from sagemaker_serving.cli.graphs import Panel, save_png

    seconds: dict[str, Sequence[float]] = {
        "original": report.original.seconds,
        **{each.compiled.precision: each.times.seconds for each in report.variants},
    }
    errors: dict[str, Sequence[float]] = {
        each.compiled.precision: [
            math.log10(max(error, _SMALLEST_ERROR))
            for error in each.comparison.errors
            if math.isfinite(error)
        ]
        for each in report.variants
    }
    latency = {name: [1000 * each for each in took] for name, took in seconds.items()}
    panels = [
        Panel(title="latency", of="requests", x="milliseconds", lines=latency),
        Panel(title="error", of="numbers", x="power of ten of the absolute error", lines=errors),
    ]
    save_png(panels, output, title="compiled, beside the original")
