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
    parse_source,
)
from sagemaker_serving.rules.facts import (
    ABSENT,
    ArtifactFacts,
    ContainerFacts,
    Fact,
    TransformFacts,
)
from sagemaker_serving.rules.facts.resources import CompilationFacts
from sagemaker_serving.rules.neo.facts import compilation_facts
from sagemaker_serving.s3_address import is_s3


def artifact_facts(
    container: ContainerFacts,
    folder: Path,
    volume_size: Fact = ABSENT,
    *,
    is_gated: bool = False,
    transform: TransformFacts | None = None,
) -> Iterator[ArtifactFacts | CompilationFacts]:
    """The container's model, as it lies on disk or in S3, and how Neo compiles it, if it does.

    What is gated the deploy judges before it has traffic. ``transform`` runs it, where one does.
    """
    contents, unreadable = None, None
    text = container.artifact.text
    each = container.sources.items() if container.sources.given else (container.artifact,)
    texts = tuple(one.text for one in each if one.text is not None and not is_s3(one.text))
    if text is not None and texts:
        contents, unreadable = _read(
            folder, texts, container.compilation.given, container.is_multi_model
        )
    yield ArtifactFacts(
        container=container,
        contents=contents,
        unreadable=unreadable,
        compilation=container.compilation,
        volume_size=volume_size,
        transform=transform,
    )
    compilation = compilation_facts(container, contents, folder=folder, is_gated=is_gated)
    if compilation is not None:
        yield compilation


@cache
def _read(
    folder: Path, texts: tuple[str, ...], for_neo: bool, versions_on_top: bool
) -> tuple[ArchiveContents | None, UnreadableArtifact | None]:
    try:
        sources = [parse_source(text, folder) for text in texts]
        if for_neo:
            contents = neo_contents(sources)
        else:
            contents = known_contents(sources, versions_on_top=versions_on_top)
        if contents.converted:
            must_be_convertible(sources)
    except UnreadableArtifact as error:
        return None, error
    except (OSError, ValueError) as error:
        # What is no path at all: too long for any file system, or with a null byte in it.
        reason = error.strerror if isinstance(error, OSError) else None
        return None, UnreadableArtifact(
            f"this can't be opened: {reason.lower() if reason is not None else error}"
        )
    return contents, None
