"""Versions that a deploy replaced and that are kept: `sagemaker-serving rollback` goes back to
them, SageMaker does when it takes an update back, and a batch that runs ends on its own."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.infra import ExecutionRole, S3Prefix
from sagemaker_serving.infra.model.model_data import KEPT, assets_bucket
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec import Environment, FolderArtifact, Model
from sagemaker_serving.spec.container import Artifact, Container, S3Artifact
from stacks.artifacts import bucket_of_models

ENDPOINT_TAG = "sagemaker-serving:endpoint"
"""Tells which endpoint a config was made for; `operations.rollback` looks for it."""


def kept_below(environment: Environment, model: str) -> str | None:
    """Where the versions of a model lie in the assets' bucket that outlive their template.

    They are kept for its endpoint, or for its batches. So ``cdk gc`` leaves them, and its role may
    read earlier ones too, and no other model's. None: nothing of it is kept.
    """
    spec = environment.models[model]
    kept = _keeps_endpoint(environment, model) or spec.batch_transform is not None
    return environment.stack_name(model) if kept else None


def keep_endpoint(
    environment: Environment, model: str, models: Construct, config: Construct
) -> None:
    """Keeps the Models and the EndpointConfig that a later deploy replaces: in production, where
    the file says ``update``, which SageMaker may take back after it seemed to be done, and where
    the endpoint outlives the stack.

    Whatever is kept has served: those of a deploy that fails are removed with it.
    """
    if not _keeps_endpoint(environment, model):
        return
    _keep(models, config)
    cdk.Tags.of(config).add(ENDPOINT_TAG, environment.endpoint_name(model))


def keep_role(role: ExecutionRole) -> None:
    """Keeps the role, with what it may do, that an endpoint goes on using after its stack."""
    for resource in role.node.find_all():
        if isinstance(resource, iam.CfnRole | iam.CfnPolicy):
            resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)


def read_earlier_archives(environment: Environment, model: str, role: ExecutionRole) -> None:
    """Lets the role go on reading the archives that were deployed to this model, and the folders
    where it sends any; elsewhere in S3 what lies below the ``versions`` of its file.

    Of an image in another repository, or folders once all of its artifacts are archives, it loses
    sight when the file no longer names them.
    """
    below = kept_below(environment, model)
    bucket = assets_bucket(cdk.Stack.of(role))
    if below is None:
        return
    _read_below_prefixes(environment.models[model], role)
    if bucket is None:
        return
    bucket_arn, kept = f"arn:{cdk.Aws.PARTITION}:s3:::{bucket}", f"{KEPT}/{below}/"
    # Versions up to 0.2.0 lie where the second says, and may serve while this one is deployed.
    before = f"{below}/"
    _read_every_version(role, *(f"{bucket_arn}/{each}*.tar.gz" for each in (kept, before)))
    if _sends_folders(environment.models[model]):
        _read_every_version(role, *(f"{bucket_arn}/{each}*/*" for each in (kept, before)))
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[bucket_arn],
                conditions={"StringLike": {"s3:prefix": [f"{kept}*/*", f"{before}*/*"]}},
            )
        )


def _read_every_version(role: ExecutionRole, *objects: str) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=list(objects)))
    for each in objects:
        acknowledge_wildcard(
            role,
            each,
            "Every version of this model that was deployed: to go back to, and for batches",
        )


def _read_below_prefixes(model: Model, role: ExecutionRole) -> None:
    in_s3 = [each for each in _artifacts(model) if isinstance(each, S3Artifact)]
    for versions, key_arn in dict.fromkeys((each.versions, each.kms_key_arn) for each in in_s3):
        if versions is not None:
            bucket, prefix = split_s3(versions)
            place = S3Prefix(bucket=bucket_of_models(role, bucket, key_arn), prefix=prefix)
            place.grant_read(role, of="The model's versions")


def _sends_folders(model: Model) -> bool:
    found = _artifacts(model)
    return any(isinstance(each, FolderArtifact) and each.uncompressed for each in found)


def _artifacts(model: Model) -> list[Artifact | None]:
    parts = [model, *model.variants, *model.shadow_variants, *model.containers]
    return [
        part.artifact
        for part in (*parts, *model.inference_components.values())
        if isinstance(part, Container)
    ]


def _keeps_endpoint(environment: Environment, model: str) -> bool:
    spec = environment.models[model]
    return environment.production or spec.move is not None or spec.endpoint is not None


def _keep(*constructs: Construct) -> None:
    """They cost nothing. Source: CloudFormation user guide, DeletionPolicy,
    RetainExceptOnCreate."""
    for construct in constructs:
        for resource in construct.node.find_all():
            if isinstance(resource, sagemaker.CfnModel | sagemaker.CfnEndpointConfig):
                resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
