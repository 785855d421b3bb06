"""``sagemaker-serving replay``: captured requests to a candidate, and its answers compared."""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.options import WhichAws, WrittenFile, aws_options
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.operations.replay import ReplayReport
    from sagemaker_serving.operations.traffic import PassedOver

_AT_ONCE, _IN_RHYTHM = 8, 64
_TOLD = 5


class _Speed(click.ParamType):  # type: ignore[type-arg]
    """A multiple of the recorded rhythm, or ``max``, which is None."""

    name = "speed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails with what is allowed."""
        if value in ("max", None):
            return None
        try:
            speed = float(value)
        except ValueError:
            speed = 0.0
        if not 0 < speed < float("inf"):
            self.fail(f"{value!r} is no speed; give a number above 0, or max", param, ctx)
        return speed


class _Time(click.ParamType):  # type: ignore[type-arg]
    """A time in ISO 8601; UTC where it names no zone."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The time with a zone; fails with what is allowed."""
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no time; write 2026-11-24 or 2026-11-24T08:00Z", param, ctx)
        return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


@click.command()
@click.argument("places", metavar="[CAPTURE] TARGET", nargs=-1, required=True)
@click.option("--variant", help="The variant of the endpoint that all requests go to.")
@click.option(
    "--against",
    metavar="TARGET",
    help="Ask this one too, and compare with its answers instead of the captured ones.",
)
@click.option(
    "--from", "since", type=_Time(), help="Only events from then on: 2026-11-24, or with a time."
)
@click.option("--to", "until", type=_Time(), help="Only events before then.")
@click.option(
    "--speed",
    type=_Speed(),
    default="max",
    show_default=True,
    help="1 is the recorded rhythm, 2 twice as fast; max sends as fast as answers come.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    show_default=f"{_AT_ONCE}; in a rhythm {_IN_RHYTHM}",
    help="The most requests at the same time.",
)
@click.option(
    "--noise",
    metavar="N",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Ask so many requests twice first; what differs there is taken off.",
)
@click.option(
    "--max-difference",
    type=click.FloatRange(min=0),
    show_default="1e-5",
    help="How far numbers may be apart, relative to the captured one where that is over 1.",
)
@click.option(
    "--max-different-percent",
    type=click.FloatRange(min=0, max=100),
    show_default="0",
    help="End with 1 when more of the answers are different or failed.",
)
@click.option(
    "--accept", help='The answers\' type; default: that of the captured ones. "" sends none.'
)
@click.option(
    "--framework-version",
    help="The version of the image that serves a model on this machine; default: the newest.",
)
@click.option(
    "--worst",
    "kept",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many of the worst requests are kept, with their bodies.",
)
@click.option(
    "--output",
    "-o",
    type=WrittenFile(),
    help="Write the report into this HTML file.",
)
@json_option
@aws_options
def replay(
    places: tuple[str, ...],
    variant: str | None,
    against: str | None,
    since: datetime | None,
    until: datetime | None,
    speed: float | None,
    concurrency: int | None,
    noise: int,
    max_difference: float | None,
    max_different_percent: float | None,
    accept: str | None,
    framework_version: str | None,
    kept: int,
    output: Path | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Send captured requests to TARGET and compare its answers with those captured.

    CAPTURE is what data capture wrote: a .jsonl file, a folder of them, s3://BUCKET/PREFIX, or the
    name of the endpoint that captured it.
    TARGET is an endpoint, a model's folder or archive, or ENVIRONMENT/MODEL; the last two are
    served on this machine. Alone, ENVIRONMENT/MODEL is the gate of that model's update.replay
    field, which names the capture and the limits. In the place of CAPTURE it means that field's.

    Prints how many answers are equal, different or failed, the latency, and the worst. Ends with 1
    above --max-different-percent. `docs compare` says how answers are compared. Requests to an
    endpoint on AWS cost what any others cost, and are captured there again.

    \b
    Examples:
      sagemaker-serving replay captured/ model.tar.gz
      sagemaker-serving replay s3://bucket/digits/captured staging-digits \\
          --from 2026-11-24
      sagemaker-serving replay captured/ prod-digits --variant next \\
          --speed 2 -o replay.html
      sagemaker-serving replay prod-digits model.tar.gz --from 2026-11-24 \\
          --against prod-digits
      sagemaker-serving replay prod/digits
      sagemaker-serving replay prod/digits local-digits --local
    """
    from local_aws.process import raise_file_limit
    from sagemaker_serving.operations.replay import Options, gate_of, page, target
    from sagemaker_serving.operations.replay import replay as run
    from sagemaker_serving.operations.traffic import capture_of_endpoint, open_capture
    from sagemaker_serving.progress import progress_bar
    from sagemaker_serving.whole_files import write_whole

    if len(places) > 2:
        raise click.UsageError(f"give a capture and a target, not {len(places)} places")
    gate = gate_of(places[0], alone=len(places) == 1)
    capture_place = places[0] if gate is None else gate.capture
    if max_difference is None:
        max_difference = 1e-5 if gate is None else gate.max_difference
    if max_different_percent is None:
        max_different_percent = 0.0 if gate is None else gate.max_different_percent
    if concurrency is None:
        concurrency = _AT_ONCE if speed is None else _IN_RHYTHM
    aws = which.aws(of=places[-1])
    if not Path(capture_place).exists() and capture_place.replace("-", "").isalnum():
        capture_place = capture_of_endpoint(capture_place, aws)
    raise_file_limit()
    with (
        when_interrupted(lambda: "nothing is kept; --from and --to make a replay shorter"),
        ExitStack() as open_until_the_end,
    ):
        with progress_bar("read the capture") as told:
            capture = open_until_the_end.enter_context(
                open_capture(capture_place, aws, since=since, until=until, progress=told)
            )
        candidate, baseline = (
            None
            if text is None
            else open_until_the_end.enter_context(
                target(
                    text,
                    aws,
                    variant=chosen,
                    concurrency=concurrency,
                    framework_version=framework_version,
                )
            )
            for text, chosen in ((places[-1], variant), (against, None))
        )
        assert candidate is not None
        with progress_bar("replay", counts=True) as counted:
            report = run(
                capture,
                candidate,
                name=capture_place,
                baseline=baseline,
                options=Options(
                    speed=speed,
                    concurrency=concurrency,
                    noise=noise,
                    tolerance=max_difference,
                    accept=accept,
                    kept=kept,
                ),
                progress=counted,
            )
    verdict = _verdict(report, max_different_percent)
    if output is not None:
        write_whole(output, page(report, verdict))
    if as_json:
        document = {**report.as_dict(), "max_different_percent": max_different_percent}
        click.echo(json.dumps(document, indent=1))
    else:
        _print(report)
    _judge(report, max_different_percent, verdict, quiet=as_json)


def _print(report: ReplayReport) -> None:
    from sagemaker_serving.operations.replay import OUTCOMES

    rows: list[dict[str, object]] = [
        {
            "answers": name,
            "requests": report.counts[name],
            "percent": f"{100 * report.counts[name] / max(report.replayed, 1):.2f}",
        }
        for name in OUTCOMES
    ]
    print_table(rows, as_json=False)
    for side in (report.candidate, report.baseline):
        if side is not None and side.seconds:
            figures = side.as_dict()
            p50, p90, p99 = (f"{figures[f'p{percent}_ms']:.1f}" for percent in (50, 90, 99))
            click.echo(f"{side.name}: p50 {p50} ms, p90 {p90} ms, p99 {p99} ms")
    if report.baseline is None:
        click.echo("how long the captured answers took is not captured")
    _print_noise(report)
    if report.late_seconds > 1:
        click.echo(
            f"the replay fell behind the rhythm by up to {report.late_seconds:.1f} s; give a "
            "higher --concurrency, or a lower --speed"
        )
    _print_passed(report.not_replayed, "not replayed")
    _print_passed(report.passed_over, "no events")
    for one in report.worst[:_TOLD]:
        click.echo(f"{one.where}: the answer is another")
        for difference in one.differences:
            click.echo(f"  {difference}")


def _print_noise(report: ReplayReport) -> None:
    noise = report.noise
    if noise.unsteady or noise.ignored:
        sizes = [f"{place or 'body'} by {size:.3g}" for place, size in noise.sizes().items()]
        others = [f"{place or 'body'} (not compared)" for place in sorted(noise.ignored)]
        places = [*others, *sizes]
        more = f" and {len(places) - _TOLD} more places" if len(places) > _TOLD else ""
        click.echo(
            f"asked twice, the same request is answered differently at {', '.join(places[:_TOLD])}"
            f"{more}; that much is taken off"
        )


def _print_passed(found: PassedOver, name: str) -> None:
    for reason, count in found.counts.most_common():
        places = found.places[reason][:_TOLD]
        more = ", …" if count > len(places) else ""
        click.echo(f"{count} {name}: {reason}: {', '.join(places)}{more}")


def _verdict(report: ReplayReport, most: float) -> str:
    if not report.replayed:
        reasons = report.not_replayed.counts.most_common(1)
        why = f": {reasons[0][0]}" if reasons else ""
        return f"none of {report.events} captured requests could be replayed{why}"
    bad = report.counts["different"] + report.counts["failed"]
    allowed = f"at most {most:g} % may be"
    if not bad:
        return f"{report.replayed} of {report.replayed} answers are like {report.compared_with}"
    return (
        f"{bad} of {report.replayed} answers are different or failed, "
        f"{report.different_percent:.3g} %; {allowed}"
    )


def _judge(report: ReplayReport, most: float, verdict: str, *, quiet: bool) -> None:
    from sagemaker_serving.errors import Failure

    if not report.replayed or report.different_percent > most:
        raise Failure(verdict)
    if not quiet:
        click.echo(verdict)
