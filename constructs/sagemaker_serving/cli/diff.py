"""``sagemaker-serving diff``: what two files say differently, or one and what is deployed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import EnvironmentPath
from sagemaker_serving.cli.options import WhichAws, aws_options
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.client import Aws
    from sagemaker_serving.spec import Environment


@click.command()
@click.argument("left", type=EnvironmentPath())
@click.argument("right", type=EnvironmentPath(), required=False)
@click.option("--write", is_flag=True, help="Without RIGHT: write the next transition into LEFT.")
@json_option
@click.option("--exit-code", is_flag=True, help="End with 1 when something differs, as git does.")
@aws_options
def diff(
    left: Path,
    right: Path | None,
    write: bool,
    as_json: bool,
    exit_code: bool,
    which: WhichAws,
) -> None:
    """Compare the environment files LEFT and RIGHT.

    Each is a file, or `prod` for environments/prod.yaml. A file's values include its defaults and
    those of the file that it extends. Variants are compared by name. Prints where, left and right
    of each value: first those that both files have.

    Without RIGHT, LEFT is compared with the deployed templates. It prints each model whose change
    needs several deploys, with its present `transition`, the one for the next deploy, and why. It
    also tells what SageMaker refuses, or takes and never takes back, and which stacks run on in any
    region though the file has them no more. Environments that run and that no file beside LEFT is
    named like are told on standard error. It prints nothing when the file can be deployed as it is.
    --write puts the next `transition` into the file and keeps everything else. --exit-code then
    ends with 1 when the file lacked it.
    `docs operations` has the steps.

    \b
    Examples:
      sagemaker-serving diff staging prod
      sagemaker-serving diff old.yaml new.yaml --json | jq '.[].path'
      sagemaker-serving diff environments/prod.yaml
      sagemaker-serving diff prod --write && cdk deploy -c env=prod --all
    """
    from sagemaker_serving.spec import read_environment

    environment = read_environment(left).sound
    if right is None:
        aws = which.aws(which.region or environment.region)
        rows, differs = _from_deployed(left, environment, aws, write=write, as_json=as_json)
    elif write:
        raise click.UsageError("--write compares one file with what is deployed; leave RIGHT out")
    else:
        rows = _from_another(left, environment, right, as_json=as_json)
        differs = bool(rows)
    if rows or as_json:
        print_table(rows, as_json=as_json)
    if differs and exit_code:
        raise click.exceptions.Exit(1)


def _from_another(
    left: Path, environment: Environment, right: Path, *, as_json: bool
) -> list[dict[str, Any]]:
    from sagemaker_serving.spec import read_environment
    from sagemaker_serving.spec.differences import differences

    return [
        {
            "path": difference.path,
            left.stem: _shown(difference.left, as_json),
            right.stem if right.stem != left.stem else str(right): _shown(
                difference.right, as_json
            ),
        }
        for difference in sorted(
            differences(environment, read_environment(right).sound),
            key=lambda found: found.left is None or found.right is None,
        )
    ]


def _from_deployed(
    path: Path, environment: Environment, aws: Aws, *, write: bool, as_json: bool
) -> tuple[list[dict[str, Any]], bool]:
    """A row for each model in a transition, and whether the file said another before."""
    from sagemaker_serving.errors import Where
    from sagemaker_serving.operations.leftovers import (
        deployed_stacks,
        leftovers,
        not_read,
        unnamed_problems,
    )
    from sagemaker_serving.operations.transition import next_steps
    from sagemaker_serving.rules.environment.neighbours import names_beside
    from sagemaker_serving.spec.edited import shown, write_transition

    rows, differs = [], False
    for step in next_steps(environment, aws):
        differs = differs or step.refused or step.written != step.transition
        if write and not step.refused and step.written != step.transition:
            write_transition(path, step.model, step.transition)
        said, wanted = (
            each and each.model_dump(exclude_defaults=True) if as_json else shown(each)
            for each in (step.written, step.transition)
        )
        rows.append({"model": step.model, path.stem: said, "next": wanted, "why": step.why})
    deployed = deployed_stacks(aws)
    if deployed.unread:
        click.echo(not_read(deployed), err=True)
    if (known := names_beside(path)) is not None:
        for problem in unnamed_problems(known, deployed, Where(str(path))):
            click.echo(problem.message, err=True)
    nothing = None if as_json else "-"
    for left, why in leftovers(environment, deployed):
        rows.append({"model": left, path.stem: nothing, "next": nothing, "why": why})
    return rows, differs


def _shown(value: Any, as_json: bool) -> Any:
    if as_json:
        return value
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value)
