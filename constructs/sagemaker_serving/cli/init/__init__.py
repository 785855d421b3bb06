"""``sagemaker-serving init``: from a model on disk to an environment file that passes check."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from local_aws.process.region import shell_region
from sagemaker_serving.cli.options import must_be_region, today_option

if TYPE_CHECKING:
    from sagemaker_serving.cli.init.draft import Draft
    from sagemaker_serving.errors import Problem
    from sagemaker_serving.extras import Extra

_WHAT = "a SavedModel's folder, .keras, .h5, .pb, .onnx, .pt, model.tar.gz"
_T = TypeVar("_T")


@click.command()
@click.option("--model", help=f"The model on disk: {_WHAT}, …")
@click.option("--region", help="The AWS region; default: the shell's.")
@click.option("--name", help="The environment's name, and its file's; default: dev.")
@click.option("--instance-type", help="What it runs on; default: the smallest that holds it.")
@click.option("--framework", help="AWS's image that serves it; default: by the model's files.")
@click.option("--input", "inputs", multiple=True, help="A frozen graph's input; may repeat.")
@click.option("--output", "outputs", multiple=True, help="A frozen graph's output; may repeat.")
@click.option(
    "--ci",
    type=click.Choice(["github"]),
    help="Write the workflow that deploys environments/ from CI; without --model, only that.",
)
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; take the defaults.")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@today_option
def init(
    model: str | None,
    region: str | None,
    name: str | None,
    instance_type: str | None,
    framework: str | None,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    ci: str | None,
    yes: bool,
    force: bool,
    today: date,
) -> None:
    """Write environments/NAME.yaml for a model on disk.

    On a terminal it asks for what no option says. It looks into the model without running it, and
    takes AWS's newest image for its framework that is still patched. What it writes passes check,
    and has comments on what can be added. Where there is no CDK app yet, it adds the one that
    deploys such files: app.py, stacks/ and cdk.json. An ONNX or PyTorch model is packed first, into
    NAME-MODEL.tar.gz, as Triton's and Ray Serve's images want it. So is a frozen graph whose inputs
    or outputs are named.

    \b
    Examples:
      sagemaker-serving init
      sagemaker-serving init --model export/1700000000 --region eu-west-1
      sagemaker-serving init --model digits.keras --region eu-west-1 --name dev
      sagemaker-serving init --model frozen.pb --output scores --output labels
      sagemaker-serving init --ci github
    """
    from sagemaker_serving.cli.init.app import lay_app, lay_workflow, may_lay_workflow

    if ci is not None:
        may_lay_workflow(force=force)
    if ci is not None and model is None:
        for line in lay_workflow():
            click.echo(line)
        return
    from sagemaker_serving.archive import Tensors
    from sagemaker_serving.cli.init.draft import draft_of, environment_path, look_into
    from sagemaker_serving.cli.init.serving import default_host, serving_of
    from sagemaker_serving.cli.init.text import write

    ask = _Questions(is_silent=yes)
    needed = {"--model": model, "--region": region or shell_region()}
    if model is None:
        ask.must_be_answerable(needed)
    tensors = Tensors(inputs=inputs, outputs=outputs)
    found = ask.of(
        model, f"Model ({_WHAT})", None, lambda path: look_into(path, framework, tensors)
    )
    ask.must_be_answerable(needed)
    where = ask.of(region, "Region", shell_region(), lambda text: str(must_be_region(text)))
    path = ask.of(name, "Name of the environment", "dev", environment_path)
    if path.exists() and not force:
        ask.may_replace(path)
    host = None if instance_type else default_host(found.size, where)
    serving = ask.of(
        instance_type,
        "Instance type",
        host,
        lambda name: serving_of(found.framework, region=where, host=name, today=today),
    )
    draft = draft_of(found, path.stem, where, serving, force=force)
    try:
        warnings = write(path, draft, today)
    except BaseException:
        if draft.made_by:
            draft.artifact.unlink(missing_ok=True)
        raise
    _say(path, draft, warnings, of_app=lay_app())
    if ci is not None:
        for line in lay_workflow():
            click.echo(line)


class _Questions:
    """Asks on a terminal what no option says; elsewhere, and with ``is_silent``, nothing."""

    def __init__(self, *, is_silent: bool) -> None:
        self._why_not = "--yes asks nothing" if is_silent else "there is no terminal to ask on"
        self._asks = sys.stdin.isatty() and not is_silent

    def must_be_answerable(self, given: dict[str, str | None]) -> None:
        """Ends with a user's error where options are missing and nobody can be asked."""
        missing = [option for option, value in given.items() if value is None]
        if missing and not self._asks:
            raise click.UsageError(f"{' and '.join(missing)} must be given; {self._why_not}")

    def of(
        self, given: str | None, question: str, default: str | None, read: Callable[[str], _T]
    ) -> _T:
        """What ``read`` makes of ``given``, of the answer, or else of the default.

        A question is asked again for as long as ``read`` raises a `Mistake`.
        """
        from sagemaker_serving.errors import Mistake

        def retried(text: str) -> _T:
            try:
                return read(text)
            except Mistake as wrong:
                raise click.UsageError(str(wrong)) from None

        if given is not None or not self._asks:
            return read(given if given is not None else str(default))
        answer: _T = click.prompt(question, default, value_proc=retried, err=True)
        return answer

    def may_replace(self, path: Path) -> None:
        """Goes on only where somebody says yes."""
        if not self._asks:
            raise click.UsageError(
                f"{path} exists; --force replaces it, --name NAME writes another"
            )
        click.confirm(f"{path} exists; replace it?", abort=True, err=True)


def _say(path: Path, draft: Draft, warnings: Sequence[Problem], *, of_app: str | None) -> None:
    """What was written, and what to do next."""
    serving = draft.serving
    for warning in warnings:
        click.echo(f"warning: {warning} [{warning.rule}]", err=True)
    click.echo(
        f"{path}: {draft.endpoint} by {serving.framework} {serving.version} on "
        f"{serving.host.name}, {draft.region}"
    )
    if draft.made_by:
        click.echo(f"{draft.artifact}: the model, packed for this image")
    if of_app is not None:
        click.echo(of_app)
    click.echo("check finds no error in it; next, on this machine:")
    for command in _next_commands(draft):
        click.echo(f"  {command}")


def _next_commands(draft: Draft) -> Iterator[str]:
    from local_aws.process.cdk import cdk_cli
    from sagemaker_serving.cli.init.request import (
        features_of,
        inputs_of,
        request_of,
        usual_request,
    )
    from sagemaker_serving.extras import is_here
    from sagemaker_serving.local_sagemaker.engines.images import NoEngine, engine_of
    from sagemaker_serving.model_server.programs import extras_of, missing_package

    wanted: list[Extra] = ["cdk", "local"]
    stand_in, remark, package = "", "", None
    try:
        program = engine_of(draft.serving.image.uri).program
        wanted += extras_of(program, draft.contents.files)
        package = missing_package(program)
    except NoEngine:
        stand_in = f" --engine {draft.serving.image.repository}=stub"
        remark = "   # nothing here runs this image: a stub makes its answers up"
    missing = [extra for extra in wanted if not is_here(extra)]
    if missing:
        yield f"pip install 'sagemaker-serving[{','.join(missing)}]'"
    if package is not None:
        yield f"pip install {package}"
    if cdk_cli(Path()) is None:
        yield "npm install aws-cdk@2"
    yield f"sagemaker-serving local up{stand_in}"
    yield f"sagemaker-serving local deploy {draft.name}"
    inputs = inputs_of(draft.contents)
    body = None if inputs is None else request_of(inputs, draft.serving.framework)
    usual = usual_request(draft.contents, draft.serving.framework)
    if usual is not None and "0.0" in usual and features_of(draft.contents) is None:
        remark = "   # a row needs a number for each feature"
    request = shlex.quote(body) if body is not None else usual or "--file REQUEST"
    yield f"sagemaker-serving predict {draft.endpoint} {request} --local{remark}"
