"""Rules on the model as such: given, deployable, and not too big for its host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from local_aws.s3_location import S3Location
from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.s3 import is_s3

_NO_LINKS = "AWS SageMaker developer guide, model artifacts for inference; read 2026-11-21"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


@rule("artifact-given", source="this project", example="a model without artifact:")
def artifact_given(facts: ArtifactFacts) -> Iterator[Finding]:
    """Every container has a model.

    The server would start and find nothing to serve.
    """
    if facts.artifact.value is None:
        yield (
            facts.artifact.where,
            "artifact is missing; give the model's folder, its .tar.gz, or {s3: s3://…, sha256: …}",
        )


@rule("artifact-links", source=_NO_LINKS, example="`tar` of a folder with links, without -h")
def artifact_links(facts: ArtifactFacts) -> Iterator[Finding]:
    """An archive holds files and folders, no links.

    SageMaker unpacks no links; what they point to is missing in the container.
    """
    if facts.contents is not None and facts.contents.links:
        link = facts.contents.links[0]
        yield _says(
            facts,
            f"{link} is a link, which SageMaker does not unpack; give the folder instead of the "
            "archive (links in it are followed), or pack with `tar -h --hard-dereference`",
        )


@rule(
    "artifact-memory", source="moto's EC2 instance types, read 2026-11-21", example="5 GB on 4 GiB"
)
def artifact_memory(facts: ArtifactFacts) -> Iterator[Finding]:
    """The model, unpacked, fits into the instance's memory.

    The container is killed while it loads, with no word but a failed health check.
    """
    kind = known(facts.container.instance_type)
    if facts.contents is None or kind is None or kind.memory_mib is None:
        return
    if facts.contents.size > kind.memory_mib << 20:
        yield (
            facts.container.instance_type.where,
            f"instance_type is {kind.name!r} with {kind.memory_mib / 1024:.0f} GiB of memory; the "
            f"model has {_gigabytes(facts.contents.size)} unpacked; use a larger type",
        )


@rule(
    "artifact-disk",
    source="botocore ProductionVariant.VolumeSizeInGB, moto's EC2 table; read 2026-11-21",
    example="a model of 6 GB with volume_size_in_gb: 5",
)
def artifact_disk(facts: ArtifactFacts) -> Iterator[Finding]:
    """The archive and what is unpacked of it fit onto the instance's disk.

    Judged where the size is known: a given volume size, or the type's own NVMe disk.
    """
    contents = facts.contents
    kind = known(facts.container.instance_type)
    if contents is None or kind is None:
        return
    given = facts.volume_size.number
    gigabytes = kind.nvme_gb or given
    needed = contents.size + (contents.packed_size or 0)
    if gigabytes and needed > gigabytes * 1_000_000_000:
        yield (
            facts.container.instance_type.where if kind.nvme_gb else facts.volume_size.where,
            f"the disk of {kind.name!r} has {gigabytes} GB; the archive and the unpacked model "
            f"need {_gigabytes(needed)}; use a larger {'type' if kind.nvme_gb else 'volume'}",
        )


@rule(
    "artifact-s3-uri",
    source="botocore ContainerDefinition.ModelDataUrl, read 2026-11-21",
    example="artifact: {s3: s3://bucket/model.zip}",
)
def artifact_s3_uri(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model in S3 is one ``.tar.gz`` object.

    SageMaker loads nothing else.
    """
    uri = _s3_uri(facts.artifact.value)
    found = S3Location.find(uri or "")
    fine = found and _BUCKET.fullmatch(found.bucket) and found.key.endswith(".tar.gz")
    if uri is not None and not fine:
        yield (
            facts.artifact.where,
            f"artifact is {uri!r}; SageMaker loads one archive: s3://<bucket>/<key>.tar.gz",
        )


@rule(
    "artifact-pinned",
    source="AWS CloudFormation, update behaviour; read 2026-11-21",
    severity=Severity.WARNING,
    example="artifact: s3://bucket/model.tar.gz",
)
def artifact_pinned(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model in S3 comes with its sha256 or version id, or changed content is not deployed.

    CloudFormation compares the address, not what lies there.
    """
    value = facts.artifact.value
    uri = _s3_uri(value)
    if uri is None:
        return
    marks = value if isinstance(value, dict) else {}
    if marks.get("sha256") is None and marks.get("version_id") is None:
        yield (
            facts.artifact.where,
            f"artifact is {uri!r} without sha256 or version_id; when the object changes, "
            f"nothing is deployed; write {{s3: {uri}, sha256: <its sha256>}}",
        )


def _says(facts: ArtifactFacts, sentence: str) -> Finding:
    return facts.artifact.where, f"artifact is {facts.artifact.text!r}; {sentence}"


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _s3_uri(value: Any) -> str | None:
    if isinstance(value, dict):
        return value["s3"] if isinstance(value.get("s3"), str) else None
    return value if isinstance(value, str) and is_s3(value) else None
