"""``sagemaker-serving transform``: run a deployed batch pipeline and see what became of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import (
    EnvironmentName,
    environment_place,
    split_model,
)
from sagemaker_serving.cli.options import WhichAws, aws_options

if TYPE_CHECKING:
    from sagemaker_serving.operations import (
        BatchExecution,
        BatchPipeline,
        BatchReport,
    )

_REASONS = 3
_POLL_SECONDS, _LOCAL_POLL_SECONDS = 5.0, 0.5


class _StartUnlessNamed(click.Group):
    """A group whose first word may be left out: it is ``start`` then."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["start", *args]
        return super().parse_args(ctx, args)


environment_option = click.option(
    "-e",
    "--environment",
    type=EnvironmentName(),
    help="The environment that the model is deployed to; default with --local: local.",
)


@click.group(cls=_StartUnlessNamed)
def transform() -> None:
    """Transform many objects with MODEL's batch pipeline: transform MODEL INPUT OUTPUT.

    `prod/digits` is the MODEL digits of --environment prod.

    \b
    Examples:
      sagemaker-serving transform digits images/ answers/ --local
      sagemaker-serving transform digits s3://b/in/ s3://b/out/ -e prod --watch
      sagemaker-serving transform digits rows.jsonl out/ --local \\
          --split-type Line --line-per-record
      sagemaker-serving transform digits -e prod --resume nightly-17
      sagemaker-serving transform digits images/ out/ --local --resume nightly-17
      sagemaker-serving transform status prod/digits nightly-17
      sagemaker-serving transform stop digits nightly-17 -e prod
    """


@transform.command()
@click.argument("model")
@click.argument("source", metavar="[INPUT]", required=False)
@click.argument("output", required=False)
@environment_option
@click.option("--name", help="The execution's name; default: from the time.")
@click.option("--watch", is_flag=True, help="Wait for the end. A local OUTPUT always waits.")
@click.option("--resume", metavar="EXECUTION", help="Finish what this execution has not done.")
@click.option("--split-type", type=click.Choice(["None", "Line", "RecordIO", "TFRecord"]))
@click.option("--assemble-with", type=click.Choice(["None", "Line"]))
@click.option("--batch-strategy", type=click.Choice(["MultiRecord", "SingleRecord"]))
@click.option("--compression-type", type=click.Choice(["None", "Gzip"]))
@click.option("--content-type", help="The inputs' type.")
@click.option("--accept", help="The outputs' type.")
@click.option("--input-filter", help="A JSONPath: the part of a record that the model gets.")
@click.option("--output-filter", help="A JSONPath: the part of an answer that is written.")
@click.option("--join-source", type=click.Choice(["Input", "None"]))
@click.option("--input-type", type=click.Choice(["S3Prefix", "ManifestFile"]))
@click.option("--max-payload-in-mb", type=click.IntRange(0, 100))
@click.option("--max-objects-per-shard", type=click.IntRange(1, 100_000))
@click.option("--instance-type")
@click.option("--instance-count", type=click.IntRange(min=1))
@click.option(
    "--retry-quarantined", is_flag=True, default=None, help="Retry what is in quarantine, too."
)
@click.option("--fail-on-quarantine/--tolerate-quarantine", default=None)
@click.option(
    "--line-per-record/--as-answered",
    default=None,
    help="Write an output with a line for each record: line 7 answers record 7, or says why not.",
)
@json_option
@aws_options
def start(
    model: str,
    source: str | None,
    output: str | None,
    environment: str | None,
    name: str | None,
    watch: bool,
    resume: str | None,
    as_json: bool,
    which: WhichAws,
    **overrides: Any,
) -> None:
    """Transform every object of INPUT, and put the answers under OUTPUT.

    INPUT is a file, a folder or s3://…; OUTPUT is a folder or s3://…. In S3 they have to lie where
    the pipeline may read and write. Options override the environment file. With a local OUTPUT the
    report goes into a folder beside it: answers-report beside answers. With --resume, INPUT is the
    folder of that execution: what changed in it since is sent, and only that and what was not done
    runs. Ends with 1 when nothing was answered, and when an object is neither answered nor in
    quarantine.
    """
    if resume is None and (source is None or output is None):
        raise click.UsageError("give INPUT and OUTPUT, or --resume")
    pipeline = _pipeline(environment, model, which)
    run = name if name is not None else f"run-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    given = {key: value for key, value in overrides.items() if value is not None}
    folder: Path | None = None
    if resume is not None:
        if given:
            raise click.UsageError("--resume takes its options from the execution it names")
        if source is not None:
            folder = _mended(pipeline, source, output, resume)
        execution = pipeline.resume(resume, run)
    else:
        assert source is not None
        assert output is not None
        folder = None if output.startswith("s3://") else Path(output)
        execution = pipeline.start(
            _uploaded(pipeline, source, run),
            run,
            output_uri=output if folder is None else None,
            overrides=given,
        )
    if not watch and folder is None:
        click.echo(execution.arn)
        return
    click.echo(
        f"started {execution.name}; inputs are in {execution.given['input']}, outputs go to "
        f"{execution.output_uri}",
        err=True,
    )
    _see_to_the_end(pipeline, execution, folder, local=which.local, as_json=as_json)


@transform.command()
@click.argument("model")
@click.argument("execution")
@environment_option
@json_option
@aws_options
def status(
    model: str,
    execution: str,
    environment: str | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Print the progress of MODEL's EXECUTION, or at its end its report."""
    pipeline = _pipeline(environment, model, which)
    found = pipeline.execution(execution)
    progress = pipeline.progress(found)
    report = pipeline.report(found) if progress.status != "RUNNING" else None
    if as_json:
        from dataclasses import asdict

        shown = asdict(progress) | ({} if report is None else {"report": asdict(report)})
        click.echo(json.dumps(shown, indent=1))
        return
    of_all = (
        ""
        if progress.shards is None
        else (
            f"{progress.shards_done:,} of {progress.shards:,} shards, "
            f"{progress.objects_done:,} of {progress.objects:,} "
            f"object{'s' * (progress.objects != 1)}"
        )
    )
    click.echo(f"{progress.status}: {of_all or 'it is planned'}")
    for line in () if report is None else report.lines():
        click.echo(line)
    if report is None and progress.cause:
        click.echo(progress.cause)


@transform.command()
@click.argument("model")
@click.argument("execution")
@environment_option
@aws_options
def stop(model: str, execution: str, environment: str | None, which: WhichAws) -> None:
    """Stop MODEL's EXECUTION and its jobs. `transform --resume` finishes it later."""
    pipeline = _pipeline(environment, model, which)
    found = pipeline.execution(execution)
    pipeline.stop(found)
    click.echo(f"stopped {found.name}; what it has written stays")


def _pipeline(environment: str | None, model: str, which: WhichAws) -> BatchPipeline:
    from sagemaker_serving.operations import BatchPipeline

    of_model, model = split_model(model)
    if None not in (environment, of_model) and environment != of_model:
        raise click.UsageError(
            f"--environment is {environment}, and {of_model}/{model} is of {of_model}; name one"
        )
    environment = environment if of_model is None else of_model
    if environment is None and not which.local:
        raise click.UsageError(
            f"which environment? give <environment>/{model}, --environment, or --local"
        )
    name, region = environment_place(environment if environment is not None else "local")
    aws = which.aws(which.region or region, of=f"{name}-{model}")
    return BatchPipeline(name, model, aws)


def _uploaded(pipeline: BatchPipeline, source: str, run: str) -> str:
    """Where the input lies in S3; local files are put there first."""
    if source.startswith("s3://"):
        return source
    files, folder = _files(source)
    return pipeline.upload(files, run, folder=folder)


def _mended(pipeline: BatchPipeline, source: str, output: str | None, resumed: str) -> Path:
    """The folder for outputs, once the execution's input is what ``source`` has now."""
    if output is None or output.startswith("s3://") or source.startswith("s3://"):
        raise click.UsageError(
            "with --resume, INPUT and OUTPUT are both folders of this machine, or left out"
        )
    files, folder = _files(source)
    sent = pipeline.mend(files, pipeline.execution(resumed), folder=folder)
    click.echo(f"{sent:,} of {len(files):,} inputs changed and were sent", err=True)
    return Path(output)


def _files(source: str) -> tuple[list[Path], Path | None]:
    """The files of a folder, and the folder; of a file, that alone."""
    from sagemaker_serving.errors import Mistake

    path = Path(source)
    if path.is_file():
        return [path], None
    files = sorted(file for file in path.rglob("*") if file.is_file())
    if not files:
        raise Mistake(f"{source} is no file, and no folder with files in it")
    return files, path


def _see_to_the_end(
    pipeline: BatchPipeline,
    execution: BatchExecution,
    folder: Path | None,
    *,
    local: bool,
    as_json: bool,
) -> None:
    from sagemaker_serving.errors import Failure
    from sagemaker_serving.operations.batch_report import report_folder_beside
    from sagemaker_serving.progress import progress_bar

    seconds = _LOCAL_POLL_SECONDS if local else _POLL_SECONDS
    goes_on = f"batch execution {execution.name} goes on; see it with `transform status`"
    with (
        when_interrupted(lambda: f"{goes_on}, end it with `transform stop`"),
        progress_bar("objects", counts=True) as show,
    ):
        for progress in pipeline.watch(execution, poll_seconds=seconds):
            if show is not None and progress.objects is not None:
                show(progress.objects_done, progress.objects)
    report = pipeline.report(execution)
    if report is not None:
        if as_json:
            from dataclasses import asdict

            click.echo(json.dumps(asdict(report), indent=1))
        for line in () if as_json else report.lines():
            click.echo(line)
        if folder is not None:
            count = pipeline.download(execution, folder)
            page = report_folder_beside(folder) / "report.html"
            what = "output" if count == 1 else "outputs"
            click.echo(f"{count:,} {what} in {folder}; the report: {page}", err=True)
    if progress.status != "SUCCEEDED":
        cause = progress.cause if report is None else _why(report)
        raise Failure(f"batch execution {execution.name} ended as {progress.status}: {cause}")


def _why(report: BatchReport) -> str:
    """How an execution that did not succeed has ended, with the first reasons of what it lacks."""
    if report.status == "INCOMPLETE":
        reasons = [str(line["error"]) for line in report.unaccounted[:1]]
    else:
        reasons = report.first_reasons(_REASONS)
    said = "nothing was answered" if report.status == "UNANSWERED" else report.status.lower()
    return "; ".join([said, *reasons])
