"""``local-aws deploy``: the real CDK CLI, onto this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.cdk_output import cdk_output
from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.lazy import Command
from local_aws.cli.options import (
    local_address,
    region_option,
    state_dir_option,
    verbose_option,
    warn,
)
from local_aws.cli.showing import accounts_in
from local_aws.process.region import LAST_REGION, shell_region
from local_aws.program import program

if TYPE_CHECKING:
    from local_aws.process.address import Address
    from local_aws.process.assembly import AssembledStack


@click.command(cls=Command)
@click.argument("app", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@click.argument("stacks", nargs=-1, metavar="[STACK]...")
@click.option(
    "-c",
    "--context",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value of the app's context. Several times.",
)
@region_option("The AWS region of stacks that name none.", "the shell's, else eu-west-1")
@verbose_option
@state_dir_option
def deploy(
    app: Path,
    stacks: tuple[str, ...],
    given: tuple[str, ...],
    region: str | None,
    verbose: bool,
    state_dir: Path,
) -> None:
    """Synthesize the CDK app in FOLDER and deploy its stacks with the real CDK CLI.

    All of its stacks, or the ones named and what they depend on. Deploying again updates
    what is there, as on AWS. It takes a few seconds where cdk.json runs the app as
    `python FILE.py`. The app has waited with all that it imports imported, and stacks are updated
    without the CDK CLI. Where that cannot be it says why, and the CLI does it.

    Calls that were denied meanwhile are told at the end, with what would let them; so is what the
    local AWS only keeps, and the stacks' outputs. Ends with 1 and the first reason when a stack
    fails.

    \b
    Examples:
      local-aws deploy
      local-aws deploy path/to/app Orders -c stage=test
    """
    from local_aws.errors import Mistake

    wrong = [each for each in given if "=" not in each]
    if wrong:
        raise Mistake(f"--context is '{wrong[0]}'; it must be NAME=VALUE, as stage=test")
    context = dict(each.split("=", 1) for each in given)
    address = local_address(state_dir)
    assembly = (state_dir / f"cdk.out-{app.resolve().name}").resolve()
    where = region or shell_region() or LAST_REGION
    status = deploy_and_tell(
        app, address, where, assembly=assembly, context=context, stacks=stacks, verbose=verbose
    )
    for account, facts in accounts_in(status):
        for stack in facts["stacks"]:
            for name, value in _outputs(address, account, stack):
                click.echo(f"{stack['name']}.{name} = {value}")


def deploy_and_tell(
    app: Path,
    address: Address,
    region: str,
    *,
    assembly: Path,
    context: Mapping[str, str],
    stacks: Sequence[str] = (),
    verbose: bool = False,
    accept: Callable[[Sequence[AssembledStack]], None] = lambda made: None,
) -> dict[str, Any]:
    """Synthesize, bootstrap and deploy; warn of denied calls and of what is only kept.

    ``verbose``: with all that the CDK CLI prints. ``accept`` raises for stacks that are not to be
    deployed, before any of them is. Gives what runs then, as ``local status`` has
    it. Raises what `CdkCli` does.
    """
    from local_aws.process import ending_all
    from local_aws.process.assembly import held, stacks_of
    from local_aws.process.cdk import CdkCli
    from local_aws.process.denied import telling_denied_calls
    from local_aws.process.ready_app import NotReady
    from local_aws.process.updating import LeftToTheCli, update_stacks
    from local_aws.services.lambda_.sdk_for_node import cache_folder, fetched

    begun, before = time.monotonic(), fetched()
    goes_on = "a stack whose deploy has begun goes on in the local AWS:"
    shown = program().command("status")
    was_deployed = (assembly / "manifest.json").exists()

    def by_the_cli(why: Exception) -> None:
        if was_deployed:
            click.echo(f"  by the CDK CLI: {why}", err=True)

    with held(assembly):
        ready = CdkCli(app, address, region).ready_app(assembly, context)
        try:
            with (
                when_interrupted(
                    lambda: f"{goes_on} {shown} shows it; run the deploy again to end it"
                ),
                telling_denied_calls(address, warn),
                ending_all(),
                cdk_output(whole=verbose) as log,
            ):
                cdk = CdkCli(app, address, region, log=log)
                click.echo("synthesizing the CDK app", err=True)
                try:
                    click.echo(ready.synth(), err=True, nl=False)
                except NotReady as why:
                    by_the_cli(why)
                    cdk.synth(assembly, context, app=ready.noting())
                synthesized = time.monotonic()
                made = stacks_of(assembly, stacks)
                accept(made)
                click.echo(f"deploying {', '.join(stack.name for stack in made)}", err=True)
                images: list[str] = []
                try:
                    if stacks:
                        raise LeftToTheCli("stacks are named")
                    update_stacks(assembly, cdk.address_in, region, log)
                except LeftToTheCli as why:
                    by_the_cli(why)
                    cdk.bootstrap(assembly)
                    images = cdk.deploy(assembly, stacks)
        finally:
            ready.prepare()
    ended = time.monotonic()
    click.echo(
        f"✨  Total time: {ended - begun:.1f} s, {synthesized - begun:.1f} s of it to synthesize "
        "and pack",
        err=True,
    )
    for package in sorted(fetched() - before):
        click.echo(
            f"npm fetched {package} into {cache_folder()}, once, for functions in Node.js", err=True
        )
    status = address.status()
    for _, facts in accounts_in(status):
        for stack in facts["stacks"]:
            for kept in stack["only_kept"]:
                warn(f"only kept, and nothing done by it: {kept} of {stack['name']}")
    for image in images:
        warn(f"only kept, and nothing runs it: image {image}")
    return status


def _outputs(
    address: Address, account: str | None, stack: Mapping[str, Any]
) -> list[tuple[str, str]]:
    region = stack["region"]
    there = address if account is None else address.for_account(account, region)
    client = there.client("cloudformation", region)
    (found,) = client.describe_stacks(StackName=stack["name"])["Stacks"]
    if "ParentId" in found or found["StackName"] == "CDKToolkit":
        return []
    return [(each["OutputKey"], each["OutputValue"]) for each in found.get("Outputs", [])]
