"""``local-aws env``: point any AWS tool at it."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import click

from local_aws.cli.lazy import Command
from local_aws.cli.options import json_option, region_option, state_dir_option
from local_aws.process.region import local_region


@click.command(cls=Command)
@region_option("The AWS region to name.", "where anything is deployed, else the shell's")
@click.option(
    "--account",
    metavar="ID",
    help="An account beside the first, which is made when there is none yet; for twelve hours.",
)
@json_option
@state_dir_option
def env(region: str | None, account: str | None, as_json: bool, state_dir: Path) -> None:
    """Print the variables that point any AWS tool at the local AWS.

    Other AWS variables of the shell are unset, because a profile, or an endpoint of one service,
    would override them. With --json these are null.

    \b
    Examples:
      eval "$(local-aws env)"
      aws cloudformation describe-stacks
      eval "$(local-aws env --account 111111111111)"
    """
    from local_aws.errors import Mistake
    from local_aws.process.address import find
    from local_aws.process.isolation import is_about_aws, no_proxy

    if account is not None and not re.fullmatch(r"\d{12}", account):
        raise Mistake(f"--account is '{account}'; it must be the 12 digits of an account")
    found = find(state_dir)
    where = region if region is not None else local_region(found)
    address = found if account is None else found.for_account(account, where)
    variables = {**address.environment(where), "no_proxy": no_proxy(os.environ)}
    others = [name for name in sorted(os.environ) if is_about_aws(name) and name not in variables]
    if as_json:
        click.echo(json.dumps({**dict.fromkeys(others), **variables}, indent=1))
        return
    for name in others:
        click.echo(f"unset {name}")
    for name, value in variables.items():
        click.echo(f"export {name}={shlex.quote(value)}")
