"""``sagemaker-serving adopt``: an environment file of what serves already."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.process.region import shell_region
from sagemaker_serving.cli.completing import DeployedEndpoint
from sagemaker_serving.cli.options import WhichAws, aws_options, must_be_region
from sagemaker_serving.errors import Mistake, ProblemsFound, Severity
from sagemaker_serving.whole_files import write_whole

if TYPE_CHECKING:
    from sagemaker_serving.client import Aws
    from sagemaker_serving.rules.template import Template


@dataclass(frozen=True)
class _Source:
    """What is read; ``endpoint`` is the live one, which ``existing`` lets deploys move, and
    ``aws`` is where it is, if that is known; ``router`` asks what is read."""

    template: Template
    region: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    endpoint: str | None = None
    existing: bool = False
    aws: Aws | None = None
    router: Mapping[str, Any] | None = None


@click.group()
def adopt() -> None:
    """Write an environment file of an endpoint or a router that serves already.

    Reads every setting that it can, and writes a comment at each that it cannot. Neither the source
    nor AWS is changed. CloudFormation imports no endpoint, so the file makes a second one,
    <environment>-<model>. Deploy it, compare the answers, move the callers, and delete the old one:
    until then both are paid for. With `adopt endpoint NAME --existing` a deploy moves the endpoint
    itself.
    """


def _writing(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def with_file(name: str, path: Path | None, force: bool, **others: Any) -> None:
        place = path if path is not None else Path("environments") / f"{name}.yaml"
        if place.exists() and not force:
            raise Mistake(f"{place} is there already; give another --file, or --force")
        _write(command(**others), name, place)

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
@click.argument("endpoint", type=DeployedEndpoint())
@click.option(
    "--existing",
    is_flag=True,
    help="Let deploys of the file move ENDPOINT itself, instead of making a second one.",
)
@_writing
@aws_options
def endpoint(endpoint: str, existing: bool, which: WhichAws) -> _Source:
    """Read the live ENDPOINT, its config, models, scaling and tags.

    The file makes a second endpoint, or, with --existing, names ENDPOINT itself. Each has its
    price, which is printed.

    \b
    Examples:
      sagemaker-serving adopt endpoint digits --region eu-west-1
      sagemaker-serving adopt endpoint digits --existing --name prod \\
          --region eu-west-1
      sagemaker-serving adopt endpoint digits --name staging --local
    """
    from sagemaker_serving.operations.adoption import live_endpoint

    aws = which.aws(of=endpoint)
    region = aws.client("sagemaker").meta.region_name
    return _Source(
        live_endpoint(endpoint, aws),
        region,
        endpoint=endpoint,
        existing=existing,
        aws=aws,
    )


@adopt.command()
@click.argument("router")
@click.option(
    "--existing",
    is_flag=True,
    help="Let deploys of the file move the endpoints themselves, instead of making others.",
)
@_writing
@aws_options
def router(router: str, existing: bool, which: WhichAws) -> _Source:
    """Read the live inference ROUTER, and the endpoints that it asks.

    Endpoints of its region and account become models of the file, as `adopt endpoint` reads them.
    Others stay as they are, by their ARNs. The file makes a second router,
    <environment>-<router>, which callers have to be told of.

    \b
    Examples:
      sagemaker-serving adopt router front --existing --name prod \\
          --region eu-west-1
      sagemaker-serving adopt router front --name staging --local
    """
    from sagemaker_serving.operations.adoption import live_router

    aws = which.aws()
    template, found = live_router(router, aws)
    return _Source(
        template,
        aws.client("sagemaker").meta.region_name,
        existing=existing,
        aws=aws,
        router=found,
    )


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
def template(file: Path, region: str | None, parameters: tuple[str, ...]) -> _Source:
    """Read the endpoints of the CloudFormation template FILE.

    \b
    Examples:
      sagemaker-serving adopt template stack.yaml --region eu-west-1
      sagemaker-serving adopt template stack.yaml --name prod \\
          --parameter InstanceType=ml.g5.xlarge
    """
    from sagemaker_serving.rules import read_template

    return _Source(read_template(file), _region(region), parameters=_values(parameters))


@adopt.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--region", help="The AWS region, if the plan does not say.")
@_writing
def plan(file: Path, region: str | None) -> _Source:
    """Read the endpoints of a Terraform plan in JSON, FILE.

    \b
    Example:
      terraform show -json plan > plan.json
      sagemaker-serving adopt plan plan.json
    """
    from sagemaker_serving.rules.template.plan import read_plan

    plans = read_plan(file)
    if len(plans) != 1:
        found = ", ".join(str(one.region) for one in plans) or "none"
        raise Mistake(f"{file}: an environment is of one region, and the plan is of {found}")
    return _Source(plans[0].template, _region(plans[0].region or region))


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


def _write(source: _Source, name: str, place: Path) -> None:
    from sagemaker_serving.operations.adoption import adopt as read
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.rules.report import report
    from sagemaker_serving.spec import read_environment

    adopted = read(
        source.template,
        name=name,
        region=source.region,
        parameters=source.parameters,
        existing=source.existing,
        router=source.router,
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, adopted.text)
    click.echo(f"{place}: {', '.join(adopted.models)}")
    for remark in adopted.remarks:
        click.echo(textwrap.fill(remark, 100, initial_indent="  ", subsequent_indent="    "))
    if source.endpoint is not None:
        click.echo(_prices(source.endpoint, f"{name}-{adopted.models[0]}", source.existing))
    try:
        problems = check_environment(read_environment(place))
    except ProblemsFound as found:
        problems = list(found.problems)
    wrong = [one for one in problems if one.severity is not Severity.NOTE]
    if wrong:
        click.echo(f"\nbefore a deploy, in {place}:")
        click.echo(report(wrong, "text"))
    account = "" if source.aws is None else f" --account{source.aws.option}"
    click.echo(f"\nnext:\n  sagemaker-serving check {place}{account}")
    if source.aws is not None and source.aws.option:
        click.echo(f"  sagemaker-serving local deploy {place}")
    else:
        click.echo(f"  cdk diff -c env={name} --all\n  cdk deploy -c env={name} --all")


def _prices(endpoint: str, second: str, existing: bool) -> str:
    """Both ways, with what each costs; the one that the file goes is marked."""
    ways = (
        (
            f"a second endpoint, {second}",
            f"its instances are paid for beside those of {endpoint} until you have moved the "
            f"callers to it and deleted {endpoint}",
            not existing,
        ),
        (
            f"{endpoint} itself, moved by the deploy (--existing)",
            "callers move nowhere, and it is paid for twice only while an update goes on; no "
            "deploy deletes it, so that is yours to do; tags, log group and a change of its name "
            "are not the stack's, and an update may take 50 minutes",
            existing,
        ),
    )
    lines = ["", "two ways, each with its price:"]
    for way, price, taken in ways:
        mark = "*" if taken else " "
        said = f"{mark} {way}: {price}"
        lines += textwrap.wrap(said, 98, initial_indent="  ", subsequent_indent="      ")
    return "\n".join([*lines, "  * is what the file says"])
