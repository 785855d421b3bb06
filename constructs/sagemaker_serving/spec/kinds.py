"""The kinds of endpoint beside the plain one: asynchronous, multi-model, from the registry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.container import Archive, KeyArn


class QueuedRequests(Spec):
    """How requests are taken that wait in a queue, wherever they and their answers lie."""

    include_inference_response_in: Annotated[
        list[Literal["SUCCESS_NOTIFICATION_TOPIC", "ERROR_NOTIFICATION_TOPIC"]],
        Aws("OutputConfig.NotificationConfig."),
    ] = Field(default_factory=list)
    """The topics whose messages contain the answer itself, if it has at most 128 KB."""

    max_concurrent_invocations_per_instance: Annotated[int | None, Aws("ClientConfig.")] = None
    """Requests that each instance takes at the same time, 1 to 1000; left out: SageMaker's
    choice."""


class Asynchronous(QueuedRequests):
    """Requests wait in a queue, inputs and answers lie in S3: up to 1 GB and an hour each.

    Inputs are read below ``<model>/async/input/`` of the environment's bucket, answers are
    written below ``<model>/async/output/``, the reasons of failures below
    ``<model>/async/failure/``.
    """

    success_topic: Annotated[str | None, Aws("OutputConfig.NotificationConfig.")] = None
    """The ARN of an SNS topic that gets a message for every answer, or ``new``: a topic is made in
    the model's stack."""

    error_topic: Annotated[str | None, Aws("OutputConfig.NotificationConfig.")] = None
    """The ARN of an SNS topic that gets a message for every failure, or ``new``: a topic is made in
    the model's stack."""


class MultiModel(Spec):
    """One container that loads many models, each when the first request names it.

    A request names an archive below the prefix as its TargetModel. You may add and remove archives
    without a deploy.
    """

    s3_prefix: Annotated[str | None, Aws("ModelDataUrl")] = None
    """Where the archives are, ``s3://bucket/prefix/``, with at least one archive; left out:
    ``<model>/models/`` of the environment's bucket."""

    kms_key_arn: Annotated[KeyArn | None, Aws()] = None
    """The customer managed key that encrypts what is below ``s3_prefix``: the role may decrypt with
    it, and the function that copies ``archives`` may encrypt."""

    archives: Annotated[
        Annotated[dict[str, Archive], Tag("names")] | Annotated[list[str], Tag("list")],
        Discriminator(lambda value: "list" if isinstance(value, list) else "names"),
        Aws(),
    ] = Field(default_factory=dict)
    """Models that the deploy puts there, by their TargetModel without ``.tar.gz``; each is written
    like an ``artifact``. In a list each is called like its file or folder, or as ``NAME=PATH``
    says. A loaded model is not loaded again, so give new content a new name."""

    model_cache_setting: Annotated[Literal["Enabled", "Disabled"], Aws("MultiModelConfig.")] = (
        "Enabled"
    )
    """Whether a model stays in memory after its request; Disabled suits many models that are
    each called rarely."""

    safe_port_range: Annotated[str, Aws()] = "9000-9999"
    """The ports of TensorFlow Serving's processes, two for each model. 90 % of the range is used:
    the default suffices for 449 models at the same time."""

    @property
    def named_archives(self) -> Mapping[str, Archive]:
        """The ``archives`` by name, however they are written."""
        if isinstance(self.archives, dict):
            return self.archives
        return {archive_name(each): each for each in self.archives}


class ExistingEndpoint(Spec):
    """An existing endpoint, which a deploy moves to the file's variants, as ``update`` says.

    If the deploy rolls back, the endpoint goes back to its former config. The stack neither makes
    nor deletes it. Config, Models and role outlive the stack, because the endpoint still needs
    them.
    """

    existing: str
    """The endpoint's name, in the environment's account and region. It has to be InService."""


class ModelPackage(Spec):
    """A version of a model package in SageMaker's registry, instead of an archive and an image.

    Only SageMaker can read these from the package, so say here what the role is to read.
    """

    name: Annotated[str, Aws("ModelPackageName")]
    """The package version's ARN,
    ``arn:aws:sagemaker:<region>:<account>:model-package/<group>/<version>``."""

    model_data: Annotated[str | None, Aws()] = None
    """The archive that the package names, ``s3://bucket/key.tar.gz``: the role may read it."""

    kms_key_arn: Annotated[KeyArn | None, Aws()] = None
    """The key that encrypts ``model_data``: the role may decrypt with it. A package of another
    account always has one, whose policy has to allow the role, too. Source: developer guide,
    "Deploy a Model Version from a Different Account"."""

    image_uri: Annotated[str | None, Aws()] = None
    """The image in ECR that the package names: the role may pull it."""


def archive_name(source: str) -> str:
    """What a multi-model endpoint calls ``[NAME=]PATH``, or an address in S3; "" where that has
    no name, such as ``..``.

    A version's folder is called like the one that it lies in, as in an archive.
    """
    name = re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)(/[0-9]+)?=", source)
    if name is not None:
        return name[1]
    parts = [part for part in source.split("/") if part not in ("", ".")]
    while parts and (_VERSION.fullmatch(parts[-1]) or parts[-2:] == ["export", "Servo"]):
        parts = parts[: -1 if _VERSION.fullmatch(parts[-1]) else -2]
    return _FILE_ENDING.sub("", parts[-1]) if parts and parts[-1] != ".." else ""


_VERSION = re.compile(r"[0-9]+")
_FILE_ENDING = re.compile(r"\.(tar\.gz|tgz|keras|h5|pb|pth?|onnx)$")
