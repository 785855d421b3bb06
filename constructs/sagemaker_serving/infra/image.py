"""Which image a container runs; binding it grants the role this one repository."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving import catalog
from sagemaker_serving.errors import Mistake

_PULL_ACTIONS = [
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:GetDownloadUrlForLayer",
]
_ECR_URI = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.[a-z0-9.]+/"
    r"(?P<repository>[a-z0-9._/-]+?)(:[\w.-]{1,128}|@sha256:[0-9a-f]{64})?"
)


class ContainerImage(ABC):
    """An image in ECR: one that AWS publishes, or one's own."""

    @staticmethod
    def from_catalog(framework: str, version: str) -> ContainerImage:
        """AWS's serving image of ``framework`` ``version`` for the stack's region.

        Which of them (CPU, GPU, arm64) follows from the instance type it is
        bound for. Raises `sagemaker_serving.catalog.UnknownImage` when bound, if there is none.
        """
        return _CatalogImage(framework, version)

    @staticmethod
    def from_uri(uri: str) -> ContainerImage:
        """One's own image in ECR, of this or another account.

        Raises `Mistake` for an image that is not in ECR: endpoints pull from nowhere else.
        """
        return _OwnImage(uri)

    @abstractmethod
    def bind(self, scope: Construct, role: iam.IGrantable, instance_type: str) -> str:
        """The image's URI for ``instance_type``; lets ``role`` pull it."""


class _CatalogImage(ContainerImage):
    def __init__(self, framework: str, version: str) -> None:
        self._framework = framework
        self._version = version

    def bind(self, scope: Construct, role: iam.IGrantable, instance_type: str) -> str:
        region = cdk.Stack.of(scope).region
        if cdk.Token.is_unresolved(region):
            raise Mistake(
                f"{scope.node.path}: the stack has no region, so its image cannot be known; "
                "give the stack env=Environment(region=…), or the image by from_uri"
            )
        kind = catalog.instance_type(instance_type)
        image = catalog.container_image(
            framework=self._framework,
            version=self._version,
            region=region,
            processor=kind.processor,
            scope="inference_graviton" if kind.architecture == "arm64" else "inference",
        )
        _grant_pull(scope, role, image.account, region, image.repository)
        return image.uri


class _OwnImage(ContainerImage):
    def __init__(self, uri: str) -> None:
        self._uri = uri
        parts = _ECR_URI.fullmatch(uri)
        if parts is None:
            raise Mistake(
                f"image_uri is {uri!r}; endpoints pull only from ECR: "
                "<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>; push the image there"
            )
        self._parts = parts

    def bind(self, scope: Construct, role: iam.IGrantable, instance_type: str) -> str:
        parts = self._parts
        _grant_pull(scope, role, parts["account"], parts["region"], parts["repository"])
        return self._uri


def _grant_pull(
    scope: Construct, role: iam.IGrantable, account: str, region: str, repository: str
) -> None:
    arn = cdk.Stack.of(scope).format_arn(
        service="ecr",
        resource="repository",
        resource_name=repository,
        account=account,
        region=region,
    )
    iam.Grant.add_to_principal(grantee=role, actions=_PULL_ACTIONS, resource_arns=[arn])
    iam.Grant.add_to_principal(
        grantee=role, actions=["ecr:GetAuthorizationToken"], resource_arns=["*"]
    )
