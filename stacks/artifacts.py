"""The model that an environment file names, for a Model or for a compilation."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.infra import ModelData
from sagemaker_serving.spec import S3Artifact
from sagemaker_serving.spec.container import in_s3


def model_data(
    artifact: str | S3Artifact | None, folder: Path, *, convert: bool = True
) -> ModelData:
    """In S3 where it is already, or packed from below ``folder``; ``convert`` is `ModelData`'s."""
    archive = in_s3(artifact)
    if archive is not None and archive.s3.endswith("/"):
        return ModelData.from_s3_prefix(archive.s3, sha256=archive.sha256)
    if archive is not None:
        return ModelData.from_s3(archive.s3, sha256=archive.sha256, version_id=archive.version_id)
    assert isinstance(artifact, str)
    return ModelData.from_path(folder / artifact, convert=convert)
