"""Versions that a deploy replaced and that are kept: `sagemaker-serving rollback` goes back to
them, SageMaker does when it takes an update back, and a batch that runs ends on its own."""

from __future__ import annotations

from sagemaker_serving.infra import ExecutionRole, ModelData, S3Prefix
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec import Environment, FolderArtifact, Model
from sagemaker_serving.spec.container import Artifact, Container, S3Artifact
from stacks.artifacts import bucket_of_models


def kept_below(environment: Environment, model: str) -> str | None:
    """Where the versions of a model lie in the assets' bucket that outlive their template.

    They are kept for its endpoint, or for its batches. So ``cdk gc`` leaves them, and its role may
    read earlier ones too, and no other model's. None: nothing of it is kept.
    """
    spec = environment.models[model]
    kept = keeps_endpoint(environment, model) or spec.batch_transform is not None
    return environment.stack_name(model) if kept else None


def keeps_endpoint(environment: Environment, model: str) -> bool:
    """Whether the Models and the EndpointConfig that a later deploy replaces are kept: in
    production, where the file says ``update``, which SageMaker may take back after it seemed to be
    done, and where the endpoint outlives the stack."""
    spec = environment.models[model]
    return environment.production or spec.move is not None or spec.endpoint is not None


def read_earlier_archives(environment: Environment, model: str, role: ExecutionRole) -> None:
    """Lets the role go on reading the archives that were deployed to this model, and the folders
    where it sends any; elsewhere in S3 what lies below the ``versions`` of its file.

    Of an image in another repository, or folders once all of its artifacts are archives, it loses
    sight when the file no longer names them.
    """
    below = kept_below(environment, model)
    if below is None:
        return
    found = _artifacts(environment.models[model])
    in_s3 = [each for each in found if isinstance(each, S3Artifact)]
    for versions, key_arn in dict.fromkeys((each.versions, each.kms_key_arn) for each in in_s3):
        if versions is not None:
            bucket, prefix = split_s3(versions)
            place = S3Prefix(bucket=bucket_of_models(role, bucket, key_arn), prefix=prefix)
            place.grant_read(role, of="The model's versions")
    sends = any(isinstance(each, FolderArtifact) and each.uncompressed for each in found)
    ModelData.grant_read_kept(role, below, folders=sends)


def _artifacts(model: Model) -> list[Artifact | None]:
    parts = [model, *model.variants, *model.shadow_variants, *model.containers]
    return [
        part.artifact
        for part in (*parts, *model.inference_components.values())
        if isinstance(part, Container)
    ]
