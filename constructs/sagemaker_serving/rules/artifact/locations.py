"""Rules on places in S3: an archive's form, and the region of its bucket."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.s3_location import S3Location
from sagemaker_serving.catalog.instances import regions
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts, Fact
from sagemaker_serving.rules.facts.resources import (
    CompilationFacts,
    LocationFacts,
    ModelDefinitionFacts,
)
from sagemaker_serving.s3_address import is_s3

_ENDS = ("S3Prefix", "S3Object")


@rule(
    source="botocore ContainerDefinition.ModelDataUrl, S3ModelDataSource; AWS SageMaker developer "
    "guide, Neo supported frameworks",
    example="ModelDataUrl: s3://bucket/model.zip",
    silent={
        "environment files": "text without s3:// is a path on this machine: artifact-readable",
        "constructs": "they make a prefix of a multi-model container's",
    },
    aliases=("artifact-s3-uri", "neo-archive"),
)
def model_data_form(
    facts: ModelDefinitionFacts | ArtifactFacts | CompilationFacts,
) -> Iterator[Finding]:
    """A model in S3 is one ``.tar.gz``, or what lies below a prefix: the archives of a multi-model
    container, and files that are not packed.

    SageMaker unpacks nothing else, and says so only when the endpoint's first instance has
    started. Neo's job fails with "Unable to untar input model" after it has waited in the queue.
    CDK's own assets end in ``.gz``, which passes as ModelDataUrl.
    """
    if isinstance(facts, CompilationFacts):
        yield from _one_archive(facts.model_uri)
    elif isinstance(facts, ArtifactFacts):
        written, uri = facts.artifact, artifact_location(facts.container).uri
        if isinstance(written.value, dict) or is_s3(uri.text or ""):
            packed = facts.compiled or facts.container.mode.given
            yield from _one_archive(uri, prefix=not packed)
        version = written.get("version_id")
        if version.given and (uri.text or "").endswith("/"):
            yield version.says(
                f"is {version.value!r} and {uri.text!r} is a prefix, which has no version; give "
                "the sha256 of a list of its objects instead"
            )
    else:
        for container in facts.containers:
            uri = container.artifact
            if not _is_data_url(uri):
                continue
            if uri.text is None:
                yield from _certain_end(container)
            elif not container.is_multi_model:
                yield from _one_archive(uri, ("",) if container.mode.unknown else (".gz", ".tgz"))
            elif S3Location.find(uri.text) is None or uri.text.endswith(".tar.gz"):
                yield uri.says(
                    f"is {uri.text!r} and the container is multi-model; it loads the archives "
                    "below a prefix; name the prefix, s3://<bucket>/<prefix>/"
                )


def _one_archive(
    uri: Fact, ends: tuple[str, ...] = (".tar.gz",), *, prefix: bool = False
) -> Iterator[Finding]:
    found = S3Location.find(uri.text or "")
    if uri.text is None or (found and (found.key.endswith(ends) or (prefix and is_prefix(found)))):
        return
    other = ", or what is below a prefix: s3://<bucket>/<prefix>/" if prefix else ""
    yield uri.says(
        f"is {uri.text!r}; SageMaker loads one archive: s3://<bucket>/<key>.tar.gz{other}"
    )


def is_prefix(place: S3Location) -> bool:
    """Whether ``place`` is a prefix of files that are not packed."""
    return len(place.key) > 1 and place.key.endswith("/") and not place.key.endswith(".tar.gz/")


@warning(
    source="AWS SageMaker API, ModelDataUrl: the bucket's region",
    example="artifact: s3://sagemaker-us-east-1-111122223333/k.tar.gz   # in eu-west-1",
)
def location_region(facts: LocationFacts) -> Iterator[Finding]:
    """What a model or job reads and writes lies in its own region.

    An address in https may tell the bucket's region, s3:// doesn't; many names carry it, such as
    those of the SDK's and of CDK's own buckets. So this warns.
    """
    uri, region = facts.uri.text, facts.region.text
    found = S3Location.find(uri or "")
    if found is None or region not in regions():
        return
    told = [] if found.region is None else [found.region]
    stands = r"(^|[^a-z0-9]){}($|[^0-9])"
    named = told or [one for one in regions() if re.search(stands.format(one), found.bucket)]
    if named and region not in named:
        yield facts.uri.says(
            f"is {uri!r}, whose bucket seems to lie in {named[0]}; SageMaker in {region} reads "
            f"only from {region}; copy it there"
        )


@warning(
    source="S3 user guide, general purpose bucket naming rules",
    example="ModelDataUrl: s3://My_Models/model.tar.gz",
)
def location_bucket(facts: LocationFacts) -> Iterator[Finding]:
    """A bucket's name has 3 to 63 small letters, digits, dots and hyphens.

    Only buckets of us-east-1 that were made before March 2018 may have capitals, underscores and up
    to 255 characters. So this warns.
    """
    yield from _names(facts, known=True)


@rule(
    source="S3 user guide, general purpose bucket naming rules",
    example="ModelDataUrl: s3://my..models/model.tar.gz",
)
def location_no_bucket(facts: LocationFacts) -> Iterator[Finding]:
    """A bucket's name has 3 characters or more, dots between letters and digits alone, and is no IP
    address.

    No bucket of any age has another name, and the CDK takes none.
    """
    yield from _names(facts, known=False)


def _names(facts: LocationFacts, *, known: bool) -> Iterator[Finding]:
    """What no bucket is named today; ``known`` is whether a former one may be, or a colon tells
    that it is an ARN, and no bucket's name. The CDK knows neither an ARN nor over 63 characters."""
    uri, found = facts.uri, S3Location.find(facts.uri.text or "")
    if found is None or BUCKET.fullmatch(found.bucket):
        return
    by_cdk = facts.key.given or (uri.name in _OF_FILES and found.key.endswith("/"))
    former = _FORMER_BUCKET.fullmatch(found.bucket) or ":" in found.bucket
    refused = by_cdk and (":" in found.bucket or len(found.bucket) > 63)
    if known is bool(former and not refused):
        yield uri.says(
            f"is {uri.text!r}; no bucket can be named {found.bucket!r}: names have 3 to 63 "
            "lower-case letters, digits and hyphens, dots between letters and digits alone, and "
            "are no IP address"
        )


@rule(
    source="S3 user guide, Specifying server-side encryption with AWS KMS",
    example="artifact: {s3: s3://mine/m.tar.gz, kms_key_arn: arn:aws:kms:us-east-1:…}",
)
def location_key(facts: LocationFacts) -> Iterator[Finding]:
    """The key of what lies in S3 is of the region from which SageMaker reads.

    A bucket's key is of the bucket's region, and SageMaker reads from its own.
    """
    region = facts.region.text
    _, _, _, told, *_ = (*(facts.key.text or "").split(":"), "", "", "", "")
    if told in regions() and region in regions() and told != region:
        yield facts.key.says(
            f"is of {told}; a key encrypts in its own region alone, and SageMaker in {region} "
            f"reads from {region}; write the key of the bucket there"
        )


@rule(
    source="this project",
    example="artifact: {s3: s3://mine/digits/7.tar.gz, versions: s3://mine/other/}",
)
def artifact_versions(facts: ArtifactFacts) -> Iterator[Finding]:
    """The prefix of a model's versions ends with a slash, and this version lies below it.

    Another would let the role read something else, and not the version that it has left.
    """
    versions = facts.artifact.get("versions")
    uri = artifact_location(facts.container).uri.text or ""
    place, below = S3Location.find(uri), S3Location.find(versions.text or "")
    if versions.text is None or place is None:
        return
    if below is None or not below.key.strip("/") or not versions.text.endswith("/"):
        yield versions.says(f"is {versions.text!r}; it must be a prefix, s3://<bucket>/<prefix>/")
    elif place.bucket != below.bucket or not place.key.startswith(below.key):
        yield versions.says(
            f"is {versions.text!r}, and {uri!r} does not lie below it; name a prefix that all "
            "versions of this model share"
        )


_OF_FILES = ("artifact", "s3", "s3_prefix")
_DOTS = r"(?!.*([.][.-]|-[.]))(?![0-9]+([.][0-9]+){3}$)"
BUCKET = re.compile(rf"{_DOTS}[a-z0-9][a-z0-9.-]{{1,61}}[a-z0-9]")
_FORMER_BUCKET = re.compile(rf"{_DOTS}[A-Za-z0-9][A-Za-z0-9._-]{{1,253}}[A-Za-z0-9]")


def artifact_location(container: ContainerFacts) -> LocationFacts:
    """The model's archive, as a place in S3: its text, or the ``s3`` of its mapping."""
    artifact = container.artifact
    uri = artifact.get("s3") if isinstance(artifact.value, dict) else artifact
    return LocationFacts(uri=uri, region=container.region, key=artifact.get("kms_key_arn"))


def _certain_end(container: ContainerFacts) -> Iterator[Finding]:
    """What is wrong with the end of an address whose middle is not known."""
    uri = container.artifact
    end = uri.pieces[-1] if len(uri.pieces) > 1 else None
    single = not container.mode.given or container.mode.text == "SingleModel"
    whole = end is not None and ("/" in end or "." in end)
    if end is not None and whole and single and not end.endswith((".gz", ".tgz")):
        yield uri.says(f"is {uri.shown!r}; SageMaker loads one archive: s3://<bucket>/<key>.tar.gz")


@rule(
    source="botocore ContainerDefinition.ModelDataSource, S3ModelDataSource",
    refused=True,
    example="S3DataSource: {S3Uri: s3://bucket/model, S3DataType: S3Prefix, CompressionType: None}",
    silent={"environment files": "they have one field for both, which model-data-form judges"},
)
def model_data_source(model: ModelDefinitionFacts) -> Iterator[Finding]:
    """Files that are not packed are named by ModelDataSource: an object, or a prefix.

    A prefix ends with a slash. A container has that or ModelDataUrl, which a multi-model one has.
    """
    for container in model.containers:
        members = ("S3Uri", "S3DataType", "CompressionType")
        uri, kind, packing = map(container.data_source.get, members)
        if uri.text is None:
            continue
        if _is_data_url(container.artifact) and container.artifact.given:
            yield container.artifact.says(
                "stands beside ModelDataSource; a container takes one of them; remove the other"
            )
        ends = kind.text == "S3Prefix"
        if container.is_multi_model:
            yield uri.says(
                f"is {uri.text!r} and the container is multi-model; it loads the archives below a "
                "prefix; name that by ModelDataUrl"
            )
        elif S3Location.find(uri.text) is None:
            yield uri.says(f"is {uri.text!r}; it must be s3://<bucket>/<key>")
        elif kind.text in _ENDS and uri.text.endswith("/") is not ends:
            yield uri.says(
                f"is {uri.text!r} and S3DataType is {kind.text}; an S3Prefix ends with a slash, an "
                f"S3Object does not; {'add' if ends else 'remove'} it"
            )
        if ends and packing.text == "Gzip":
            yield packing.says(
                "is Gzip and S3DataType is S3Prefix, below which the files are not packed; use "
                "None, or S3Object for an archive"
            )


def _is_data_url(uri: Fact) -> bool:
    return uri.name in ("ModelDataUrl", "s3_prefix")
