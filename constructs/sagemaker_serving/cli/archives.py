"""``sagemaker-serving archives``: what a multi-model endpoint holds."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.completing import DeployedEndpoint, variant_named
from sagemaker_serving.cli.options import WhichAws, ask, aws_options

if TYPE_CHECKING:
    from sagemaker_serving.operations.held_archives import HeldArchives

_SERVED_ON = "an instance that has loaded it serves it on until it is unloaded to make room"


@click.command()
@click.argument("endpoint", type=DeployedEndpoint())
@click.option(
    "--put",
    "given",
    multiple=True,
    metavar="[NAME=]PATH",
    help="Pack PATH, check it, and put it there as NAME.tar.gz; may repeat. NAME's default is the "
    "file's or folder's.",
)
@click.option("--replace", is_flag=True, help="Let --put replace a NAME with other content.")
@click.option(
    "--remove", "removed", multiple=True, metavar="NAME", help="Remove it from S3; may repeat."
)
@click.option("--variant", help="The variant, where each has archives of its own.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before --remove.")
@json_option
@aws_options
def archives(
    endpoint: str,
    given: tuple[str, ...],
    replace: bool,
    removed: tuple[str, ...],
    variant: str | None,
    yes: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """List, add or remove the models of ENDPOINT, a multi-model endpoint.

    ENDPOINT is any multi-model endpoint, or <environment>/<model> of a file in environments/.
    SageMaker has no call that loads a model: what lies below the endpoint's prefix in S3 can be
    requested, without a deploy. The first request that names an archive loads it. Without --put and
    --remove the archives are listed: name, bytes, and when each was put. The name is what `predict
    --target-model` takes.

    PATH is what `package` takes, or s3://BUCKET/KEY. It is packed as `package --for multi-model`
    does, and judged by the endpoint's image. Nothing is put when one of several has an error.

    A loaded model is not loaded again. So --put refuses a NAME that has other content. A removed
    model is served on where it is loaded, until its instance needs the room.

    \b
    Examples:
      sagemaker-serving archives prod-many
      sagemaker-serving archives prod/many --put half=export/half
      sagemaker-serving archives prod/many --put half-2=new.tar.gz \\
          --remove half --yes
      sagemaker-serving archives local-many --local --json | jq -r '.[].name'
    """
    from sagemaker_serving.operations.held_archives import held_archives

    if replace and not given:
        raise click.UsageError("--replace is for --put; name what is to be put, or leave it out")
    variant = variant_named(variant, endpoint)
    held = held_archives(endpoint, which.aws(of=endpoint), variant=variant)
    if given or removed:
        _change(held, given, removed, replace=replace, yes=yes, as_json=as_json)
    else:
        _list(held, as_json=as_json)


def _list(held: HeldArchives, *, as_json: bool) -> None:
    from sagemaker_serving.cli.tables import print_table

    rows = [
        {
            "name": archive.name,
            "bytes": archive.size,
            "put": archive.put.isoformat(timespec="seconds"),
        }
        for archive in held.all()
    ]
    if not rows:
        click.echo(f"there is no archive below {held.uri}; add one with --put", err=True)
    print_table(rows, as_json=as_json)


def _change(
    held: HeldArchives,
    given: Sequence[str],
    removed: Sequence[str],
    *,
    replace: bool,
    yes: bool,
    as_json: bool,
) -> None:
    from sagemaker_serving.cli.tables import print_table

    leaving = {archive.name: archive for archive in map(held.found, removed)}
    with (
        tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as folder,
        when_interrupted(lambda: "what was put or removed stays so; list the archives to see it"),
    ):
        files = _packed(held, given, Path(folder))
        if both := sorted(files.keys() & leaving.keys()):
            raise click.UsageError(f"{', '.join(both)}: --put and --remove name the same archive")
        if leaving and not yes:
            ask(f"remove {', '.join(leaving)} from {held.uri}")
        changes: dict[str, str] = {**held.put(files, replace=replace)}
        for archive in leaving.values():
            held.remove(archive)
            changes[archive.name] = "removed"
    rows = [{"name": name, "change": change} for name, change in changes.items()]
    if as_json:
        print_table(rows, as_json=True)
        return
    for name, change in changes.items():
        after = f"; {_SERVED_ON}" if change in ("replaced", "removed") else ""
        click.echo(f"{name}: {change}{after}")


def _packed(held: HeldArchives, given: Sequence[str], folder: Path) -> dict[str, Path]:
    """The archives that ``given`` become, by name; raises all errors of all of them at once."""
    from sagemaker_serving.archive import Source, parse_source
    from sagemaker_serving.cli.package import pack, say_warnings
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.operations.held_archives import target_name
    from sagemaker_serving.operations.traffic.files import copy_object
    from sagemaker_serving.s3_address import is_s3
    from sagemaker_serving.spec.kinds import archive_name

    files: dict[str, Path] = {}
    mistakes: list[str] = []
    for number, text in enumerate(given):
        if not (called := archive_name(text)):
            raise Mistake(f"--put {text} has no name; give it one: NAME={text}")
        name = target_name(called)
        if name in files:
            raise Mistake(f"--put names {name} twice; give one of them another name: NAME=PATH")
        files[name] = folder / f"{number}" / name
        files[name].parent.mkdir()
        place = text.partition("=")[2] if not is_s3(text) else text
        try:
            if is_s3(place):
                source = Source(path=folder / f"{number}.tar.gz")
                copy_object(held.aws, place, source.path)
            else:
                source = parse_source(text)
            packed = pack(
                [source],
                files[name],
                called=text,
                server="multi-model",
                framework=held.framework,
                environment=dict(held.environment),
            )
            # Of an image of one's own nobody expects that its archives are judged.
            unjudged = "artifact-unjudged" if not held.framework else None
            say_warnings([each for each in packed.warnings if each.rule != unjudged])
        except Mistake as mistake:
            mistakes.append(str(mistake))
    if mistakes:
        raise Mistake("\n".join(mistakes))
    return files
