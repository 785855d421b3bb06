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

LAST_REGION = "eu-west-1"
"""Where nothing is deployed, and the shell names no region."""


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


def region_option(
    help: str, default: str = "where it is found, else the shell's"
) -> Callable[..., Any]:
    """``--region``, None where none is given: see `local_region`."""
    option: Callable[..., Any] = click.option("--region", help=f"{help}  [default: {default}]")
    return option


def shell_region() -> str | None:
    """The region that the shell names, for commands that ask no AWS: no profile is read."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        if os.environ.get(name):
            return os.environ[name]
    return None


def local_region(address: Address, name: str | None = None) -> str:
    """The region of the local AWS that a command without ``--region`` is about.

    That in which ``name`` is found, else the only one with anything in it. Where several are
    possible the shell says which. Raises `Mistake` for a ``name`` in several, of which it names
    none.
    """
    things = [
        (thing["name"], thing["region"])
        for kind in address.status().values()
        if isinstance(kind, list)
        for thing in kind
        if isinstance(thing, dict) and {"name", "region"} <= thing.keys()
    ]
    return one_region({region for each, region in things if each == name}, name) or (
        one_region({region for _, region in things}) or shell_region() or LAST_REGION
    )


def one_region(found: set[str], name: str | None = None) -> str | None:
    """The one of them; of several the shell's. Raises `Mistake` when only ``--region`` can tell."""
    from local_aws.errors import Mistake

    if len(found) > 1 and shell_region() in found:
        return shell_region()
    if len(found) > 1 and name is not None:
        raise Mistake(f"{name} is in {' and in '.join(sorted(found))}; say which by --region")
    return found.pop() if len(found) == 1 else None


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
