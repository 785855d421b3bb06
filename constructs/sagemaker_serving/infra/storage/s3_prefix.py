"""A place in S3 that something is let to read or write, and nothing beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam

from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import is_token

if TYPE_CHECKING:
    from aws_cdk import aws_s3 as s3


@dataclass(frozen=True, kw_only=True)
class S3Prefix:
    """What lies below ``prefix`` of ``bucket``; the prefix begins without a slash.

    Below ``"digits/captured"`` lies ``digits/captured/…`` and nothing else.
    """

    bucket: s3.IBucket
    prefix: str

    @property
    def uri(self) -> str:
        """``s3://bucket/prefix`` without a slash at the end, to which services add their own."""
        return f"s3://{self.bucket.bucket_name}/{self.prefix.strip('/')}"

    @property
    def key_arn(self) -> str | None:
        """The ARN of the key that the bucket is encrypted with; None where that is S3's own."""
        return None if self.bucket.encryption_key is None else self.bucket.encryption_key.key_arn

    def grant_read(self, grantee: iam.IGrantable, *, of: str) -> iam.Grant:
        """Lets ``grantee`` list and read what is here; ``of`` tells scanners what that is."""
        self.grant_list(grantee)
        self._grant_key(grantee, "kms:Decrypt")
        return self._grant_objects(grantee, of, "s3:GetObject")

    def grant_write(self, grantee: iam.IGrantable, *, of: str) -> iam.Grant:
        """Lets ``grantee`` write here, in several parts too; ``of`` tells scanners what.

        S3 reads the parts of a multipart upload again, so its key is granted for both.
        """
        self._grant_key(grantee, "kms:Decrypt", "kms:GenerateDataKey")
        return self._grant_objects(grantee, of, "s3:PutObject", "s3:AbortMultipartUpload")

    def grant_delete(self, grantee: iam.IGrantable, *, of: str) -> iam.Grant:
        """Lets ``grantee`` delete what is here; ``of`` tells scanners what that is."""
        return self._grant_objects(grantee, of, "s3:DeleteObject")

    def _grant_objects(self, grantee: iam.IGrantable, of: str, *actions: str) -> iam.Grant:
        below = self.prefix.strip("/")
        objects = self.bucket.arn_for_objects(f"{below}/*")
        shown = "their prefix" if is_token(below) else f"{below}/"
        acknowledge_wildcard(
            grantee, objects, f"{of}: every object below {shown}, whatever its name"
        )
        return grant(grantee, actions, objects)

    def grant_list(self, grantee: iam.IGrantable) -> None:
        """Lets ``grantee`` see what is here, and read none of it."""
        grant(
            grantee,
            ["s3:ListBucket"],
            self.bucket.bucket_arn,
            conditions={"StringLike": {"s3:prefix": f"{self.prefix.strip('/')}/*"}},
        )

    def _grant_key(self, grantee: iam.IGrantable, *actions: str) -> None:
        if self.key_arn is not None:
            grant(grantee, actions, self.key_arn)
