"""What `sagemaker-serving rollback` goes back to: versions that a deploy replaced and kept."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.infra import ExecutionRole
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.spec import Environment

ENDPOINT_TAG = "sagemaker-serving:endpoint"
"""Tells which endpoint a config was made for; `operations.rollback` looks for it."""


def own_synthesizer(environment: Environment, model: str) -> cdk.DefaultStackSynthesizer | None:
    """Puts the archives of a production model below a prefix of their own in the assets' bucket.

    So that its role may read earlier ones too, and no other model's. None: as the app has it.
    """
    if not environment.production:
        return None
    return _Synthesizer(bucket_prefix=_prefix(environment, model))


def keep_versions(
    environment: Environment,
    model: str,
    *,
    role: ExecutionRole,
    models: Construct,
    endpoint_config: Construct,
) -> None:
    """Keeps, in production, the Models and the EndpointConfig that a later deploy replaces.

    They cost nothing. Those of a deploy that fails are removed with it, so that
    whatever is kept has served. The role goes on reading the archives that were
    deployed to this model; of an image in another repository, or an archive
    elsewhere in S3, it loses sight when the file no longer names it.
    Source: CloudFormation user guide, DeletionPolicy, RetainExceptOnCreate; read 2026-11-21.
    """
    if not environment.production:
        return
    for resource in (*models.node.find_all(), *endpoint_config.node.find_all()):
        if isinstance(resource, sagemaker.CfnModel | sagemaker.CfnEndpointConfig):
            resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
    cdk.Tags.of(endpoint_config).add(ENDPOINT_TAG, environment.endpoint_name(model))
    stack = cdk.Stack.of(role)
    qualifier = stack.synthesizer.bootstrap_qualifier
    bucket = f"cdk-{qualifier}-assets-{stack.account}-{stack.region}"
    archives = f"arn:{cdk.Aws.PARTITION}:s3:::{bucket}/{_prefix(environment, model)}*.tar.gz"
    role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=[archives]))
    acknowledge_wildcard(
        role, archives, "Every version of this model that was deployed, to be rolled back to"
    )


class _Synthesizer(cdk.DefaultStackSynthesizer):
    """Of one stack.

    A stack binds a copy of its synthesizer; asked for that copy from Python, Node hands out the
    original, which nobody bound, with a warning.
    """

    def reusable_bind(self, stack: cdk.Stack) -> cdk.IBoundStackSynthesizer:
        self.bind(stack)
        return self


def _prefix(environment: Environment, model: str) -> str:
    return f"{environment.name}-{model}/"
