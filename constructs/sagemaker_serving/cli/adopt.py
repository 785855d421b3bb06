"""``sagemaker-serving adopt``: an environment file of what serves already."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sagemaker_serving.cli.options import WhichAws, aws_options, must_be_region, shell_region
from sagemaker_serving.errors import Mistake, ProblemsFound, Severity
from sagemaker_serving.whole_files import write_whole

if TYPE_CHECKING:
    from sagemaker_serving.rules.template import Template


@click.group()
def adopt() -> None:
    """Write an environment file of an endpoint that serves already.

    Reads every setting that it can, and writes a comment at each that it cannot. Neither the source
    nor AWS is changed. CloudFormation imports no endpoint, so the file makes a second one,
    <environment>-<model>. Deploy it, compare the answers, move the callers, and delete the old one:
    until then both are paid for.
    """


def _writing(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def with_file(name: str, path: Path | None, force: bool, **others: Any) -> None:
        place = path if path is not None else Path("environments") / f"{name}.yaml"
        if place.exists() and not force:
            raise Mistake(f"{place} is there already; give another --file, or --force")
        template, region, *parameters = command(**others)
        _write(template, name, region, place, *parameters)

    for option in (
        click.option("--force", is_flag=True, help="Replace the file."),
        click.option(
            "--file",
            "path",
            type=click.Path(path_type=Path),
            help="The file to write; default: environments/<name>.yaml.",
        ),
        click.option(
            "--name",
            default="adopted",
            show_default=True,
            help="The new environment's name, with which its endpoints begin.",
        ),
    ):
        with_file = option(with_file)
    return with_file


@adopt.command()
@click.argument("endpoint")
@_writing
@aws_options
def endpoint(endpoint: str, which: WhichAws) -> Any:
    """Read the live ENDPOINT, its config, models, scaling and tags.

    \b
    Examples:
      sagemaker-serving adopt endpoint digits --region eu-west-1
      sagemaker-serving adopt endpoint digits --name staging --local
    """
    from sagemaker_serving.operations.adoption import live_endpoint

    aws = which.aws()
    return live_endpoint(endpoint, aws), aws.client("sagemaker").meta.region_name


@adopt.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--region", help="The AWS region that it is deployed to; default: the shell's.")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter's value; default: the template's, or the first that it allows.",
)
@_writing
def template(file: Path, region: str | None, parameters: tuple[str, ...]) -> Any:
    """Read the endpoints of the CloudFormation template FILE.

    \b
    Examples:
      sagemaker-serving adopt template stack.yaml --region eu-west-1
      sagemaker-serving adopt template stack.yaml --parameter InstanceType=ml.g5.xlarge --name prod
    """
    from sagemaker_serving.rules import read_template

    return read_template(file), _region(region), _values(parameters)


@adopt.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--region", help="The AWS region, if the plan does not say.")
@_writing
def plan(file: Path, region: str | None) -> Any:
    """Read the endpoints of a Terraform plan, FILE as terraform show -json prints it.

    \b
    Example:
      terraform show -json plan > plan.json && sagemaker-serving adopt plan plan.json
    """
    from sagemaker_serving.rules.template.plan import read_plan

    plans = read_plan(file)
    if len(plans) != 1:
        found = ", ".join(str(one.region) for one in plans) or "none"
        raise Mistake(f"{file}: an environment is of one region, and the plan is of {found}")
    return plans[0].template, _region(plans[0].region or region)


def _region(given: str | None) -> str:
    region = must_be_region(given if given is not None else shell_region())
    if region is None:
        raise Mistake("no region is given; give --region, or set AWS_REGION")
    return region


def _values(parameters: tuple[str, ...]) -> dict[str, str]:
    split = [parameter.partition("=") for parameter in parameters]
    for name, equals, _ in split:
        if not equals:
            raise Mistake(f"--parameter {name}: write NAME=VALUE")
    return {name: value for name, _, value in split}


def _write(
    template: Template,
    name: str,
    region: str,
    place: Path,
    parameters: Mapping[str, str] | None = None,
) -> None:
    from sagemaker_serving.operations.adoption import adopt as read
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.rules.report import report
    from sagemaker_serving.spec import read_environment

    adopted = read(template, name=name, region=region, parameters=parameters)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, adopted.text)
    click.echo(f"{place}: {', '.join(adopted.models)}")
    for remark in adopted.remarks:
        click.echo(textwrap.fill(remark, 100, initial_indent="  ", subsequent_indent="    "))
    try:
        problems = check_environment(read_environment(place))
    except ProblemsFound as found:
        problems = list(found.problems)
    wrong = [one for one in problems if one.severity is not Severity.NOTE]
    if wrong:
        click.echo(f"\nbefore a deploy, in {place}:")
        click.echo(report(wrong, "text"))
    click.echo(
        "\nnext:\n"
        f"  sagemaker-serving check {place}\n"
        f"  cdk diff -c env={name} --all\n"
        f"  cdk deploy -c env={name} --all"
    )
