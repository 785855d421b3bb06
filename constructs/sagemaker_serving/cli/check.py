"""``sagemaker-serving check``: every mistake of environment files and templates at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.options import json_option, state_dir_option
from sagemaker_serving.cli.completing import (
    FOLDER,
    environment_files,
    path_or_named,
)
from sagemaker_serving.cli.options import WhichAws, must_be_region, today_option
from sagemaker_serving.errors import Problem, ProblemsFound, Severity

if TYPE_CHECKING:
    from sagemaker_serving.rules.acknowledgements import Acknowledgement
    from sagemaker_serving.rules.report import Form
    from sagemaker_serving.spec import EnvironmentFile

_TERRAFORMS = {"format_version", "terraform_version"}
_GZIP = b"\x1f\x8b"
_SCHEMA = "environment.schema.json"
"""What `init` writes beside environments, for editors."""
_COLOURS = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--template",
    is_flag=True,
    help="Take FILES for CloudFormation templates, JSON or YAML, of any project, also where they "
    "don't look so.",
)
@click.option(
    "--assembly",
    is_flag=True,
    help="Take FILES for folders that cdk synth wrote (cdk.out), of any app in any language: every "
    "stack's template is checked for its own region.",
)
@click.option(
    "--plan",
    is_flag=True,
    help="Take FILES for Terraform plans, as terraform show -json prints them.",
)
@click.option(
    "--region",
    help="The AWS region, of templates, stacks and plans that leave it open; default: the shell's. "
    "Environment files have their own.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How to print problems; github: annotations of a workflow run.",
)
@json_option
@click.option(
    "--acknowledge",
    "kept",
    type=click.Path(path_type=Path),
    help="A YAML file of findings that are meant to stay, rule: reason; each becomes a note. Files "
    "and templates can say so themselves, see `docs rules`.",
)
@click.option(
    "--account",
    is_flag=True,
    help="Ask AWS for the account's quotas and what is in use, and for the "
    "reservations and the models in S3 that the environments name.",
)
@click.option(
    "--account-file",
    type=click.Path(path_type=Path),
    help="With --account: keep AWS's answer in this file. When the file exists it is read instead, "
    "without credentials; remove it to ask again.",
)
@click.option("--profile", help="With --account: a profile of ~/.aws.")
@click.option("--local", is_flag=True, help="Use the local AWS of this folder. With --account.")
@state_dir_option
@click.option("--verbose", is_flag=True, help="Say of each container which image it gets, and why.")
@today_option
def check(
    files: tuple[Path, ...],
    template: bool,
    assembly: bool,
    plan: bool,
    region: str | None,
    kept: Path | None,
    form: Form,
    as_json: bool,
    account: bool,
    account_file: Path | None,
    profile: str | None,
    local: bool,
    state_dir: Path,
    verbose: bool,
    today: date,
) -> None:
    """Name every mistake in environment FILES, CloudFormation templates or Terraform plans.

    It looks at a file to see which of them it is; a folder is what `cdk synth` wrote, or has files
    of these kinds. A state machine's definition is taken, too. Without FILES it takes all of
    environments/, as `cdk synth` does. Reads the files and the models that they
    name; `prod` is environments/prod.yaml. Needs no AWS, no Node and no network, except with
    --account. Ends with 2 when there is an error, and with 0 when there are only warnings.
    --today says what it will name on another day, when AWS has stopped to patch an image. `explain
    RULE` prints a rule with its source.

    \b
    Examples:
      sagemaker-serving check
      sagemaker-serving check prod --verbose
      sagemaker-serving check stack.yaml --region eu-west-1
      sagemaker-serving check cdk.out
      terraform show -json plan > plan.json && sagemaker-serving check plan.json
      sagemaker-serving check environments/*.yaml --today 2027-06-01
      sagemaker-serving check environments/*.yaml --format sarif > check.sarif
      sagemaker-serving check prod --account --account-file prod-account.json
      sagemaker-serving check local --account --local
    """
    from sagemaker_serving.rules.acknowledgements import read_acknowledgements
    from sagemaker_serving.rules.report import report

    meant = read_acknowledgements(kept) if kept is not None else []
    others = {"--template": template, "--assembly": assembly, "--plan": plan}
    given = [name for name, wanted in others.items() if wanted]
    if local and not account:
        raise click.UsageError("--local is where --account asks; give --account, too")
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} exclude each other; FILES are of one kind")
    if not files:
        files = _default_files(given)
    folders = [] if given else [path for path in files if path.is_dir()]
    files = tuple(one for path in files for one in ((path,) if given else _files_of(path)))
    kinds = {path: given[0] if given else _kind_of(path) for path in files}
    others_judge = {"--template": _of_template, "--assembly": _of_assembly, "--plan": _of_plan}
    for option, wanted in (("--account", account), ("--verbose", verbose)):
        for path, kind in kinds.items() if wanted else ():
            if kind is not None:
                what = f"{kind} is given" if given else f"{path} is none"
                raise click.UsageError(f"{option} is of environment files, and {what}")
    problems: list[Problem] = []
    if any(kinds.values()):
        from local_aws.process.region import shell_region

        where = must_be_region(region if region is not None else shell_region())
        for path, kind in kinds.items():
            try:
                problems += others_judge[kind](path, where, today, meant) if kind else ()
            except ProblemsFound as found:
                problems += found.problems
    named = [path_or_named(path) for path, kind in kinds.items() if kind is None]
    own, read = _of_environments(named, today, meant, verbose)
    problems += own
    if account:
        which = WhichAws(local, state_dir, None, profile)
        problems += _of_account(read, account_file, which, today)
    problems = list(dict.fromkeys(problems))  # a file of acknowledgements is judged with each file
    form = "json" if as_json else form
    text = report(problems, form)
    if text and form == "text" and sys.stdout.isatty():
        _show(problems)
    elif text:
        click.echo(text)
    elif form == "text":
        click.echo(f"{', '.join(_judged(kinds))}: nothing is wrong")
    if passed_over := _passed_over(folders, files):
        click.echo(passed_over, err=True)
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise click.exceptions.Exit(2)


def _default_files(given: Sequence[str]) -> tuple[Path, ...]:
    """What is checked where no file is named: every environment here."""
    if given:
        raise click.UsageError(f"name the FILES that {given[0]} is for")
    files = environment_files()
    if not files:
        raise click.UsageError(f"there are no environment files in {FOLDER}/; name the FILES")
    return tuple(files)


def _judged(kinds: Mapping[Path, str | None]) -> Iterator[str]:
    """How many files were looked at, and how many templates of each assembly."""
    from sagemaker_serving.rules.template.assembly import templates_of

    assemblies = [path for path, kind in kinds.items() if kind == "--assembly"]
    if (files := len(kinds) - len(assemblies)) > 0:
        yield f"{files} file{'s' * (files != 1)}"
    for path in assemblies:
        templates = len(list(templates_of(path)))
        yield f"{templates} template{'s' * (templates != 1)} of {path}"


def _files_of(path: Path) -> Iterator[Path]:
    """``path`` itself, or what a folder has that is no cloud assembly: all YAML but bases that
    others extend, and what is JSON or a ``.template`` of one of the kinds."""
    if not path.is_dir() or (path / "manifest.json").exists():
        yield path
        return
    files = sorted(path.glob("[!_]*.*"))
    found = [
        one
        for one in files
        if one.suffix in (".yaml", ".yml")
        or (one.suffix in (".json", ".template") and _kind_of(one) is not None)
    ]
    yield from found or [path]


def _passed_over(folders: Sequence[Path], files: Sequence[Path]) -> str:
    """A line that names the JSON and ``.template`` files of ``folders`` that are of no kind that is
    checked; empty where there are none."""
    names = [
        str(one)
        for folder in folders
        if folder not in files
        for one in sorted(folder.glob("*.*"))
        if one.suffix in (".json", ".template") and one not in files and one.name != _SCHEMA
    ]
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    what = "neither template, plan nor state machine"
    return f"not looked at, since {what}: {', '.join(names[:3])}{more}"


def _kind_of(path: Path) -> str | None:
    """The option for what ``path`` holds; None for an environment file, and for what is unclear.

    A template is told from the others by its ``Resources``, its only section that must be there
    (CloudFormation user guide, Template sections); a plan by its ``resource_changes``, which one
    of nothing lacks, by what Terraform writes at the top (Terraform, JSON Output Format), or by
    being a zip, as one is that was not written as JSON. The
    definition of a state machine is judged as the template would be that names its file.
    """
    if path.is_dir():
        return "--assembly"
    if path.parts[:1] and path.parts[0] in ("https:", "http:", "s3:"):
        raise click.UsageError(f"{path.parts[0]}//… is an address; download the file, and name it")
    if path.suffix in (".tf", ".tfplan"):
        raise click.UsageError(
            f"{path} is Terraform's own; give a plan: terraform plan -out plan && "
            "terraform show -json plan > plan.json && sagemaker-serving check plan.json"
        )
    if str(path) in ("-", "/dev/stdin"):
        raise click.UsageError(
            "standard input is not read, as problems are told by file and line; write it into a "
            "file, and name that"
        )
    from sagemaker_serving.rules.template.plan import ZIP
    from sagemaker_serving.rules.template.reading import is_definition, sections_of

    try:
        content = path.read_bytes()
        if content.startswith(ZIP):
            return "--plan"
        if content.startswith(_GZIP):
            raise click.UsageError(
                f"{path} is an archive, as a model's is; `sagemaker-serving inspect {path}` says "
                "what is in it, and what is wrong"
            )
        sections = sections_of(content.decode("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None  # what reads it as an environment says what is wrong
    if "Resources" in sections or is_definition(sections):
        return "--template"
    is_plan = "resource_changes" in sections or sections >= _TERRAFORMS
    return "--plan" if is_plan else None


def _show(problems: Sequence[Problem]) -> None:
    """What `report` says of each, with the severity in its colour."""
    from rich.text import Text

    from local_aws.terminal import clean, console
    from sagemaker_serving.rules.report import report

    told = console()
    for problem in problems:
        line = Text(clean(report([problem], "text")))
        line.stylize(_COLOURS[problem.severity], 0, len(problem.severity))
        told.print(line, soft_wrap=True)


def _of_environments(
    files: Sequence[Path], today: date, meant: Sequence[Acknowledgement], verbose: bool
) -> tuple[list[Problem], list[EnvironmentFile]]:
    """The problems of all files, and the files that could be read."""
    from sagemaker_serving.rules import RULES, check_environment, rule
    from sagemaker_serving.rules.container.images import image_chosen
    from sagemaker_serving.spec import read_environment

    chosen = rule("image-chosen", source="catalog.image_for", severity=Severity.NOTE)(image_chosen)
    rules = (*RULES, chosen) if verbose else RULES
    problems: list[Problem] = []
    read = []
    for path in files:
        try:
            read.append(read_environment(path))
        except ProblemsFound as found:
            problems += found.problems
        else:
            problems += check_environment(read[-1], rules, today=today, acknowledged=meant)
    return problems, read


def _of_account(
    files: Sequence[EnvironmentFile], kept: Path | None, which: WhichAws, today: date
) -> Iterator[Problem]:
    """What is wrong beside the account, which is asked once for each region."""
    from sagemaker_serving.operations.account import Account, read_account
    from sagemaker_serving.operations.leftovers import leftover_problems, unnamed_problems
    from sagemaker_serving.operations.named import named, named_problems
    from sagemaker_serving.operations.quotas import quota_problems
    from sagemaker_serving.operations.transition import kind_problems
    from sagemaker_serving.rules.environment.neighbours import names_beside

    sound = [(file.environment, file) for file in files if file.environment is not None]
    accounts: dict[str, Account] = {}
    told: set[Path] = set()
    for environment, file in sound:
        where = file.where
        region = environment.region
        if region not in accounts and kept is not None and kept.exists():
            accounts[region] = Account.load(kept, region)
        elif region not in accounts:
            things = [one for other, _ in sound if other.region == region for one in named(other)]
            known = next((one.deployed for one in accounts.values()), None)
            accounts[region] = read_account(which.aws(region), things, known)
            if kept is not None:
                accounts[region].save(kept)
        yield from quota_problems(environment, accounts[region], where)
        yield from named_problems(environment, accounts[region].found, where, today)
        yield from kind_problems(environment, accounts[region], where)
        yield from leftover_problems(environment, accounts[region].deployed, where)
        if (folder := file.path.absolute().parent) not in told:
            told.add(folder)
            if (names := names_beside(file.path)) is not None:
                yield from unnamed_problems(names, accounts[region].deployed, where)


def _of_template(
    path: Path, region: str | None, today: date, meant: Sequence[Acknowledgement]
) -> list[Problem]:
    from sagemaker_serving.rules import check_template, read_template

    return check_template(read_template(path), region, today=today, acknowledged=meant)


def _of_assembly(
    path: Path, region: str | None, today: date, meant: Sequence[Acknowledgement]
) -> Iterator[Problem]:
    from sagemaker_serving.rules.template.assembly import templates_of

    for template, own in templates_of(path):
        yield from _of_template(template, own if own is not None else region, today, meant)


def _of_plan(
    path: Path, region: str | None, today: date, meant: Sequence[Acknowledgement]
) -> Iterator[Problem]:
    from sagemaker_serving.rules import check_template
    from sagemaker_serving.rules.template.plan import read_plan

    for plan in read_plan(path):
        known = plan.region if plan.region is not None else region
        for problem in check_template(plan.template, known, today=today, acknowledged=meant):
            yield plan.told(problem)
