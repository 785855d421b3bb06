"""``sagemaker-serving compile``: a compilation job of SageMaker Neo, outside of a deploy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import json_option
from sagemaker_serving.cli.options import WhichAws, aws_options

if TYPE_CHECKING:
    from sagemaker_serving.operations.compilation import Compilation
    from sagemaker_serving.operations.wanted_compilation import Wanted


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
@click.option("--output", help="Where the result goes, s3://BUCKET/PREFIX.")
@click.option("--role", "role_arn", help="The ARN of the job's role.")
@click.option("--watch", is_flag=True, help="Wait until the job is done, and print its progress.")
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
    as_json: bool,
    which: WhichAws,
) -> None:
    """Compile MODEL with SageMaker Neo: the job that a deploy with compile: would run.

    MODEL is a path, an archive s3://BUCKET/KEY.tar.gz, or ENVIRONMENT/MODEL or
    ENVIRONMENT/MODEL/VARIANT of environments/*.yaml. Of an environment it uses the compile: field,
    the bucket and the role. The same content is never compiled twice: this command and deploys find
    a job that is done or running.

    \b
    Examples:
      sagemaker-serving compile prod/digits/neo --watch
      sagemaker-serving compile model/ --target ml_c5 --batch-size 1 \\
          --output s3://bucket/neo --role arn:aws:iam::123456789012:role/neo --watch
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
    aws = which.aws()
    asked = wanted(
        model, {key: value for key, value in given.items() if value is not None}, aws, which.region
    )
    compiler = Compiler(
        aws,
        output=asked.output(output, aws),
        role_arn=asked.role_arn(role_arn, aws),
    )
    begun = _begin(compiler, asked)
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


def _begin(compiler: Any, asked: Wanted) -> Compilation:
    url, content = asked.uploaded(compiler)
    begun: Compilation = compiler.begin(asked.job, model_url=url, content=content)
    return begun


def _watched(compiler: Any, begun: Compilation, *, quiet: bool) -> Compilation:
    """The job when it is done; every new status is said as it comes."""
    said = ""
    for compilation in compiler.watch(begun.name):
        begun = compilation
        if not quiet and begun.status != said:
            click.echo(f"{begun.name}: {begun.status}", err=True)
            said = begun.status
    return begun
