"""Rules on the model: given, deployable, and not too large for its instance."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.s3_location import S3Location
from sagemaker_serving.catalog.model_ids import frameworks_of_image
from sagemaker_serving.rules.artifact.locations import BUCKET, artifact_location, is_prefix
from sagemaker_serving.rules.container.model_ids import MODEL_IDS, fetched, model_id_variables_of
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts, TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.s3_address import is_s3

_NO_LINKS = "AWS SageMaker developer guide, model artifacts for inference"


@rule(source=MODEL_IDS, example="a model without artifact:")
def artifact_given(facts: ArtifactFacts) -> Iterator[Finding]:
    """Every container has a model: its artifact, or what its variables name.

    The server would start and find nothing to serve. An image of one's own may hold its model
    itself; of AWS's images some fetch the one that a variable such as ``HF_MODEL_ID`` names.
    """
    container = facts.container
    if facts.artifact.value is not None:
        return
    variables = model_id_variables_of(container)
    fetches = variables == () or any(fetched(container))
    own = container.image_uri.given and not frameworks_of_image(container.image_uri.text or "")
    if facts.compiled or not (fetches or own):
        named = f", or the model's id as {' or '.join(variables)}" if variables else ""
        yield facts.artifact.finding(
            "artifact is missing; give the model's folder, its .tar.gz, or {s3: s3://…, sha256: "
            f"…}}{named}"
        )


@rule(source="this project", example="artifact: [digits, s3://bucket/c.tar.gz]")
def artifact_sources(facts: ArtifactFacts) -> Iterator[Finding]:
    """What is packed into one archive is on this machine.

    What lies in S3 is deployed from there, and nothing is put into it.
    """
    for source in facts.container.sources.items():
        if is_s3(source.text or ""):
            yield source.finding(
                f"{source.text!r} is in S3, and a list is packed here; fetch it and name its "
                "folder, or write it alone as artifact"
            )


@rule(source=_NO_LINKS, example="`tar` of a folder with links, without -h")
def artifact_links(facts: ArtifactFacts) -> Iterator[Finding]:
    """An archive holds files and folders, no links.

    SageMaker unpacks no links; what they point to is missing in the container.
    """
    if facts.contents is not None and facts.contents.links:
        link = facts.contents.links[0]
        yield facts.says(
            f"{link} is a link, which SageMaker does not unpack; give the folder instead of the "
            "archive (links in it are followed), or pack with `tar -h --hard-dereference`"
        )


_SERVERLESS_GB = 5
"""The disk of a serverless endpoint (SageMaker developer guide, serverless endpoints)."""


@rule(source="moto's EC2 instance types", example="5 GB on 4 GiB")
def artifact_memory(facts: ArtifactFacts) -> Iterator[Finding]:
    """The model, unpacked, fits into the memory of the instance, or of the serverless variant.

    The container is killed while it loads, and only a failed health check shows it.
    """
    kind, memory = known(facts.container.instance_type), facts.memory_size
    if facts.contents and memory.number and facts.contents.size > int(memory.number) << 20:
        yield memory.says(
            f"is {memory.value}; the model has {_gigabytes(facts.contents.size)} unpacked; use "
            "more, of at most 6144, or put the variant on instances"
        )
    if facts.contents is None or kind is None or kind.memory_mib is None:
        return
    if facts.contents.size > kind.memory_mib << 20:
        yield facts.container.instance_type.finding(
            f"instance_type is {kind.name!r} with {kind.memory_mib / 1024:.0f} GiB of memory; the "
            f"model has {_gigabytes(facts.contents.size)} unpacked; use a larger type"
        )


@rule(
    source="botocore ProductionVariant.VolumeSizeInGB, moto's EC2 table; SageMaker developer "
    "guide, serverless endpoints; aws/sagemaker-python-sdk#4665",
    example="a model of 6 GB with volume_size_in_gb: 5",
)
def artifact_disk(facts: ArtifactFacts) -> Iterator[Finding]:
    """The archive and its unpacked files fit onto the disk.

    Judged where the size is known: a given volume size, the type's own NVMe disk, or the 5 GB of a
    serverless endpoint, which its requirements are installed on, too.
    """
    contents = facts.contents
    kind = known(facts.container.instance_type)
    if contents is not None and facts.memory_size.given:
        needed = contents.size + (contents.packed_size or 0)
        if needed > _SERVERLESS_GB * 1_000_000_000:
            yield facts.memory_size.finding(
                f"a serverless endpoint has {_SERVERLESS_GB} GB of disk, whatever its memory; the "
                f"archive and the unpacked model need {_gigabytes(needed)}; put the variant on "
                "instances"
            )
    if contents is None or kind is None:
        return
    given = facts.volume_size.number
    gigabytes = kind.nvme_gb or given
    needed = contents.size + (contents.packed_size or 0)
    if gigabytes and needed > gigabytes * 1_000_000_000:
        yield (facts.container.instance_type if kind.nvme_gb else facts.volume_size).finding(
            f"the disk of {kind.name!r} has {gigabytes} GB; the archive and the unpacked model "
            f"need {_gigabytes(needed)}; use a larger {'type' if kind.nvme_gb else 'volume'}"
        )


@rule(
    refused=True,
    source="botocore ContainerDefinition.ModelDataSource",
    example="artifact: s3://bucket/model/   # beside batch_transform",
)
def artifact_packed(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """Serverless endpoints and transform jobs have their model in an archive.

    SageMaker takes a model that is not packed for endpoints on instances alone.
    """
    what = "a transform job" if isinstance(host, TransformFacts) else "a serverless endpoint"
    packed = isinstance(host, TransformFacts) or host.is_serverless
    for container in host.containers if packed else ():
        uri = container.data_source.get("S3Uri")
        if container.is_sent_uncompressed:
            yield uri.finding(
                f"the files of {container.artifact.text!r} are not packed; {what} takes an archive "
                "alone; remove uncompressed"
            )
        elif uri.text is not None:
            yield uri.says(
                f"is {uri.text!r}, whose files are not packed; {what} takes an archive alone; pack "
                "them with `sagemaker-serving package`"
            )


@warning(
    source="AWS CloudFormation, update behaviour", example="artifact: s3://bucket/model.tar.gz"
)
def artifact_pinned(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model in S3 comes with its sha256 or version id, or changed content is not deployed.

    CloudFormation compares the address, not what lies there.
    """
    uri = artifact_location(facts.container).uri.text or ""
    found = S3Location.find(uri)
    if not found or not BUCKET.fullmatch(found.bucket):
        return  # what is no address is named already
    if not (found.key.endswith(".tar.gz") or is_prefix(found)):
        return
    marks = facts.artifact.value if isinstance(facts.artifact.value, dict) else {}
    if uri.endswith("/") and marks.get("sha256") is None:
        yield facts.artifact.finding(
            f"artifact is {uri!r} without sha256; when an object below it changes, nothing is "
            f"deployed; give changed content a prefix of its own, and write {{s3: {uri}, sha256: "
            "<that of a list of its objects>}"
        )
    elif marks.get("sha256") is None and marks.get("version_id") is None:
        yield facts.artifact.finding(
            f"artifact is {uri!r} without sha256 or version_id; when the object changes, nothing "
            f"is deployed; write {{s3: {uri}, sha256: <its sha256>}}"
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
