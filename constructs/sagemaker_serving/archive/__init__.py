"""model.tar.gz: what is in one, and building one that is the same every time.

Streams and folders only; nothing here touches the network.
"""

from sagemaker_serving.archive.build import BuiltArchive, build_archive
from sagemaker_serving.archive.contents import (
    ArchiveContents,
    ModelVersion,
    read_contents,
)
from sagemaker_serving.archive.tree import UnreadableArtifact

__all__ = [
    "ArchiveContents",
    "BuiltArchive",
    "ModelVersion",
    "UnreadableArtifact",
    "build_archive",
    "read_contents",
]
