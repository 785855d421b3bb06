"""Which image a container runs; binding it grants the role this one repository."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.catalog import instances
from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.ecr import EcrImage, domain_suffix, parse_ecr_uri
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import is_token, partition, region_of

if TYPE_CHECKING:
    from aws_cdk import aws_ecr as ecr


@dataclass(frozen=True, kw_only=True)
class Host:
    """What a container will run on, and under whose name.

    ``instance_type`` is None for serverless; ``accelerator`` hangs on it.
    """

    role: iam.IRole
    instance_type: str | None
    accelerator: Accelerator | None = None


class ContainerImage(ABC):
    """An image in ECR: one that AWS publishes, or one's own."""

    @staticmethod
    def from_catalog(framework: str, version: str, *, digest: str | None = None) -> ContainerImage:
        """AWS's serving image of ``framework`` ``version`` for the stack's region.

        Which of them (CPU, GPU, arm64, Inferentia, Trainium) follows from the
        instance type it is bound for. ``digest`` ("sha256:…") pins it; whether it is that image's
        is not looked at. Raises `sagemaker_serving.catalog.images.UnknownImage`
        when bound, if there is none.
        """
        return _CatalogImage(framework, version, digest)

    @staticmethod
    def from_uri(uri: str) -> ContainerImage:
        """One's own image in ECR, of this or another account; the URI may be, or hold, a token.

        Raises `Mistake` for an image that is not in ECR: endpoints pull from nowhere else.
        """
        return _OwnImage(uri)

    @staticmethod
    def from_ecr_repository(repository: ecr.IRepository, tag: str = "latest") -> ContainerImage:
        """An image of a repository of the app's, by its tag, or its digest ("sha256:…").

        What is behind a tag is not looked at: name another for another image.
        """
        return _RepositoryImage(repository, tag)

    @property
    def framework(self) -> str | None:
        """The framework whose container AWS has put into it; None of an image of one's own."""
        return None

    @abstractmethod
    def bind(self, scope: Construct, host: Host) -> str:
        """The image's URI for ``host``, whose role may then pull it."""


def grant_pull_from(role: iam.IGrantable, repository_arn: str) -> None:
    """Lets ``role`` pull the images of a repository, whose ARN may have wildcards."""
    pull = ["BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer"]
    grant(role, [f"ecr:{action}" for action in pull], repository_arn)
    grant(role, ["ecr:GetAuthorizationToken"], "*")


@dataclass(frozen=True)
class _CatalogImage(ContainerImage):
    _framework: str
    _version: str
    _digest: str | None

    @property
    def framework(self) -> str:
        return self._framework

    def bind(self, scope: Construct, host: Host) -> str:
        region = region_of(scope)
        if is_token(region):
            raise Mistake(
                f"{scope.node.path}: the stack has no region, so its image cannot be known; "
                "give the stack env=Environment(region=…), or the image by from_uri"
            )
        if is_token(host.instance_type or ""):
            raise Mistake(
                f"{scope.node.path}: a deploy alone knows the instance type, so its image cannot "
                "be known; write the instance type, or give the image by from_uri"
            )
        image = image_for(
            None if host.instance_type is None else instances.instance_type(host.instance_type),
            framework=self._framework,
            version=self._version,
            region=region,
            accelerator=host.accelerator,
        )
        _grant_pull(host.role, image)
        return image.pinned(self._digest).uri


class _OwnImage(ContainerImage):
    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._image = parse_ecr_uri(uri)
        if self._image is None and not is_token(uri):
            raise Mistake(
                f"image_uri is {uri!r}; endpoints pull only from ECR: "
                "<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>; push the image there"
            )

    def bind(self, scope: Construct, host: Host) -> str:
        if self._image is None:
            suffix = domain_suffix(region_of(scope))
            grant_pull_from(host.role, _repository_arn(self._uri, suffix))
        else:
            _grant_pull(host.role, self._image)
        return self._uri


def _repository_arn(uri: str, domain_suffix: str) -> str:
    """The ARN by a URI that a deploy alone knows: ``account.dkr.ecr.region.suffix/repository``,
    and perhaps ``:tag`` or ``@digest``."""
    untagged = _part(0, "@", _part(0, ":", uri))
    account, region = (_part(number, ".", untagged) for number in (0, 3))
    repository = _part(1, f".{domain_suffix}/", untagged)
    return f"arn:{partition()}:ecr:{region}:{account}:repository/{repository}"


def _part(number: int, delimiter: str, text: str) -> str:
    return cdk.Fn.select(number, cdk.Fn.split(delimiter, text))


@dataclass(frozen=True)
class _RepositoryImage(ContainerImage):
    _repository: ecr.IRepository
    _tag: str

    def bind(self, scope: Construct, host: Host) -> str:
        grant_pull_from(host.role, self._repository.repository_arn)
        return self._repository.repository_uri_for_tag_or_digest(self._tag)


def _grant_pull(role: iam.IGrantable, image: EcrImage) -> None:
    registry = f"arn:{partition()}:ecr:{image.region}:{image.account}"
    grant_pull_from(role, f"{registry}:repository/{image.repository}")
