"""What is known of an endpoint's model, from its image and from its archive."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from sagemaker_serving.archive import (
    ArchiveContents,
    ModelVersion,
    Signature,
    Sources,
    contents_of,
    read_stream,
)
from sagemaker_serving.archive.contents import is_version
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.options import Model
from sagemaker_serving.client.payload import ModelFacts
from sagemaker_serving.client.payload.images import Accepted
from sagemaker_serving.s3_address import is_s3


def model_facts(accepted: Accepted, told: Model, aws: Aws) -> ModelFacts:
    """``accepted`` with what the model's artifact holds.

    An archive in S3 is streamed to its end. Raises `Mistake` when there is
    nothing to read there.
    """
    facts = ModelFacts(accepted=accepted)
    if told.artifact is None:
        return facts
    contents = _contents(told.artifact, aws)
    return replace(
        facts, signature=signature_of(contents, told.name), has_script=contents.script is not None
    )


def signature_of(contents: ArchiveContents, model_name: str | None) -> Signature | None:
    """The signature that requests meet: ``serving_default`` of the model's highest version.

    None without such a signature, and when there are several models of which
    none is named.
    """
    named = [found for found in contents.models if model_name in (None, found.model)]
    if len({found.model for found in named}) != 1:
        return None
    newest = max(named, key=lambda found: found.version)
    for path, saved_model in contents.saved_models.items():
        folder = PurePosixPath(path).parent
        if saved_model is None or not is_version(folder.name):
            continue
        version = ModelVersion(model=folder.parent.name or "model", version=int(folder.name))
        if version == newest:
            return saved_model.signatures.get("serving_default")
    return None


def _contents(artifact: str | Sources, aws: Aws) -> ArchiveContents:
    if not isinstance(artifact, str):
        return contents_of(artifact)
    if is_s3(artifact):
        with open_object(aws, artifact) as stream:
            return read_stream(stream, artifact)
    return contents_of(Path(artifact))
