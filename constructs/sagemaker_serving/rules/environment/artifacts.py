"""The models that an environment file names, read from disk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sagemaker_serving.archive import (
    ArchiveContents,
    UnreadableArtifact,
    known_contents,
    must_be_convertible,
    neo_contents,
)
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts, Fact
from sagemaker_serving.rules.facts.resources import CompilationFacts
from sagemaker_serving.rules.neo.facts import compilation_facts
from sagemaker_serving.spec.s3 import is_s3


def artifact_facts(
    container: ContainerFacts, folder: Path, volume_size: Fact
) -> Iterator[ArtifactFacts | CompilationFacts]:
    """The container's model, as it lies on disk or in S3, and how Neo compiles it, if it does."""
    contents, unreadable = None, None
    text = container.artifact.text
    if text is not None and not is_s3(text):
        contents, unreadable = _read(folder / text, text, container.compilation.given)
    yield ArtifactFacts(
        container=container,
        contents=contents,
        unreadable=unreadable,
        compilation=container.compilation,
        volume_size=volume_size,
    )
    compilation = compilation_facts(container, contents)
    if compilation is not None:
        yield compilation


@cache
def _read(
    path: Path, as_written: str, for_neo: bool
) -> tuple[ArchiveContents | None, UnreadableArtifact | None]:
    try:
        contents = neo_contents(path) if for_neo else known_contents(path)
        if contents.converted:
            must_be_convertible(path)
    except UnreadableArtifact as error:
        return None, error
    except (OSError, ValueError) as error:
        # What is no path at all: too long for any file system, or with a null byte in it.
        reason = error.strerror if isinstance(error, OSError) else None
        return None, UnreadableArtifact(
            f"this can't be opened: {reason.lower() if reason is not None else error}"
        )
    return contents, None
