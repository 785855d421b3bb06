"""What a Model's containers run: a model, many models, or a package of the registry.

Each *binds*: it resolves for a Model and lets its role read what it names, and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.catalog.variables import PRIVATE_PACKAGES
from sagemaker_serving.infra.model.image import ContainerImage, Host
from sagemaker_serving.infra.model.model_data import BoundModelData, ModelData
from sagemaker_serving.infra.roles.container_grants import grant_packages
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.container import PipelineContainer
from sagemaker_serving.spec.kinds import ModelPackage as ModelPackageSpec
from sagemaker_serving.spec.kinds import MultiModel

if TYPE_CHECKING:
    from sagemaker_serving.infra.model.model_archives import ModelArchives


@dataclass(frozen=True, kw_only=True)
class BoundContainer:
    """A container as SageMaker's CreateModel takes it, and what identifies its content.

    ``definition`` has AWS's names. ``grant`` is the role's leave to read its models: a Model
    waits for it.
    """

    definition: Mapping[str, Any]
    identity: Any
    grant: iam.Grant | None


class AnyContainer(ABC):
    """One container of a Model."""

    @property
    def requests_alone(self) -> bool | None:
        """Whether it is TensorFlow Serving without a script: of whole requests it takes one in a
        body, of whatever stands there. None: perhaps; nobody reads its archive."""
        return False

    @property
    def is_batching(self) -> bool:
        """Whether TensorFlow Serving joins requests in it, and refuses those that are larger."""
        return False

    @abstractmethod
    def bind(self, scope: Construct, host: Host) -> BoundContainer:
        """Resolves the container for ``scope``; grants the host's role what it needs."""


@dataclass(frozen=True, kw_only=True)
class Container(AnyContainer):
    """An image that serves one model; one that brings or fetches it by itself has no
    ``model_data``.

    ``environment`` has at most 100 variables. CA_REPOSITORY_ARN among them lets the role install
    packages from that CodeArtifact repository. ``hostname`` is what the logs and
    metrics of a pipeline call the container.
    """

    image: ContainerImage
    model_data: ModelData | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    hostname: str | None = None

    @property
    def requests_alone(self) -> bool | None:
        """Whether it is TensorFlow Serving without a script; None of an archive in S3."""
        if self.image.framework != "tensorflow" or self.model_data is None:
            return False
        has_script = self.model_data.has_script
        return None if has_script is None else not has_script

    @property
    def is_batching(self) -> bool:
        """Whether its variables turn batching on."""
        from sagemaker_serving.spec.batching import BATCHING_VARIABLES

        return self.environment.get(BATCHING_VARIABLES["enabled"], "").lower() == "true"

    def bind(self, scope: Construct, host: Host) -> BoundContainer:
        """The container, its image that of the host; the role may pull it and read the archive."""
        uri = self.image.bind(scope, host)
        data = None if self.model_data is None else self.model_data.bind(scope, host.role)
        variables = dict(self.environment)
        if variables.get(PRIVATE_PACKAGES):
            grant_packages(host.role, variables[PRIVATE_PACKAGES])
        return BoundContainer(
            definition={**_members(uri, variables, self.hostname), **_model_members(data)},
            identity=[
                uri,
                None if data is None else data.identity,
                variables,
                *_given(self.hostname),
            ],
            grant=None if data is None else data.grant,
        )


@dataclass(frozen=True, kw_only=True)
class MultiModelContainer(AnyContainer):
    """An image that loads any archive below a prefix, when a request names it.

    Archives come and go without a deploy, but for those of a `ModelArchives`,
    which are there before the Model is: SageMaker makes none over an empty
    prefix. ``model_cache_setting`` is "Enabled"
    or "Disabled": whether a model stays in memory after its request.
    ``safe_port_range`` is where TensorFlow Serving's processes listen, two ports for each model of
    90 % of the range; "" gives the image none.
    Source: SageMaker developer guide, "Create a multi-model endpoint", and
    botocore MultiModelConfig.
    """

    image: ContainerImage
    archives: S3Prefix | ModelArchives
    model_cache_setting: str = "Enabled"
    safe_port_range: str = "9000-9999"
    environment: Mapping[str, str] = field(default_factory=dict)

    def bind(self, scope: Construct, host: Host) -> BoundContainer:
        """The container; the role may pull its image, and list and read the archives."""
        uri = self.image.bind(scope, host)
        ports = {"SAGEMAKER_SAFE_PORT_RANGE": self.safe_port_range} if self.safe_port_range else {}
        variables = {**ports, **self.environment}
        place = self.archives if isinstance(self.archives, S3Prefix) else self.archives.place
        if not isinstance(self.archives, S3Prefix):
            scope.node.add_dependency(self.archives)
        url = f"{place.uri}/"
        grant = place.grant_read(host.role, of="Models of a multi-model endpoint")
        setting = self.model_cache_setting
        cache = {"model_cache_setting": None if setting == "Enabled" else setting}
        return BoundContainer(
            definition={
                **_members(uri, variables),
                **aws_values(MultiModel, {"s3_prefix": url, **cache}),
                "Mode": "MultiModel",
            },
            identity=[uri, url, variables, setting],
            grant=grant,
        )


@dataclass(frozen=True, kw_only=True)
class ModelPackage(AnyContainer):
    """A version of a model package in SageMaker's registry.

    ``name`` is its ARN. It names an archive and an image to SageMaker alone. ``model_data`` and
    ``image`` tell which the role may read. Leave them out where it may already, as for a product of
    the Marketplace.
    ``environment``, at most 100 variables, stands beside the package's own. That it counts where
    both name one is unverified on AWS.
    Source: botocore CreateModel, ContainerDefinition, and
    github.com/aws/sagemaker-python-sdk/pull/3581.
    """

    name: str
    model_data: ModelData | None = None
    image: ContainerImage | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def bind(self, scope: Construct, host: Host) -> BoundContainer:
        """The container; the role may read what the package is said to name."""
        data = None if self.model_data is None else self.model_data.bind(scope, host.role)
        if self.image is not None:
            self.image.bind(scope, host)
        variables = dict(self.environment)
        return BoundContainer(
            definition={
                **aws_values(ModelPackageSpec, {"name": self.name}),
                **aws_values(PipelineContainer, {"environment": variables}),
            },
            identity=[self.name, *([variables] if variables else [])],
            grant=None if data is None else data.grant,
        )


def _members(
    image: str, variables: Mapping[str, str], hostname: str | None = None
) -> dict[str, Any]:
    """What the fields of an environment file say of any container. Variables are told where there
    are none, too: a Model that lost them would be replaced."""
    said = {"image_uri": image, "container_hostname": hostname}
    return {**aws_values(PipelineContainer, said), "Environment": variables}


def _model_members(data: BoundModelData | None) -> dict[str, Any]:
    """What names the model in a container's definition; nothing without one."""
    if data is None:
        return {}
    if not data.is_prefix:
        return {"ModelDataUrl": data.url}
    files = {"S3Uri": data.url, "S3DataType": "S3Prefix", "CompressionType": "None"}
    return {"ModelDataSource": {"S3DataSource": files}}


def _given(value: str | None) -> list[str]:
    return [] if value is None else [value]
