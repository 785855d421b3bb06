"""What one container runs: a model and the image that serves it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.batching import Batching, Server, batching_variables, server_variables
from sagemaker_serving.spec.compilation import Compilation


def _must_be_key(arn: str) -> str:
    if not re.fullmatch(r"arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]+", arn):
        raise PydanticCustomError(
            "kms_key",
            "a policy takes a key by its ARN alone; write arn:aws:kms:<region>:<account>:key/<id>",
        )
    return arn


KeyArn = Annotated[str, AfterValidator(_must_be_key)]
"""The ARN of a KMS key, not an alias, which the Resource of a policy does not take.
Source: KMS developer guide, "Specifying KMS keys in IAM policy statements"."""


class S3Artifact(Spec):
    """A model that is in S3 already: an archive, or the files below a prefix."""

    s3: str
    """``s3://bucket/key.tar.gz``, or S3's own ``https://`` address of it, in the environment's
    region. With a slash at the end, ``s3://bucket/prefix/``, it is every object below, not packed:
    SageMaker puts them into ``/opt/ml/model`` as they are."""

    sha256: str | None = None
    """The object's sha256 in hexadecimal; of a prefix, that of a list of its objects. A change of
    it replaces the Model."""

    version_id: str | None = None
    """The object's S3 version id. A change of it replaces the Model. SageMaker always reads the
    newest version, because none of its APIs takes a version."""

    kms_key_arn: KeyArn | None = None
    """The customer managed key that encrypts the objects: the role may decrypt with it. The policy
    of another account's key has to allow that, too."""

    versions: str | None = None
    """The prefix below which this version and the others lie, ``s3://bucket/digits/``. Where
    versions are kept (production, ``update``, batches) the role may read all of them, so that
    ``rollback`` can start one. Without it the role may read this version alone, and former ones
    only until the endpoint has left them."""


class FolderArtifact(Spec):
    """A folder on this machine, and how its files are sent."""

    folder: str
    """The model's folder, relative to the environment file."""

    uncompressed: bool = False
    """Whether each file is uploaded by itself, so that SageMaker unpacks nothing when an instance
    starts. Only endpoints on instances take it. False packs one archive, as a bare path does."""


def _form(value: Any) -> str:
    if isinstance(value, list):
        return "list"
    if isinstance(value, Mapping):
        return "folder" if FolderArtifact.model_fields.keys() & value else "s3"
    if isinstance(value, FolderArtifact):
        return "folder"
    return "s3" if isinstance(value, S3Artifact) else "path"


def _archive_form(value: Any) -> str:
    form = _form(value)
    return form if form != "folder" else "s3"


_Sources = Annotated[list[str], Field(min_length=1)]

Archive = Annotated[
    Annotated[str, Tag("path")]
    | Annotated[S3Artifact, Tag("s3")]
    | Annotated[_Sources, Tag("list")],
    Discriminator(_archive_form),
]
"""An archive's place, or what it is packed of: a path, an address in S3, or several paths."""

Artifact = Annotated[
    Annotated[str, Tag("path")]
    | Annotated[S3Artifact, Tag("s3")]
    | Annotated[FolderArtifact, Tag("folder")]
    | Annotated[_Sources, Tag("list")],
    Discriminator(_form),
]
"""A model's place, as an `Archive`'s, or a folder with more words."""


def in_s3(artifact: Artifact | None) -> S3Artifact | None:
    """The archive in S3 that ``artifact`` names; None for one on this machine, and for none."""
    if isinstance(artifact, str):
        return S3Artifact(s3=artifact) if is_s3(artifact) else None
    return artifact if isinstance(artifact, S3Artifact) else None


def on_disk(artifact: Artifact | None) -> tuple[str, ...]:
    """What on this machine ``artifact`` names, each as ``package`` takes it; empty for one in S3,
    and for none."""
    if isinstance(artifact, FolderArtifact):
        return (artifact.folder,)
    if isinstance(artifact, list):
        return tuple(artifact)
    return (artifact,) if isinstance(artifact, str) and not is_s3(artifact) else ()


_FILES = tuple(
    f"ModelDataSource.S3DataSource.{name}" for name in ("S3Uri", "S3DataType", "CompressionType")
)


class Container(Spec):
    """What one container runs: a model may state it, what stands in the model may override it."""

    artifact: Annotated[Artifact | None, Aws("ModelDataUrl", *_FILES)] = None
    """The model: a folder, a ``.tar.gz``, a frozen graph, a Keras file, or an object in S3. Paths
    are relative to the environment file. A list packs several models, or a model and its code, into
    one archive: each is ``[NAME[/VERSION]=]PATH``, as ``sagemaker-serving package`` takes it.
    ``{folder: …, uncompressed: true}`` sends a large folder without packing it. Give an object its
    sha256 or version_id, so that changed content is deployed. Left out where your own image holds
    its model, or where a variable such as ``HF_MODEL_ID`` names one that AWS's image fetches."""

    framework: Annotated[str | None, Aws()] = None
    """The framework whose image AWS publishes; needed unless image_uri is given."""

    framework_version: Annotated[str | None, Aws()] = None
    """The image's version, in quotes: "2.20"."""

    image_uri: Annotated[str | None, Aws("Image")] = None
    """Your own image in ECR instead of the catalog's."""

    image_digest: Annotated[str | None, Aws()] = None
    """Pins the image: ``sha256:`` and 64 hexadecimal digits, instead of the tag that AWS moves to
    its patched images. Of the catalog's image, or of an image_uri without a tag."""

    environment: dict[str, str] = Field(default_factory=dict)
    """Environment variables of the container, beside those of ``batching`` and ``server``."""

    batching: Annotated[Batching | None, Aws()] = None
    """Server-side batching; left out: off."""

    server: Annotated[Server | None, Aws()] = None
    """Settings of the serving container."""

    compile: Annotated[Compilation | None, Aws()] = None
    """How SageMaker Neo compiles the model; left out: it is not compiled."""

    network_isolation: Annotated[bool, Aws()] = False
    """Whether the container has no network at all. ``code/requirements.txt`` cannot be installed
    then, so its packages belong in ``code/lib``."""

    @property
    def own_image(self) -> str | None:
        """Your own image's URI, with the digest if that is given; None for the catalog's."""
        if self.image_uri is None or self.image_digest is None:
            return self.image_uri
        return f"{self.image_uri}@{self.image_digest}"

    @property
    def variables(self) -> dict[str, str]:
        """Every environment variable of the container, the typed ones first."""
        return {
            **batching_variables(self.batching),
            **server_variables(self.server),
            **self.environment,
        }


class PipelineContainer(Container):
    """One container of a serial pipeline: its answer is the next one's request."""

    container_hostname: str | None = None
    """Its name in logs and metrics, at most 63 letters, digits and hyphens; left out: SageMaker
    numbers the containers."""
