"""``sagemaker-serving check``: every mistake of environment files at once."""

from __future__ import annotations

import json
from pathlib import Path

import click

from sagemaker_serving.errors import Problem, ProblemsFound, Severity


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what was found.",
)
def check(files: tuple[Path, ...], form: str) -> None:
    """Name every mistake of environment FILES, in a moment.

    Reads the files and the models that they name; needs no AWS, no Node and no
    network. Ends with 2 when there is an error, with 0 when there are only
    warnings.

    \b
    Example:
      sagemaker-serving check environments/*.yaml
    """
    problems = [problem for path in files for problem in _problems(path)]
    if form == "json":
        click.echo(json.dumps([_plain(problem) for problem in problems], indent=1))
    else:
        for problem in problems:
            click.echo(f"{problem.severity}: {problem} [{problem.rule}]")
        if not problems:
            click.echo(f"{len(files)} {'file' if len(files) == 1 else 'files'}: nothing is wrong")
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise click.exceptions.Exit(2)


def _problems(path: Path) -> list[Problem]:
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.spec import read_environment

    try:
        return check_environment(read_environment(path))
    except ProblemsFound as found:
        return list(found.problems)


def _plain(problem: Problem) -> dict[str, object]:
    return {
        "rule": problem.rule,
        "severity": str(problem.severity),
        "file": problem.where.source,
        "line": problem.where.line,
        "path": problem.where.trail,
        "message": problem.message,
    }
