"""``local-aws destroy``: what a deploy made, deleted by the real CDK CLI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.cdk_output import cdk_output
from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.lazy import Command
from local_aws.cli.options import empty_option, local_address, state_dir_option, verbose_option
from local_aws.cli.showing import accounts_in
from local_aws.program import program

if TYPE_CHECKING:
    from local_aws.process.assembly import AssembledStack
    from local_aws.process.cdk import CdkCli


@click.command(cls=Command)
@click.argument("app", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@empty_option
@verbose_option
@state_dir_option
def destroy(app: Path, empty: bool, verbose: bool, state_dir: Path) -> None:
    """Delete the stacks that the last deploy of the CDK app in FOLDER made.

    It asks nothing. As on AWS, what a stack retains stays, a bucket with objects in it fails its
    stack but with --empty, and a protected stack is refused. Ends with 1 and the first reason then.

    \b
    Examples:
      local-aws destroy
      local-aws destroy path/to/app
    """
    destroy_and_tell(app, state_dir, app.resolve().name, verbose=verbose, empties=empty)


def _full_buckets(cli: CdkCli, stack: AssembledStack, region: str) -> Iterator[Any]:
    """Each bucket that could not be deleted with ``stack``, as boto3's resource."""
    from botocore.exceptions import ClientError

    where = stack.region if stack.region is not None else region
    address = cli.address_in(stack.account, where)
    resources = address.client("cloudformation", where).get_paginator("list_stack_resources")
    try:
        for page in resources.paginate(StackName=stack.name):
            for each in page["StackResourceSummaries"]:
                failed = each["ResourceStatus"] == "DELETE_FAILED"
                if failed and each["ResourceType"] == "AWS::S3::Bucket":
                    s3 = address.session(where).resource("s3")
                    yield s3.Bucket(each["PhysicalResourceId"])
    except ClientError:
        return  # the stack is gone


def destroy_and_tell(
    app: Path, state_dir: Path, name: str, *, verbose: bool, empties: bool
) -> None:
    """Delete the stacks of the assembly that the deploy of ``name`` left in ``state_dir``.

    ``empties``: buckets that stop it are emptied, and then it goes on.
    """
    from local_aws.errors import DeployFailed, Mistake
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
            f"{name} is a stack; give the folder of its app, or delete that stack alone: "
            f'eval "$({program().group} env)"; '
            f"aws cloudformation delete-stack --stack-name {name}"
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
        cli = CdkCli(app, address, region, log=log)
        try:
            cli.destroy(assembly)
        except DeployFailed as failed:
            full = [place for stack in stacks for place in _full_buckets(cli, stack, region)]
            if full and not empties:
                buckets = ", ".join(bucket.name for bucket in full)
                raise DeployFailed(f"{failed}; --empty deletes what is in {buckets}, too") from None
            if not full:
                raise
            for bucket in full:
                bucket.object_versions.delete()
            cli.destroy(assembly)
    click.echo(f"destroyed: {', '.join(names)}")
