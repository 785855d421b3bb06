"""``sagemaker-serving serve``: a model behind the container's contract, on this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from sagemaker_serving.cli.golden import tolerance_option

if TYPE_CHECKING:
    from sagemaker_serving.archive import Conversion, Source
    from sagemaker_serving.model_server.process import ModelServer
    from sagemaker_serving.operations.golden import Exchange

_POLL_SECONDS = 0.1
_PING_SECONDS = 0.5
"""How long the log waits for an answer to /ping, which one that starts does not give."""


def _environment(
    context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]
) -> dict[str, str]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE")
    return {pair.partition("=")[0]: pair.partition("=")[2] for pair in pairs}


_IMAGES = (
    *("tensorflow", "pytorch", "sklearn", "xgboost", "huggingface", "ray-serve", "triton"),
    *("neo-pytorch", "neo-onnx", "neo-xgboost"),
)


@click.command()
@click.argument("model", metavar="MODEL")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Port on 127.0.0.1; 0 takes a free one. The default is SAGEMAKER_BIND_TO_PORT of the "
    "container's environment, or 8080.",
)
@click.option(
    "--env",
    "environment",
    metavar="KEY=VALUE",
    multiple=True,
    callback=_environment,
    help="A variable of the container's environment, for instance "
    "SAGEMAKER_TFS_ENABLE_BATCHING=true. May be given several times.",
)
@click.option(
    "--container-version",
    metavar="VERSION",
    help="The version of TensorFlow's or PyTorch's image to behave like, such as 2.19; default: "
    "the newest. `docs container-contract` has the differences.",
)
@click.option(
    "--framework",
    type=click.Choice(_IMAGES),
    metavar="NAME",
    help=f"The image to behave like; default: by the model's files. One of {', '.join(_IMAGES)}.",
)
@click.option(
    "--golden",
    type=click.Path(path_type=Path),
    help="Send the requests in this file, compare the answers with those recorded, and end.",
)
@click.option(
    "--reload",
    is_flag=True,
    help="Serve a changed model as soon as its files are saved; a request in between is answered.",
)
@tolerance_option
def serve(
    model: str,
    port: int | None,
    environment: dict[str, str],
    container_version: str | None,
    framework: str | None,
    golden: Path | None,
    reload: bool,
    tolerance: float,
) -> None:
    """Serve a model as SageMaker's container does: /ping and /invocations.

    MODEL is what `artifact:` takes: a model.tar.gz, a folder or a file of a model, packed or not.
    Or it is `prod/iris`, a model of environments/prod.yaml, with its variables; `prod/iris/cpu` is
    one of its variants. With --env SAGEMAKER_MULTI_MODEL=true it is a folder of models, which
    requests to /models load and unload. Prints the container's log until Ctrl-C. With --golden it
    prints only the differences, and ends with 1 when there is one.

    With --reload the server before answers until the changed one is ready, and goes on when that
    one does not come up: the log says why.

    \b
    Examples:
      sagemaker-serving serve model_assets/half_plus_three/model
      sagemaker-serving serve local/half-plus-three --reload
      sagemaker-serving serve model.tar.gz --container-version 2.19
      sagemaker-serving serve model.tar.gz --golden golden.jsonl
    """
    from sagemaker_serving.extras import need

    need("local")
    from local_aws.process import ending_all, raise_file_limit
    from sagemaker_serving.model_server.fork_client import ContainerForks
    from sagemaker_serving.model_server.generations import generation_of
    from sagemaker_serving.model_server.plan import require_model, require_tensorflow
    from sagemaker_serving.model_server.process import ModelServer
    from sagemaker_serving.model_server.settings import bind_to_port
    from sagemaker_serving.model_server.toolkit.contract import toolkit_contract
    from sagemaker_serving.operations.golden import read_golden

    if reload and golden is not None:
        raise click.UsageError("--reload serves until Ctrl-C; leave out --golden")
    exchanges = None if golden is None else read_golden(golden)
    asked = _asked(model, environment, framework, container_version)
    raise_file_limit()
    with (
        ending_all(),
        tempfile.TemporaryDirectory(prefix="sagemaker-serving-log-") as folder,
        closing(ContainerForks()) as fork_server,
    ):
        scratch = Path(folder)
        served = asked.laid_out(scratch)
        if asked.program == "tensorflow":
            require_model(served, asked.environment)
            generation_of(asked.container_version)
            require_tensorflow()
        if asked.program == "pytorch":
            toolkit_contract(asked.container_version)
        asked_port = bind_to_port(asked.environment) if port is None else port

        def start(place: int | None, named: Path, *, forked: bool = False) -> ModelServer:
            return ModelServer.start(
                named,
                environment=asked.environment,
                log_path=Path(tempfile.mkdtemp(dir=scratch), "container.log"),
                port=place,
                container_version=asked.container_version,
                program=asked.program,
                fork_server=fork_server if forked else None,
            )

        if reload:
            again = partial(start, None, forked=True)
            _reload(asked_port, lambda: again(asked.laid_out(scratch)), asked.files)
            return
        # Nobody is told the port when there is nobody to call.
        server = start(asked_port if exchanges is None else None, served)
        try:
            with server.log_path.open("rb") as log:
                if exchanges is not None:
                    _compare(server, exchanges, tolerance)
                else:
                    _watch(server, log)
        finally:
            server.stop()


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is to be served, by which program, and how its container is set."""

    sources: Sequence[Source]
    program: str
    container_version: str | None
    environment: Mapping[str, str]

    def laid_out(self, scratch: Path) -> Path:
        """The archive, the folder that has its layout, or links to the files in that layout."""
        from sagemaker_serving.archive import Tensors, UnreadableArtifact, plan
        from sagemaker_serving.archive.conversion import convert, tensors_of

        path = self.sources[0].path
        if self.environment.get("SAGEMAKER_MULTI_MODEL", "").lower() == "true":
            return path
        try:
            planned = plan(self.sources)
        except UnreadableArtifact:
            if len(self.sources) > 1:
                raise
            return path  # whose server says what is wrong with it, and what it should be
        if planned.ready is not None:
            return planned.ready
        at_home = all(path / entry.name == entry.path for entry in planned.entries)
        if at_home and not planned.conversions:
            return path
        folder = Path(tempfile.mkdtemp(prefix="model-", dir=scratch))
        for entry in planned.entries:
            link = folder / entry.name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(entry.path.resolve())
        made = {each: _place_of(each, scratch) for each in planned.conversions}
        missing = [each for each, place in made.items() if not place.exists()]
        if missing:
            fresh = Path(tempfile.mkdtemp(dir=scratch))
            convert({each: tensors_of(each, Tensors()) for each in missing}, fresh)
            for each in missing:
                (fresh / each.name).rename(made[each])
        for each, place in made.items():
            (folder / each.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / each.name).symlink_to(place)
        return folder

    def files(self) -> list[Path]:
        """What it is made of."""
        from sagemaker_serving.archive import plan

        planned = plan(self.sources)
        if planned.ready is not None:
            return [planned.ready]
        return [
            *(entry.path for entry in planned.entries),
            *(each.source for each in planned.conversions),
        ]


def _place_of(conversion: Conversion, scratch: Path) -> Path:
    """Where the SavedModel lies that is made of the file as it is: a changed handler makes none."""
    status = conversion.source.stat()
    named = f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"
    return scratch / f"made-of-{named}"


def _asked(
    model: str, environment: Mapping[str, str], framework: str | None, version: str | None
) -> _Asked:
    """What ``model`` names, as the options say, else as the environment file says."""
    from sagemaker_serving.archive import Source, parse_source
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.local_sagemaker.engines.images import NoEngine, engine_of
    from sagemaker_serving.model_server.modeldir import require_existing
    from sagemaker_serving.model_server.programs import Program
    from sagemaker_serving.operations.named_model import named_model
    from sagemaker_serving.spec.container import on_disk
    from sagemaker_serving.spec.reading import FOLDER

    found = None if Path(model).exists() else named_model(model)
    if found is None:
        sources = [parse_source(model)] if Path(model).exists() else [Source(path=Path(model))]
    else:
        container = found.container
        paths = on_disk(container.artifact)
        if not paths:
            raise Mistake(
                f"{found.where}: its artifact is not on this machine; download it, and serve the "
                "file"
            )
        sources = [parse_source(each, FOLDER) for each in paths]
        environment = {**container.variables, **environment}
        if container.own_image is not None and framework is None:
            try:
                engine = engine_of(container.own_image)
            except NoEngine as error:
                raise Mistake(f"{found.where}: {error}; name a server with --framework") from None
            framework, version = engine.program, version or engine.container_version
        framework = framework or container.framework
        version = version or container.framework_version
    for source in sources:
        require_existing(source.path)
    program = framework or _program(sources[0].path, environment)
    if program not in set(Program):
        raise Mistake(f"this machine has no server for {program}; name one with --framework")
    return _Asked(
        sources=sources, program=program, container_version=version, environment=environment
    )


def _reload(port: int, start: Callable[[], ModelServer], files: Callable[[], list[Path]]) -> None:
    import signal
    import time

    from sagemaker_serving.model_server.reloading import LOOK_SECONDS, Reloading

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with closing(Reloading(port, start, files, click.echo)) as reloading:
        try:
            while True:
                reloading.look()
                time.sleep(LOOK_SECONDS)
        except KeyboardInterrupt:
            return


def _compare(server: ModelServer, exchanges: list[Exchange], tolerance: float) -> None:
    from sagemaker_serving.cli.golden import must_be_the_same
    from sagemaker_serving.operations.golden import replay, to_server
    from sagemaker_serving.operations.served import START_SECONDS

    server.wait_until_healthy(START_SECONDS)
    must_be_the_same(replay(exchanges, to_server(server.place.connection), tolerance))


def _program(model: Path, environment: Mapping[str, str]) -> str:
    """What to serve it with; folders and archives are looked into when nobody has said."""
    from sagemaker_serving.archive import UnreadableArtifact, read_contents
    from sagemaker_serving.model_server.programs import program_of

    if environment.get("SAGEMAKER_MULTI_MODEL", "").lower() == "true":
        return "tensorflow"
    try:
        return program_of(read_contents(model), environment)
    except UnreadableArtifact:
        return "tensorflow"  # whose server says what is wrong with it, and what it should be


def _watch(server: ModelServer, log: BinaryIO) -> None:
    """Print the log until Ctrl-C; raise `ReportedError` when the server ends by itself."""
    import signal
    import time

    from sagemaker_serving.errors import Failure, Mistake

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    announced = False
    try:
        while server.poll() is None:
            _print_new(log)
            if not announced and server.ping(_PING_SECONDS):
                announced = True
                click.echo(f"listening on {server.place.url} (ping, invocations)")
            time.sleep(_POLL_SECONDS)
    except KeyboardInterrupt:
        server.stop()
        _print_new(log)
        return
    _print_new(log)
    status = server.poll()
    kind = Mistake if status == Mistake.exit_status else Failure
    raise kind(f"the model server ended with status {status}; the last line above says why")


def _print_new(log: BinaryIO) -> None:
    """Whole lines that were written since the last call."""
    while line := log.readline():
        if not line.endswith(b"\n"):
            log.seek(-len(line), 1)
            return
        click.echo(line.decode(errors="replace").rstrip("\r\n"))
