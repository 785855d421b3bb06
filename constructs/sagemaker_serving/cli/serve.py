"""``sagemaker-serving serve``: a model behind the container's contract, on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from sagemaker_serving.cli.golden import tolerance_option

if TYPE_CHECKING:
    from sagemaker_serving.model_server.process import ModelServer
    from sagemaker_serving.operations.golden import Exchange

START_SECONDS = 480.0
"""How long a model may take until it answers /ping, as long as SageMaker gives it."""

_POLL_SECONDS = 0.1


def _environment(
    context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]
) -> dict[str, str]:
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE")
    return {pair.partition("=")[0]: pair.partition("=")[2] for pair in pairs}


@click.command()
@click.argument("model", metavar="DIR_OR_ARCHIVE", type=click.Path(path_type=Path))
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
    "the newest. docs/container-contract.md has the differences.",
)
@click.option(
    "--framework",
    type=click.Choice(
        [
            *("tensorflow", "pytorch", "ray-serve", "triton"),
            *("neo-pytorch", "neo-onnx", "neo-xgboost"),
        ]
    ),
    help="The image to behave like; default: by the model's files.",
)
@click.option(
    "--golden",
    type=click.Path(path_type=Path),
    help="Send the requests in this file, compare the answers with those recorded, and end.",
)
@tolerance_option
def serve(
    model: Path,
    port: int | None,
    environment: dict[str, str],
    container_version: str | None,
    framework: str | None,
    golden: Path | None,
    tolerance: float,
) -> None:
    """Serve a model as SageMaker's container does: /ping and /invocations.

    DIR_OR_ARCHIVE is a model.tar.gz, or a folder with the same content:
    MODEL/VERSION/saved_model.pb, or a .pt or .pth file, and perhaps code/. With --env
    SAGEMAKER_MULTI_MODEL=true it is a folder of models, which requests to /models load and unload.
    Prints the container's log until Ctrl-C. With --golden it prints only the differences, and ends
    with 1 when there is one.

    \b
    Examples:
      sagemaker-serving serve model_assets/half_plus_three/model
      sagemaker-serving serve model.tar.gz --container-version 2.19
      sagemaker-serving serve model.tar.gz --golden golden.jsonl
    """
    import tempfile

    from sagemaker_serving.extras import need

    need("local")
    from local_aws.process import ending_all, raise_file_limit
    from sagemaker_serving.model_server.generations import generation_of
    from sagemaker_serving.model_server.plan import require_model, require_tensorflow
    from sagemaker_serving.model_server.process import ModelServer
    from sagemaker_serving.model_server.settings import bind_to_port
    from sagemaker_serving.model_server.toolkit.contract import toolkit_contract
    from sagemaker_serving.operations.golden import read_golden

    exchanges = None if golden is None else read_golden(golden)
    program = _program(model, environment, framework)
    if program == "tensorflow":
        require_model(model, environment)
        generation_of(container_version)
        require_tensorflow()
    if program == "pytorch":
        toolkit_contract(container_version)
    asked_port = bind_to_port(environment) if port is None else port
    raise_file_limit()
    with ending_all(), tempfile.TemporaryDirectory(prefix="sagemaker-serving-log-") as folder:
        log_path = Path(folder, "container.log")
        server = ModelServer.start(
            model,
            environment=environment,
            log_path=log_path,
            # Nobody is told the port when there is nobody to call.
            port=asked_port if golden is None else None,
            container_version=container_version,
            program=program,
        )
        try:
            with log_path.open("rb") as log:
                if exchanges is not None:
                    _compare(server, exchanges, tolerance)
                else:
                    _watch(server, log)
        finally:
            server.stop()


def _compare(server: ModelServer, exchanges: list[Exchange], tolerance: float) -> None:
    from sagemaker_serving.cli.golden import must_be_the_same
    from sagemaker_serving.operations.golden import replay, to_server

    server.wait_until_healthy(START_SECONDS)
    must_be_the_same(replay(exchanges, to_server(server.place.connection), tolerance))


def _program(model: Path, environment: dict[str, str], framework: str | None) -> str:
    """What to serve it with; folders and archives are looked into when nobody has said."""
    from sagemaker_serving.archive import UnreadableArtifact, read_contents
    from sagemaker_serving.model_server.modeldir import require_existing
    from sagemaker_serving.model_server.programs import program_of

    require_existing(model)
    if framework is not None:
        return framework
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
            if not announced and server.ping():
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
    for line in _lines(log):
        click.echo(line)


def _lines(log: BinaryIO) -> Iterator[str]:
    """Whole lines that were written since the last call."""
    while line := log.readline():
        if not line.endswith(b"\n"):
            log.seek(-len(line), 1)
            return
        yield line.decode(errors="replace").rstrip("\r\n")
