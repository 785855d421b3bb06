"""What one container runs: a model and the image that serves it."""

from __future__ import annotations

from pydantic import Field

from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.batching import Batching, Server, batching_variables, server_variables
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.s3 import is_s3


class S3Artifact(Spec):
    """An archive that is in S3 already."""

    s3: str
    """``s3://bucket/key.tar.gz``, or S3's own ``https://`` address of it, in the environment's
    region."""

    sha256: str | None = None
    """The object's sha256 in hexadecimal: a changed one replaces the Model."""

    version_id: str | None = None
    """The object's S3 version id: a changed one replaces the Model. SageMaker reads the newest
    version all the same: no API of it takes a version."""


def in_s3(artifact: str | S3Artifact | None) -> S3Artifact | None:
    """The archive in S3 that ``artifact`` names; None for one on this machine, and for none."""
    if isinstance(artifact, str):
        return S3Artifact(s3=artifact) if is_s3(artifact) else None
    return artifact


class Container(Spec):
    """What one container runs: a model may state it, what stands in the model may override it."""

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

    compile: Compilation | None = None
    """How SageMaker Neo compiles the model before it is served; left out: not at all."""

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


class PipelineContainer(Container):
    """One container of a serial pipeline: its answer is the next one's request."""

    container_hostname: str | None = None
    """What logs and metrics call it, at most 63 letters, digits and hyphens; left out:
    SageMaker numbers the containers."""
