"""What the CDK counts itself by, behind which nothing is made."""

from __future__ import annotations

from uuid import uuid4

from typing_extensions import override

from local_aws.resources.base import Attributes, Provider, Request


class CdkMetadata(Provider):
    """``AWS::CDK::Metadata``: what the CDK counts itself by."""

    type_name = "AWS::CDK::Metadata"

    @override
    def create(self, request: Request) -> str:
        return str(uuid4())

    @override
    def update(self, request: Request) -> Attributes:
        return {}

    @override
    def delete(self, request: Request) -> None:
        return None
