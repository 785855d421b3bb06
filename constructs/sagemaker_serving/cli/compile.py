"""``sagemaker-serving compile``: a compilation job of SageMaker Neo, outside of a deploy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import json_option
from sagemaker_serving.cli.compiled import RANDOM, compare
from sagemaker_serving.cli.options import WhichAws, aws_options, given_options

if TYPE_CHECKING:
    from sagemaker_serving.archive.compiling import Precision
    from sagemaker_serving.operations.compilation import Compilation, Compiler


@click.command()
@click.argument("model")
@click.option("--target", "target_device", help="The device to compile for, such as ml_c5.")
@click.option("--framework", help="In Neo's words, such as ONNX; default: by the model's files.")
@click.option("--framework-version", help="Default: the newest that Neo compiles.")
@click.option("--input-config", help="The inputs' shapes: '{\"input\": [1, 224, 224, 3]}'.")
@click.option("--batch-size", type=int, help="The batch size for a SavedModel whose batch is open.")
@click.option("--compiler-options", help="Neo's CompilerOptions.")
@click.option(
    "--max-runtime", type=int, help="The most seconds that the job may take; default 900."
)
@click.option(
    "--output",
    "-o",
    help="Where the result goes, s3://BUCKET/PREFIX; with --compare the PNG file to draw.",
)
@click.option("--role", "role_arn", help="The ARN of the job's role.")
@click.option("--watch", is_flag=True, help="Wait until the job is done, and print its progress.")
@click.option(
    "--compare",
    "golden",
    metavar="[FILE]",
    is_flag=False,
    flag_value=RANDOM,
    help="Compile on this machine instead, and hold the result against the original: with the "
    "golden requests in FILE or accept.golden, or with random ones that fit the signature.",
)
@click.option(
    "--precisions",
    default="f32",
    show_default=True,
    help="With --compare: what to compile to, of f32, bf16 and int8, separated by commas.",
)
@click.option(
    "--requests",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="With --compare: how many requests take each model's times.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With --compare: how many of them at once.",
)
@click.option("--max-error", type=float, help="With --compare: accept.max_error.")
@click.option("--agreement", type=float, help="With --compare: accept.agreement.")
@click.option("--speedup", type=float, help="With --compare: accept.speedup.")
@json_option
@aws_options
def compile(
    model: str,
    target_device: str | None,
    framework: str | None,
    framework_version: str | None,
    input_config: str | None,
    batch_size: int | None,
    compiler_options: str | None,
    max_runtime: int | None,
    output: str | None,
    role_arn: str | None,
    watch: bool,
    golden: str | None,
    precisions: str,
    requests: int,
    concurrency: int,
    max_error: float | None,
    agreement: float | None,
    speedup: float | None,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Compile MODEL with SageMaker Neo: the job that a deploy with compile: would run.

    MODEL is a path, an archive s3://BUCKET/KEY.tar.gz, or ENVIRONMENT/MODEL or
    ENVIRONMENT/MODEL/VARIANT of environments/*.yaml. Of an environment it uses the compile: field,
    the bucket and the role. The same content is never compiled twice: this command and deploys find
    a job that is done or running.

    With --compare no job is made. The model is compiled on this machine with OpenVINO, which stands
    in for Neo's compiler (extra openvino; int8 needs nncf, TorchScript torch), in each of
    --precisions. Prints errors, agreement, p50, p99 and throughput beside the original's. Ends with
    1 when one of them misses what compile: {accept: …} or the options say. In a pipe a line is,
    between tabs, the model, its largest and mean error, agreement, p50 and p99 in ms, requests per
    second, speedup, accepted.

    \b
    Examples:
      sagemaker-serving compile prod/digits/neo --watch
      sagemaker-serving compile model/ --target ml_c5 --batch-size 1 \\
          --output s3://b/neo --role arn:aws:iam::123456789012:role/neo --watch
      sagemaker-serving compile prod/digits/neo --compare golden.jsonl
      sagemaker-serving compile model/ --batch-size 1 --compare golden.jsonl \\
          --precisions f32,bf16,int8 --max-error 0.001 -o compiled.png
    """
    from sagemaker_serving.errors import Failure
    from sagemaker_serving.operations.compilation import Compiler
    from sagemaker_serving.operations.wanted_compilation import wanted

    given: dict[str, Any] = {
        "target_device": target_device,
        "framework": framework,
        "framework_version": framework_version,
        "data_input_config": input_config,
        "batch_size": batch_size,
        "compiler_options": compiler_options,
        "max_runtime_in_seconds": max_runtime,
    }
    gate = {"max_error": max_error, "agreement": agreement, "speedup": speedup}
    held_to = {key: value for key, value in gate.items() if value is not None}
    if held_to:
        given["accept"] = held_to
    for option in given_options(*(_COMPARING if golden is None else _OF_A_JOB)):
        if golden is None:
            raise click.UsageError(f"{option} goes with --compare; give both")
        raise click.UsageError(f"{option} is about a job, and --compare makes none")
    aws = which.aws()
    asked = wanted(
        model,
        {key: value for key, value in given.items() if value is not None},
        aws,
        which.region,
        target_matters=golden is None,
    )
    if golden is not None:
        compare(
            asked,
            golden,
            _precisions(precisions),
            asked.asked.accept,
            aws,
            count=requests,
            callers=concurrency,
            output=None if output is None else Path(output),
            as_json=as_json,
        )
        return
    compiler = Compiler(
        aws,
        output=asked.output(output, aws),
        role_arn=asked.role_arn(role_arn, aws),
    )
    url, content = asked.uploaded(compiler)
    begun = compiler.begin(asked.job, model_url=url, content=content)
    if watch:
        begun = _watched(compiler, begun, quiet=as_json)
    if as_json:
        click.echo(json.dumps(vars(begun), indent=1))
    elif begun.status == "COMPLETED":
        click.echo(f"{begun.name} is done: {begun.model_url}")
        if begun.image is not None:
            click.echo(f"its image: {begun.image}")
        if begun.reason:
            click.echo(begun.reason)
    elif not begun.done:
        click.echo(f"{begun.name} is under way; look again with --watch")
    if begun.status in ("FAILED", "STOPPED"):
        raise Failure(f"{begun.name} is {begun.status}: {begun.reason or 'no reason given'}")


_COMPARING = (
    *("precisions", "requests", "concurrency"),
    *("max_error", "agreement", "speedup"),
)
_OF_A_JOB = ("role_arn", "watch", "max_runtime", "compiler_options")


def _precisions(text: str) -> list[Precision]:
    from sagemaker_serving.archive.compiling import PRECISIONS

    named = [name.strip() for name in text.split(",")]
    known: dict[str, Precision] = {precision: precision for precision in PRECISIONS}
    for name in named:
        if name not in known:
            raise click.UsageError(f"--precisions: {name!r} is none of {', '.join(PRECISIONS)}")
    return [known[name] for name in dict.fromkeys(named)]


def _watched(compiler: Compiler, begun: Compilation, *, quiet: bool) -> Compilation:
    """The job when it is done; every new status is said as it comes."""
    said = ""
    for compilation in compiler.watch(begun.name):
        begun = compilation
        if not quiet and begun.status != said:
            click.echo(f"{begun.name}: {begun.status}", err=True)
            said = begun.status
    return begun
