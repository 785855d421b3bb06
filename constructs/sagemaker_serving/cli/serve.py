"""``sagemaker-serving serve``: a model behind the container's contract, on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

if TYPE_CHECKING:
    from sagemaker_serving.local.server.process import ModelServer

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
    default=8080,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes a free one.",
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
    help="Framework version of the image to behave like, such as 2.19; the default is the newest. "
    "Images up to 2.0, up to 2.8, up to 2.19 and from 2.20 differ: docs/container-contract.md.",
)
def serve(
    model: Path, port: int, environment: dict[str, str], container_version: str | None
) -> None:
    """Serve a model as SageMaker's TensorFlow container does: /ping and /invocations.

    DIR_OR_ARCHIVE is a folder with MODEL/VERSION/saved_model.pb, and code/ if
    it has any, or the model.tar.gz made of it. The container's log is printed.
    Ctrl-C ends the server.
    """
    import tempfile

    from sagemaker_serving.extras import need

    need("local")
    from sagemaker_serving.local.server.generations import generation_of
    from sagemaker_serving.local.server.plan import require_model, require_tensorflow
    from sagemaker_serving.local.server.process import ModelServer

    require_model(model)
    generation_of(container_version)
    require_tensorflow()
    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-log-") as folder:
        log_path = Path(folder, "container.log")
        server = ModelServer.start(
            model,
            environment=environment,
            log_path=log_path,
            port=port,
            container_version=container_version,
        )
        try:
            with log_path.open("rb") as log:
                _watch(server, log)
        finally:
            server.stop()


def _watch(server: ModelServer, log: BinaryIO) -> None:
    """Print the log until Ctrl-C; raise `ServingError` when the server ends by itself."""
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
                click.echo(f"listening on {server.url} (ping, invocations)")
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
