"""Rules on folders whose files are sent as they are, and on those that better were."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive.cache import DEFAULT_BYTES
from sagemaker_serving.rules.engine import Finding, note, rule
from sagemaker_serving.rules.facts import ArtifactFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.s3_address import is_s3

_LONGEST = 1024 - 64 - 65
"""Bytes of a path in the folder; an endpoint's name and a sha256 stand before it in the key."""
_LARGEST = 10_000 * (5 << 30)


@rule(
    source="botocore S3ModelDataSource; Amazon S3 user guide, object-keys and UsingObjects",
    example="artifact: {folder: model.tar.gz, uncompressed: true}",
)
def artifact_uncompressed(facts: ArtifactFacts) -> Iterator[Finding]:
    """What is sent uncompressed is a folder whose files S3 and SageMaker can hold.

    An object's key has at most 1,024 bytes of UTF-8, 129 of which may stand before the path; an
    object has at most 10,000 parts of 5 GiB. SageMaker makes no file or folder with a
    blank name. Neo compiles archives alone.
    """
    where, contents = facts.artifact.where, facts.contents
    if not facts.container.is_sent_uncompressed:
        return
    told = f"folder is {facts.artifact.text!r}"
    if is_s3(facts.artifact.text or ""):
        yield where, f"{told}, which is in S3; write {{s3: {facts.artifact.text}}}"
    if facts.compiled:
        yield where, f"{told} and the model is compiled; Neo takes an archive; remove uncompressed"
    if contents is None:
        return
    if contents.packed_size is not None or contents.converted:
        yield where, f"{told}, which is one file; give a folder, or write artifact: <the file>"
        return
    for name, size in contents.files.items():
        if any(not part.strip() for part in name.split("/")):
            yield where, f"{told}; {name!r} in it has a blank name; give it another"
        if len(name.encode()) > _LONGEST:
            yield (
                where,
                f"{told}; {name!r} in it has {len(name.encode())} bytes; an object's key has room "
                f"for {_LONGEST}; shorten it",
            )
        if size > _LARGEST:
            yield (
                where,
                f"{told}; {name!r} in it has {size / 1e12:.1f} TB; an object in S3 has at most "
                f"{_LARGEST / 1e12:.1f} TB; split it",
            )


@note(
    source="SageMaker developer guide, large-model-inference-uncompressed",
    example="artifact: ../models/words   # a folder with 140 GB",
)
def artifact_large(facts: ArtifactFacts) -> Iterator[Finding]:
    """A folder of more than 10 GiB for an endpoint on instances is sent uncompressed.

    AWS recommends it for large models, and gives no size. This one is the cache's: a larger archive
    is not kept, so it is packed again at each synth. Each instance unpacks it as it starts.
    """
    contents, container = facts.contents, facts.container
    if contents is None or contents.packed_size is not None or contents.converted:
        return
    archive_only = facts.compiled or container.mode.given or container.sources.given
    archive_only = archive_only or not known(container.instance_type)
    if contents.size > DEFAULT_BYTES and not (container.is_sent_uncompressed or archive_only):
        yield facts.artifact.finding(
            f"artifact is {facts.artifact.text!r} with {contents.size / 1e9:.1f} GB, which each "
            "synth packs and each instance unpacks; an endpoint on instances takes the files as "
            f"they are: {{folder: {facts.artifact.text}, uncompressed: true}}"
        )
