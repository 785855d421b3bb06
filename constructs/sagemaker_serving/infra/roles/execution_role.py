"""The role that SageMaker's containers act under: empty at first, grown by grants."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.tokens import stands_in

if TYPE_CHECKING:
    from aws_cdk import aws_s3 as s3


class ExecutionRole(iam.Role):
    """A role that SageMaker assumes for its own account; it holds only what it was granted.

    SageMaker acting for another account is not let in (developer guide,
    "Cross-service confused deputy prevention"; read 2026-11-21). Model data,
    images, buckets and keys grant it what they need as they are bound. No
    managed policy is attached.
    """

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(
            scope,
            construct_id,
            assumed_by=_sagemaker(),
            description="Runs models on SageMaker; holds only what was granted",
        )
        stands_in(self, scope)
        acknowledge_own_policy(self)

    def grant_read_prefix(self, bucket: s3.IBucket, prefix: str) -> None:
        """Lets containers and jobs list and read what is below ``prefix`` of ``bucket``."""
        self._grant_objects(bucket, prefix, ["s3:GetObject"])
        self.add_to_policy(
            iam.PolicyStatement(
                actions=["s3:ListBucket"],
                resources=[bucket.bucket_arn],
                conditions={"StringLike": {"s3:prefix": f"{prefix}*"}},
            )
        )
        self._grant_key(bucket, ["kms:Decrypt"])

    def grant_write_prefix(self, bucket: s3.IBucket, prefix: str) -> None:
        """Lets containers and jobs write below ``prefix`` of ``bucket``, in several parts too.

        S3 reads the parts of a multipart upload again, so its key is granted for both.
        """
        self._grant_objects(bucket, prefix, ["s3:PutObject", "s3:AbortMultipartUpload"])
        self._grant_key(bucket, ["kms:Decrypt", "kms:GenerateDataKey"])

    def _grant_objects(self, bucket: s3.IBucket, prefix: str, actions: list[str]) -> None:
        objects = bucket.arn_for_objects(f"{prefix}*")
        self.add_to_policy(iam.PolicyStatement(actions=actions, resources=[objects]))
        acknowledge_wildcard(
            self, objects, f"Data of batch jobs: every object below {prefix}, whatever its name"
        )

    def _grant_key(self, bucket: s3.IBucket, actions: list[str]) -> None:
        if bucket.encryption_key is not None:
            self.add_to_policy(
                iam.PolicyStatement(actions=actions, resources=[bucket.encryption_key.key_arn])
            )


@cache
def _sagemaker() -> iam.ServicePrincipal:
    return iam.ServicePrincipal(
        "sagemaker.amazonaws.com",
        conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
    )
