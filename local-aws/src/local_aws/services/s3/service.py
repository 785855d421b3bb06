"""S3: buckets and objects, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.context import LocalContext
from local_aws.permissions.service import Refusal
from local_aws.resources.base import Provider
from local_aws.service import Service

from . import moto
from .policy import S3Permissions, bucket_policy
from .resources import Bucket, BucketPolicy


class S3(Service):
    """S3: buckets and objects, which the emulator keeps."""

    name = "s3"
    warm_up = "list_buckets"
    permissions = S3Permissions(
        prefix="s3",
        document_of=bucket_policy,
        judges_owner=True,
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="SlowDown", status=503, message="Please reduce your request rate."),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Bucket(), BucketPolicy())

    def start(self) -> None:
        """Change the emulator."""
        moto.apply(self._context.targets)
