"""``local-aws destroy``: what a deploy made, deleted by the real CDK CLI."""

from __future__ import annotations

from pathlib import Path

import click

from local_aws.cli.cdk_output import cdk_output
from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.lazy import Command
from local_aws.cli.options import local_address, state_dir_option, verbose_option
from local_aws.cli.showing import accounts_in
from local_aws.program import program


@click.command(cls=Command)
@click.argument("app", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@verbose_option
@state_dir_option
def destroy(app: Path, verbose: bool, state_dir: Path) -> None:
    """Delete the stacks that the last deploy of the CDK app in FOLDER made.

    It asks nothing. As on AWS, what a stack retains stays, a bucket with objects in it fails its
    stack, and a protected stack is refused. Ends with 1 and the first reason then.

    \b
    Examples:
      local-aws destroy
      local-aws destroy path/to/app
    """
    destroy_and_tell(app, state_dir, app.resolve().name, verbose=verbose)


def destroy_and_tell(app: Path, state_dir: Path, name: str, *, verbose: bool) -> None:
    """Delete the stacks of the assembly that the deploy of ``name`` left in ``state_dir``."""
    from local_aws.errors import Mistake
    from local_aws.process import ending_all
    from local_aws.process.assembly import held, stacks_of
    from local_aws.process.cdk import CdkCli
    from local_aws.process.region import LAST_REGION

    address = local_address(state_dir)
    assembly = (state_dir / f"cdk.out-{name}").resolve()
    stacks = stacks_of(assembly)
    shown = program().command("status")
    there = {stack["name"] for _, own in accounts_in(address.status()) for stack in own["stacks"]}
    if not stacks and name in there and not app.exists():
        raise Mistake(
            f"{name} is a stack; give the folder of its app, or delete it by AWS's own commands: "
            f"{program().command('env')} says how"
        )
    names = [stack.name for stack in stacks if stack.name in there]
    if not names:
        raise Mistake(f"nothing of {name} is deployed here; {shown} shows what is")
    region = next((stack.region for stack in stacks if stack.region is not None), LAST_REGION)
    with (
        held(assembly),
        when_interrupted(lambda: f"the local AWS goes on; {shown} shows it"),
        ending_all(),
        cdk_output(whole=verbose) as log,
    ):
        CdkCli(app, address, region, log=log).destroy(assembly)
    click.echo(f"destroyed: {', '.join(names)}")
