"""The model that an environment file names, for a Model or for a compilation."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.archive import parse_source
from sagemaker_serving.infra import ModelData
from sagemaker_serving.spec import FolderArtifact
from sagemaker_serving.spec.container import Artifact, in_s3, on_disk


def model_data(
    artifact: Artifact, folder: Path, *, convert: bool = True, versions_on_top: bool = False
) -> ModelData:
    """In S3 where it is already, or from below ``folder``, packed or as its files are;
    ``convert`` and ``versions_on_top`` are `ModelData`'s."""
    archive = in_s3(artifact)
    if archive is not None and archive.s3.endswith("/"):
        return ModelData.from_s3_prefix(archive.s3, sha256=archive.sha256)
    if archive is not None:
        return ModelData.from_s3(archive.s3, sha256=archive.sha256, version_id=archive.version_id)
    if isinstance(artifact, FolderArtifact) and artifact.uncompressed:
        return ModelData.from_folder(folder / artifact.folder)
    sources = [parse_source(each, folder) for each in on_disk(artifact)]
    return ModelData.from_sources(sources, convert=convert, versions_on_top=versions_on_top)
