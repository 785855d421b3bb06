"""What the names of a target and of a capture mean, and what a model is on this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sagemaker_serving.archive import UnreadableArtifact, build_archive, parse_source, read_contents
from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.golden import to_server
from sagemaker_serving.operations.named_model import NamedModel, named_model
from sagemaker_serving.operations.replay.targets import Target, endpoint
from sagemaker_serving.operations.served import serving
from sagemaker_serving.operations.traffic.files import copy_object
from sagemaker_serving.progress import progress_bar
from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec import Replay
from sagemaker_serving.spec.container import Container, in_s3, on_disk
from sagemaker_serving.spec.reading import FOLDER


@contextmanager
def target(
    text: str,
    aws: Aws,
    *,
    variant: str | None = None,
    concurrency: int,
    framework_version: str | None = None,
) -> Iterator[Target]:
    """What ``text`` names: a model's folder or archive, a model of an environment, an endpoint.

    The first two are served on this machine, as ``framework_version`` of their image; an
    environment's model as that one says. Raises `NotFound`, and `Mistake` for what cannot be
    served here.
    """
    found = None if Path(text).exists() or is_s3(text) else named_model(text)
    if found is None and not Path(text).exists() and text.replace("-", "").isalnum():
        with endpoint(text, aws, variant=variant, concurrency=concurrency) as asked:
            yield asked
        return
    if variant is not None:
        raise Mistake(f"--variant is of an endpoint, and {text} is a model that is served here")
    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-replay-") as folder:
        if found is not None:
            server = _of_environment(text, found, aws, Path(folder))
        elif is_s3(text):
            server = _served(_copied(text, aws, Path(folder)), text, None, framework_version)
        elif Path(text).exists():
            server = _served(Path(text), text, None, framework_version)
        else:
            raise NotFound(
                f"there is nothing at {text}, and it is no model of {FOLDER}/*.yaml; give an "
                "endpoint, a model's folder or archive, or <environment>/<model>"
            )
        with server as asked:
            yield asked


def gate_of(text: str, *, alone: bool) -> Replay | None:
    """The gate of the model that ``text`` names, its capture's path relative to this folder.

    None where ``text`` is a capture. Raises `NotFound` for a model that its file has not, and
    `Mistake` for one without the field, or where a target stands ``alone``.
    """
    found = None if is_s3(text) or Path(text).exists() else named_model(text)
    if found is None:
        if alone:
            raise Mistake(
                f"{text} is no model of {FOLDER}/*.yaml; give a capture and a target, or "
                "<environment>/<model>, whose update.replay names the capture"
            )
        return None
    gate = found.spec.replay
    if gate is None:
        raise Mistake(
            f"{found.where.file}: {found.name} has no update.replay; add update: {{replay: "
            "{capture: …}}, or give the capture"
        )
    capture = gate.capture if is_s3(gate.capture) else str(FOLDER / gate.capture)
    return gate.model_copy(update={"capture": capture})


def _of_environment(
    text: str, found: NamedModel, aws: Aws, folder: Path
) -> AbstractContextManager[Target]:
    """Its container, packed as a deploy packs it. Raises `Mistake` for what is no single one."""
    spec = found.spec
    container = found.container
    several = spec.containers or spec.inference_components or spec.multi_model is not None
    if several or spec.model_package is not None or container.artifact is None:
        raise _elsewhere(text, "it is not one artifact in one container")
    if container.own_image is not None:
        raise _elsewhere(text, "its image is your own")
    name = text if container.compile is None else f"{text}, not compiled"
    return _served(_archive(container, aws, folder), name, container, container.framework_version)


def _elsewhere(text: str, why: str) -> Mistake:
    return Mistake(
        f"{text} cannot be served for a replay: {why}; deploy it to the local AWS or a staging "
        f"environment, and name its endpoint: replay {text} <endpoint>"
    )


def _archive(container: Container, aws: Aws, folder: Path) -> Path:
    archive = in_s3(container.artifact)
    if archive is not None:
        return _copied(archive.s3, aws, folder)
    sources = [parse_source(each, FOLDER) for each in on_disk(container.artifact)]
    with progress_bar(f"pack {sources[0].path.name}") as progress:
        return build_archive(
            sources, lambda sha256: folder / f"{sha256}.tar.gz", progress=progress
        ).path


def _copied(uri: str, aws: Aws, folder: Path) -> Path:
    path = folder / "model.tar.gz"
    copy_object(aws, uri, path)
    return path


@contextmanager
def _served(
    path: Path, name: str, container: Container | None, version: str | None
) -> Iterator[Target]:
    """A model behind a server of its own, which ends with the block."""
    from sagemaker_serving.extras import need
    from sagemaker_serving.model_server.programs import VERSIONED, Program, program_of

    need("local")
    framework = None if container is None else container.framework
    variables = {} if container is None else container.variables
    try:
        program = (
            Program(framework)
            if framework in set(Program)
            else program_of(read_contents(path), variables)
        )
    except UnreadableArtifact:
        program = Program.TENSORFLOW  # whose server says what is wrong with it
    if program == Program.TENSORFLOW:
        need("tensorflow")
    with serving(
        {"container": path},
        program=program,
        environment=variables,
        container_version=version if program in VERSIONED else None,
    ) as places:
        yield Target(
            name=f"{name}, served on this machine",
            send=to_server(places["container"].connection),
            most_bytes=REAL_TIME.most,
        )
