"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from local_aws.cli.options import local_address, state_dir_option
from local_aws.process.region import local_region

if TYPE_CHECKING:
    from sagemaker_serving.client import Aws


@dataclass(frozen=True)
class WhichAws:
    """What --local, --state-dir, --region and --profile say."""

    local: bool
    state_dir: Path
    region: str | None
    profile: str | None

    def aws(self, region: str | None = None, *, of: str | None = None) -> Aws:
        """That AWS in ``region``; default: --region, or the shell's.

        The region of the file that names the endpoint ``of`` comes before the shell's, and so does
        that in which the local AWS has it.
        """
        from sagemaker_serving.cli.completing import EndpointOfFile
        from sagemaker_serving.client import Aws

        region = self.region if region is None else region
        if region is None and isinstance(of, EndpointOfFile):
            region = of.region
        if not self.local:
            return Aws(region=region, profile=self.profile)
        address = local_address(self.state_dir)
        return Aws.at(address, local_region(address, of) if region is None else region)


def aws_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `WhichAws`, which ``command`` gets as its argument ``which``."""

    @wraps(command)
    def with_which(
        local: bool, state_dir: Path, region: str | None, profile: str | None, **others: Any
    ) -> Any:
        return command(**others, which=WhichAws(local, state_dir, region, profile))

    for option in (
        click.option("--profile", help="A profile of ~/.aws; default: the shell's."),
        click.option(
            "--region",
            help="The AWS region; default: a file's, else with --local where the endpoint is "
            "found, else the shell's.",
        ),
        state_dir_option,
        click.option(
            "--local", is_flag=True, is_eager=True, help="Use the local AWS of this folder."
        ),
    ):
        with_which = option(with_which)
    return with_which


today_option = click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    default=lambda: str(date.today()),
    callback=lambda context, option, value: value.date(),
    metavar="DATE",
    help="The day to judge support by, YYYY-MM-DD; default: this day.",
)


def _price_file() -> Path:
    from sagemaker_serving.archive import Cache

    return Cache.of_this_user().folder / "prices.json"


price_file_option = click.option(
    "--prices",
    "price_file",
    type=click.Path(path_type=Path),
    default=_price_file,
    show_default="prices.json in $XDG_CACHE_HOME/sagemaker-serving",
    envvar="SAGEMAKER_SERVING_PRICES",
    help="The price file.",
)


class WrittenFile(click.Path):
    """A file that the command writes; a name that ends with a slash is a folder's, and refused."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; fails where it names a folder."""
        if isinstance(value, str) and value.endswith("/"):
            self.fail(f"{value} is a folder; name a file in it: {value}NAME", param, ctx)
        return super().convert(value, param, ctx)


def given_options(*names: str) -> list[str]:
    """The options of the present command that somebody gave, of those with these parameters."""
    context = click.get_current_context()
    return [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT
    ]


def ask(question: str) -> None:
    """Goes on only where somebody says yes; raises `click.UsageError` without a terminal."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question}? there is no terminal to ask on; give --yes")
    click.confirm(f"{question}?", abort=True, err=True)


def size_text(size: int) -> str:
    """Bytes as people say them: 153.3 KB."""
    amount = float(size)
    units = ["bytes", "KB", "MB", "GB"]
    while amount >= 1000 and len(units) > 1:
        amount /= 1000
        del units[0]
    return f"{size} bytes" if units[0] == "bytes" else f"{amount:.1f} {units[0]}"


def must_be_region(region: str | None) -> str | None:
    """``region`` itself; raises `Mistake` for one that SageMaker is not offered in."""
    from local_aws.suggest import nearest
    from sagemaker_serving.catalog.instances import regions
    from sagemaker_serving.errors import Mistake

    if region is not None and region not in regions():
        close = nearest(region, regions())
        hint = f"did you mean {close}" if close is not None else f"known: {', '.join(regions())}"
        raise Mistake(f"region is {region!r}; SageMaker hosting is not offered there; {hint}")
    return region
