"""``sagemaker-serving package``: models into model.tar.gz."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from local_aws.cli.interrupted import when_interrupted
from local_aws.cli.options import json_option
from sagemaker_serving.cli.inspect import FRAMEWORKS
from sagemaker_serving.cli.options import WrittenFile, size_text

if TYPE_CHECKING:
    from sagemaker_serving.archive import (
        ArchiveContents,
        BuiltArchive,
        Plan,
        Source,
        Tensors,
    )
    from sagemaker_serving.errors import Problem

Server = Literal["triton", "ray-serve", "multi-model"]
"""Servers whose archives are not laid out like those of a container with one model."""

_DEFAULT_MODEL = {
    None: "SAGEMAKER_TFS_DEFAULT_MODEL_NAME",
    "triton": "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME",
}
"""The variable that names it, by what --for says."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "-o",
    "target",
    type=WrittenFile(),
    default=Path("model.tar.gz"),
    show_default=True,
    help="The archive to write.",
)
@click.option("--default-model", help="Of several models, the one for requests that name none.")
@click.option("--input", "inputs", multiple=True, help="A frozen graph's input; may repeat.")
@click.option("--output", "outputs", multiple=True, help="A frozen graph's output; may repeat.")
@click.option(
    "--framework",
    type=click.Choice(FRAMEWORKS),
    metavar="NAME",
    help=f"The framework that serves it; default: by its files. One of {', '.join(FRAMEWORKS)}.",
)
@click.option(
    "--for",
    "server",
    type=click.Choice(["triton", "ray-serve", "multi-model"]),
    help="Make it ready for another server: triton takes .onnx files and has a config.pbtxt for "
    "each; ray-serve takes a PyTorch model and has an application. multi-model has a TensorFlow "
    "model's versions at the top.",
)
@click.option(
    "--max-batch-size",
    type=click.IntRange(1),
    help="With --for triton: join requests up to this many rows; default: none are joined.",
)
@click.option("--neo", is_flag=True, help="Pack the input of a Neo compilation; convert nothing.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache.")
@json_option
def package(
    sources: tuple[str, ...],
    target: Path,
    default_model: str | None,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    framework: str | None,
    server: Server | None,
    max_batch_size: int | None,
    neo: bool,
    no_cache: bool,
    as_json: bool,
) -> None:
    """Pack models into model.tar.gz, with the layout that the container needs.

    A SOURCE is [NAME[/VERSION]=]PATH. PATH is one of:

    \b
      a SavedModel's folder, or a folder of versions
      a folder that has the archive's layout already
      a training job's output
      a frozen graph (.pb, .pbtxt) or a Keras model (.keras, .h5)
      a PyTorch, ONNX, MXNet or XGBoost file
      code/ or inference.py
      one finished archive, which is copied byte for byte
      several archives with a TensorFlow model each, which become one

    The same model gives the same bytes every time. Nothing is written when there is an error. An
    unchanged model is not packed twice: the cache is $XDG_CACHE_HOME/sagemaker-serving. It has at
    most SAGEMAKER_SERVING_CACHE_BYTES (10 GiB; 0 turns it off).

    \b
    Examples:
      sagemaker-serving package export/1700000000 code -o model.tar.gz
      sagemaker-serving package cats=exp/7 dogs=exp/9 --default-model cats
      sagemaker-serving package cats=a.tar.gz dogs=b.tar.gz --default-model cats
      sagemaker-serving package frozen.pb --input images --output scores
      sagemaker-serving package digits.onnx --for triton
      sagemaker-serving package model.pth code --for ray-serve
      sagemaker-serving package digits --for multi-model -o digits.tar.gz
    """
    from sagemaker_serving.archive import Tensors, parse_source
    from sagemaker_serving.archive.handlers import script_variables

    given = list(_opened([parse_source(source) for source in sources]))
    _must_lie_outside(target, given)
    if server in ("ray-serve", "multi-model"):
        _must_stand_alone(
            server,
            {
                "--neo": neo,
                f"--framework {framework}": server == "ray-serve"
                and framework not in (None, "pytorch"),
                "--default-model": default_model is not None,
            },
        )
    environment = {_DEFAULT_MODEL[server]: default_model} if default_model is not None else {}
    packed = pack(
        given,
        target,
        called=" ".join(sources),
        server=server,
        framework=framework,
        environment=environment,
        tensors=Tensors(inputs=inputs, outputs=outputs),
        max_batch_size=max_batch_size,
        neo=neo,
        cached=not no_cache,
    )
    built, contents, problems = packed.built, packed.contents, packed.warnings
    served_by = framework or next(iter(contents.frameworks), "tensorflow")
    environment |= script_variables(served_by, contents.scripts)
    size = built.path.stat().st_size
    if as_json:
        facts = {
            "path": str(built.path),
            "sha256": built.sha256,
            "bytes": size,
            "unpacked_bytes": contents.size,
            "reused": built.reused,
            "frameworks": contents.frameworks,
            "models": [{"name": m.model, "version": m.version} for m in contents.models],
            "environment": environment,
            "warnings": [{"rule": p.rule, "message": p.message} for p in problems],
        }
        click.echo(json.dumps(facts, indent=1))
        return
    say_warnings(problems)
    click.echo(
        f"{built.path}: {size_text(size)}, sha256 {built.sha256}"
        f"{', unchanged' if built.reused else ''}"
    )
    for name, value in environment.items():
        click.echo(f"in the environment file: environment: {{{name}: {value}}}")
    if server == "ray-serve":
        click.echo(f"in the environment file: framework: {server}")


@dataclass(frozen=True, kw_only=True)
class Packed:
    """An archive that was written, what is in it, and what is to be said of it."""

    built: BuiltArchive
    contents: ArchiveContents
    warnings: list[Problem]


def pack(
    given: list[Source],
    target: Path,
    *,
    called: str,
    server: Server | None = None,
    framework: str | None = None,
    environment: dict[str, str] | None = None,
    tensors: Tensors | None = None,
    max_batch_size: int | None = None,
    neo: bool = False,
    cached: bool = True,
) -> Packed:
    """Writes ``target`` as ``server`` takes it, TensorFlow Serving and the others by default.

    ``called`` is what messages call the sources.
    Raises `ProblemsFound` with the errors, where there are any, and what `build_archive` raises;
    nothing is written then.
    """
    from sagemaker_serving.archive import Cache, Tensors, build_archive, contents_of
    from sagemaker_serving.errors import ProblemsFound, Severity, Where
    from sagemaker_serving.progress import progress_bar
    from sagemaker_serving.rules.artifact_check import check_contents

    planned = _laid_out(given, server, max_batch_size)
    contents = contents_of(planned, convert=not neo)
    problems = check_contents(
        contents,
        called,
        # The application that is packed beside it calls a model as PyTorch's image does.
        framework="pytorch" if server == "ray-serve" else framework,
        environment=environment,
        for_neo=neo,
        multi_model=server == "multi-model",
    )
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    for at, problem in enumerate(errors):
        (variable,) = problem.where.path[-1:] or ("",)
        if variable in _DEFAULT_MODEL.values():
            message = problem.message.replace(str(variable), "--default-model", 1)
            errors[at] = replace(problem, where=Where(), message=message)
    if errors:
        raise ProblemsFound(errors)
    with (
        when_interrupted(lambda: f"{target} is as it was; run the command again"),
        progress_bar(f"pack {target.name}") as progress,
    ):
        built = build_archive(
            planned,
            lambda _: target,
            tensors=tensors if tensors is not None else Tensors(),
            convert=not neo,
            replace=True,
            cache=None if cached else Cache.off(),
            progress=progress,
        )
    return Packed(built=built, contents=contents, warnings=problems)


def _opened(given: list[Source]) -> Iterator[Source]:
    """The sources, and of several archives, or one with a name, the model and the code in it.

    So several models become one archive, as in the SageMaker SDK's page on TensorFlow Serving
    ("Deploying more than one model to your Endpoint").
    """
    import tempfile

    from sagemaker_serving.archive import Source, read_contents, unpack
    from sagemaker_serving.errors import Mistake

    for number, source in enumerate(given):
        is_one_of_several = len(given) > 1 or source.name is not None
        if not (is_one_of_several and source.path.name.endswith((".tar.gz", ".tgz"))):
            yield source
            continue
        models = sorted({found.model for found in read_contents(source.path).models})
        if len(models) != 1:
            raise Mistake(
                f"{source.path} holds {len(models)} SavedModels with a version folder"
                f"{': ' + ', '.join(models) if models else ''}; of several archives each has one"
            )
        folder = tempfile.TemporaryDirectory(prefix="sagemaker-serving-")
        click.get_current_context().call_on_close(folder.cleanup)
        root = Path(folder.name, str(number))
        with source.path.open("rb") as stream:
            unpack(stream, root, str(source.path))
        (graph, *_) = sorted(root.rglob("[0-9]*/saved_model.pb"))
        yield replace(source, path=graph.parent.parent, name=source.name or models[0])
        if (root / "code").is_dir():
            yield Source(path=root / "code")


def _must_stand_alone(server: Server, beside: dict[str, bool]) -> None:
    """``beside`` is which options say something that ``server`` has not."""
    from sagemaker_serving.errors import Mistake

    for option, is_given in beside.items():
        if is_given:
            packs = "PyTorch models" if server == "ray-serve" else "one model of many"
            raise Mistake(f"--for {server} packs {packs}; it cannot stand beside {option}")


def _laid_out(
    given: list[Source], server: Server | None, max_batch_size: int | None
) -> list[Source] | Plan:
    """The sources as the server of --for takes them; what is written for it is gone at the end."""
    import tempfile

    from sagemaker_serving.archive import plan, triton_plan
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.model_server.ray_serve.packing import add_application

    if server != "triton":
        if max_batch_size is not None:
            raise Mistake("--max-batch-size is for --for triton; add it, or leave this out")
        if server == "multi-model":
            return plan(given, versions_on_top=True)
        return add_application(given) if server == "ray-serve" else given
    folder = tempfile.TemporaryDirectory(prefix="sagemaker-serving-")
    click.get_current_context().call_on_close(folder.cleanup)
    return triton_plan(given, Path(folder.name), max_batch_size=max_batch_size or 0)


def _must_lie_outside(target: Path, sources: list[Source]) -> None:
    from sagemaker_serving.errors import Mistake

    for source in sources:
        folder = source.path.resolve()
        if folder.is_dir() and target.resolve().is_relative_to(folder):
            raise Mistake(
                f"{target} lies in {source.path}, which is to be packed, and would be packed into "
                "itself; write it elsewhere with -o"
            )


def say_warnings(problems: list[Problem]) -> None:
    """Prints ``problems`` on standard error."""
    for problem in problems:
        click.echo(f"{problem.severity}: {problem} [{problem.rule}]", err=True)
