"""An environment file: what is deployed where."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.batching import Batching, Server, batching_variables, server_variables
from sagemaker_serving.spec.overlay import overlay


class Environment(Spec):
    """One environment: a region, perhaps an account, and the models that live there."""

    name: str
    """Short name ("prod"); the stage's name and the first part of every endpoint's name."""

    region: str
    """The AWS region that everything is deployed to."""

    account: str | None = None
    """The AWS account, 12 digits; left out: whichever account is deployed to."""

    production: bool = False
    """Whether losing data would hurt: then buckets and keys outlive the stack."""

    tags: dict[str, str] = Field(default_factory=dict)
    """Tags on every resource."""

    accept_retired: list[Literal["elastic-inference"]] = Field(default_factory=list)
    """What AWS has ended and is rendered all the same, with a warning."""

    storage: Storage = Field(default_factory=lambda: Storage())
    """The bucket for batch inputs and outputs."""

    network: Network | None = None
    """Where in a VPC the models stand; left out: in SageMaker's own."""

    models: dict[str, Model]
    """The models by name; each becomes one stack and the endpoint ``<environment>-<model>``."""

    def endpoint_name(self, model: str) -> str:
        """The stable name of the endpoint of ``model``."""
        return f"{self.name}-{model}"


class Storage(Spec):
    """The storage stack: one bucket, encrypted."""

    kms: bool = False
    """Encrypt with a KMS key of one's own, rotated yearly; otherwise with S3's key. It encrypts
    the endpoints' volumes too, but for instance types with local NVMe storage, which encrypt
    themselves and take no key."""


class Network(Spec):
    """Subnets and security groups of one VPC, for every model of the environment."""

    subnet_ids: list[str]
    """1 to 16 subnets; S3 must be reachable from them, by a gateway endpoint for example."""

    security_group_ids: list[str]
    """1 to 5 security groups."""


class S3Artifact(Spec):
    """An archive that is in S3 already."""

    s3: str
    """``s3://bucket/key.tar.gz``, in the environment's region."""

    sha256: str | None = None
    """The object's sha256 in hexadecimal: a changed one replaces the Model."""

    version_id: str | None = None
    """The object's S3 version id: a changed one replaces the Model."""


class Container(Spec):
    """What one container runs: a model may state it, a variant may override it."""

    artifact: str | S3Artifact | None = None
    """The model: a folder, a ``.tar.gz``, a frozen graph or a Keras file (paths are relative to
    the environment file), or an object in S3 (with sha256 or version_id, so that changed content
    is deployed)."""

    framework: str | None = None
    """The framework whose image AWS publishes; needed unless image_uri is given."""

    framework_version: str | None = None
    """The image's version, in quotes: "2.19"."""

    image_uri: str | None = None
    """One's own image in ECR instead of the catalog's."""

    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the container, beside those of ``batching`` and ``server``."""

    batching: Batching | None = None
    """Server-side batching; left out: off."""

    server: Server | None = None
    """Settings of the serving container."""

    network_isolation: bool = False
    """Whether the container can call nobody at all; ``code/requirements.txt`` cannot be installed
    then, so its packages belong in ``code/lib``."""

    @property
    def variables(self) -> dict[str, str]:
        """Every environment variable of the container, the typed ones first."""
        return {
            **batching_variables(self.batching),
            **server_variables(self.server),
            **self.environment,
        }


class Variant(Container):
    """A production variant: instances of one type behind the endpoint."""

    name: str
    """The variant's name."""

    instance_type: str
    """An instance type that endpoints take, such as ``ml.c5.xlarge`` or ``ml.g4dn.xlarge``."""

    initial_instance_count: int = 1
    """Instances to start with, at least 1."""

    weight: float = 1.0
    """Share of the traffic, relative to the other variants' weights; 0 gets none."""

    accelerator_type: str | None = None
    """An Elastic Inference accelerator such as ``ml.eia2.medium``: AWS has ended it, so it needs
    ``accept_retired: [elastic-inference]``, and AWS refuses what is rendered then."""

    volume_size_in_gb: int | None = None
    """Size of the storage volume, 1 to 512; not for types with local NVMe storage."""

    model_data_download_timeout_in_seconds: int | None = None
    """How long fetching and unpacking the archive may take, 60 to 3600."""

    container_startup_health_check_timeout_in_seconds: int | None = None
    """How long the container may take until ``/ping`` answers, 60 to 3600."""


class BatchTransform(Spec):
    """The batch pipeline: a state machine that runs SageMaker transform jobs."""

    instance_type: str
    """An instance type that transform jobs take, such as ``ml.m5.xlarge``."""

    instance_count: int = 1
    """Instances of each job, at least 1."""

    content_type: str | None = None
    """The MIME type of the input, such as ``application/jsonlines``."""

    accept: str | None = None
    """The MIME type wanted of the output."""

    split_type: Literal["None", "Line", "RecordIO", "TFRecord"] = "None"
    """How an input object is cut into records; "None": the whole object is one request."""

    batch_strategy: Literal["MultiRecord", "SingleRecord"] | None = None
    """Whether a request carries one record or as many as fit max_payload_in_mb; only with a
    split_type (SageMaker's default: MultiRecord)."""

    assemble_with: Literal["None", "Line"] = "None"
    """How the records' answers are joined into the output object."""

    max_payload_in_mb: int | None = Field(default=None, json_schema_extra={"default": 6})
    """Largest request in MB, 0 to 100 (default 6; 0: chunked)."""

    max_concurrent_transforms: int | None = None
    """Requests sent at once to each instance (default: the container's choice, else 1);
    times max_payload_in_mb at most 100."""

    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the job beside the model's own, at most 16."""


class Model(Container):
    """A model: one stack with its endpoint and, if asked for, its batch pipeline."""

    variants: list[Variant] = Field(default_factory=list)
    """The endpoint's production variants, 1 to 10; without any there is no endpoint."""

    batch_transform: BatchTransform | None = None
    """The batch pipeline; left out: none."""

    def container(self, variant: Variant | None = None) -> Container:
        """What a variant runs: the model's own fields with the variant's laid over them.

        Mappings (``environment``, ``batching``, ``server``) join field by field.
        """
        wanted = set(Container.model_fields)
        below = self.model_dump(include=wanted, exclude_unset=True)
        above = (
            variant.model_dump(include=wanted, exclude_unset=True) if variant is not None else {}
        )
        return Container.model_validate(overlay(below, above))


Environment.model_rebuild()
