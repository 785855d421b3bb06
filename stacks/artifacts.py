"""The model that an environment file names, for a Model or for a compilation."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from sagemaker_serving.archive import parse_source
from sagemaker_serving.infra import ModelData
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec import FolderArtifact
from sagemaker_serving.spec.container import Artifact, S3Artifact, in_s3, on_disk


def model_data(
    scope: Construct,
    artifact: Artifact,
    folder: Path,
    *,
    convert: bool = True,
    versions_on_top: bool = False,
    kept_below: str | None = None,
) -> ModelData:
    """In S3 where it is already, or from below ``folder``, packed or as its files are;
    ``convert``, ``versions_on_top`` and ``kept_below`` are `ModelData`'s."""
    archive = in_s3(artifact)
    if archive is not None:
        return _model_in_s3(scope, archive)
    if isinstance(artifact, FolderArtifact) and artifact.uncompressed:
        return ModelData.from_folder(folder / artifact.folder, kept_below=kept_below)
    sources = [parse_source(each, folder) for each in on_disk(artifact)]
    return ModelData.from_sources(
        sources, convert=convert, versions_on_top=versions_on_top, kept_below=kept_below
    )


def _model_in_s3(scope: Construct, archive: S3Artifact) -> ModelData:
    if archive.kms_key_arn is not None:
        bucket, key = split_s3(archive.s3)
        return ModelData.from_bucket(
            bucket_of_models(scope, bucket, archive.kms_key_arn),
            key,
            sha256=archive.sha256,
            version_id=archive.version_id,
        )
    if archive.s3.endswith("/"):
        return ModelData.from_s3_prefix(archive.s3, sha256=archive.sha256)
    return ModelData.from_s3(archive.s3, sha256=archive.sha256, version_id=archive.version_id)


def bucket_of_models(scope: Construct, name: str, key_arn: str | None) -> s3.IBucket:
    """A bucket that the app did not make, with the key that encrypts what is in it."""
    number = len(scope.node.children)
    key = None if key_arn is None else kms.Key.from_key_arn(scope, f"KeyOfModels{number}", key_arn)
    return s3.Bucket.from_bucket_attributes(
        scope, f"BucketOfModels{number}", bucket_name=name, encryption_key=key
    )
