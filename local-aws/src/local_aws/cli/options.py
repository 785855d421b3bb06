"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.program import program

if TYPE_CHECKING:
    from local_aws.process.address import Address


class ProgramOption(click.Option):
    """An option that a variable of the program gives, too: ``LOCAL_AWS_STATE_DIR``."""

    def resolve_envvar_value(self, context: click.Context) -> str | None:
        """What the variable says; None when it is not set, or empty."""
        return os.environ.get(program().variable(str(self.name))) or None


class _StateDirOption(ProgramOption):
    def get_default(self, context: click.Context, call: bool = True) -> Any:
        return program().state_dir


def _state_dir(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    from local_aws.state.state_dir import must_be_state_dir

    # Commands that may ask AWS as well have --local; without it nobody looks there.
    return must_be_state_dir(path) if context.params.get("local", True) else path


state_dir_option = click.option(
    "--state-dir",
    cls=_StateDirOption,
    type=click.Path(path_type=Path),
    show_default=True,
    callback=_state_dir,
    help="The local AWS's folder.",
)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")

json_lines_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for programs: a document on each line."
)

empty_option = click.option(
    "--empty", is_flag=True, help="Delete what is in the stacks' buckets, too, all versions of it."
)

verbose_option = click.option(
    "--verbose", "-v", is_flag=True, help="Print all that the CDK CLI says, every event of it."
)


def region_option(
    help: str, default: str = "where it is found, else the shell's"
) -> Callable[..., Any]:
    """``--region``, None where none is given: see `local_region`."""
    option: Callable[..., Any] = click.option("--region", help=f"{help}  [default: {default}]")
    return option


def local_address(state_dir: Path) -> Address:
    """The local AWS of ``state_dir``, with which the command ends from now on."""
    from local_aws.process.address import find
    from local_aws.process.alive import ending_with

    address = find(state_dir)
    click.get_current_context().with_resource(ending_with(address))
    return address


def warn(line: str) -> None:
    """Say what does not stop the command, on standard error."""
    click.secho(f"warning: {line}", fg="yellow", err=True)
