"""What the rules judge: plain values, possibly wrong, each with the place it came from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from local_aws.template import Unknown
from sagemaker_serving.archive import ArchiveContents, Script, UnreadableArtifact
from sagemaker_serving.archive.handlers import script_of
from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.model_ids import frameworks_of_image
from sagemaker_serving.errors import Where


class Entries(list[Any]):
    """A list of which entries may have been left out; ``places`` are the indexes of the others."""

    def __init__(self, entries: Iterable[Any], *, places: tuple[int, ...] | None = None) -> None:
        super().__init__(entries)
        self.places = places


class _HasPlace(Protocol):
    @property
    def where(self) -> Where: ...


class Placed:
    """What stands at a place, ``where``."""

    def finding(self: _HasPlace, message: str) -> tuple[Where, str]:
        """What a rule finds there."""
        return self.where, message


@dataclass(frozen=True)
class Fact(Placed):
    """One value, perhaps of a wrong type, None when absent, and where it stands.

    One that only a deploy knows, such as a parameter, is `Unknown` and passes unjudged.
    """

    value: Any
    where: Where

    def get(self, key: str) -> Fact:
        """The value under ``key``; absent when this is no mapping, unknown when it is."""
        if isinstance(self.value, dict):  # most are, and a Mapping takes longer to tell
            value = self.value.get(key)
        elif isinstance(self.value, Unknown):
            value = Unknown()
        else:
            value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return Fact(value, self.where / key)

    def at(self, path: str) -> Fact:
        """The value at names with dots between."""
        fact = self
        for name in path.split("."):
            fact = fact.get(name)
        return fact

    @property
    def name(self) -> str:
        """What the user calls it: the last key of its place."""
        return str(self.where.path[-1]) if self.where.path else ""

    def says(self, predicate: str) -> tuple[Where, str]:
        """What a rule finds of it by its name: "weight is 2; …"."""
        return self.finding(f"{self.name} {predicate}")

    @property
    def given(self) -> bool:
        """Whether it is there, known or not."""
        return self.value is not None

    @property
    def unknown(self) -> bool:
        """Whether only a deploy knows what it is."""
        return isinstance(self.value, Unknown)

    @property
    def scalar(self) -> str | None:
        """The text that it is, or that CloudFormation makes of a number or a truth value."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return str(self.value) if isinstance(self.value, str | int | float) else None

    @property
    def certain(self) -> bool:
        """Whether it is there, whatever a condition or an execution's data leaves out."""
        return self.given and not (isinstance(self.value, Unknown) and self.value.may_be_absent)

    @property
    def size(self) -> int | None:
        """How many entries a list or mapping has, None when an unknown one leaves that open."""
        if isinstance(self.value, Mapping):
            return len(self.value)
        if not isinstance(self.value, list):
            return None
        return None if any(isinstance(entry, Unknown) for entry in self.value) else len(self.value)

    @property
    def flag(self) -> bool | None:
        """The truth value, as itself or spelt in text as CloudFormation takes it."""
        if isinstance(self.value, bool):
            return self.value
        return {"true": True, "false": False}.get(str(self.value).lower())

    def entries(self) -> Iterator[tuple[str, Fact]]:
        """Keys and values of a mapping; nothing otherwise."""
        if isinstance(self.value, Mapping):
            for key in self.value:
                yield str(key), Fact(self.value[key], self.where / str(key))

    def inside(self, path: Iterable[str | int]) -> Fact:
        """The value at a path, whose indexes count the entries that are there."""
        fact = self
        for key in path:
            entry = list(fact.items())[key : key + 1] if isinstance(key, int) else []
            fact = entry[0] if entry else fact.get(str(key))
        return fact

    def or_else(self, other: Fact) -> Fact:
        """This, or ``other`` where it is absent."""
        return self if self.given else other

    def each(self) -> Iterator[Fact]:
        """The entries of what may be a list, or one alone."""
        return self.items() if isinstance(self.value, list) else iter([self])

    def items(self) -> Iterator[Fact]:
        """Entries of a list; nothing otherwise."""
        if isinstance(self.value, list):
            places = getattr(self.value, "places", None)
            for index, value in zip(places or count(), self.value, strict=False):
                yield Fact(value, self.where / index)

    @property
    def text(self) -> str | None:
        """The value if it is text."""
        return self.value if isinstance(self.value, str) else None

    @property
    def document(self) -> Any:
        """What its text is in JSON; None for what is none."""
        try:
            return json.loads(self.text or "")
        except (ValueError, RecursionError):
            return None

    @property
    def pieces(self) -> tuple[str | None, ...]:
        """What is known of a text in order, None for each part that is not; () for no text."""
        if isinstance(self.value, Unknown):
            return tuple(part if isinstance(part, str) else None for part in self.value.pieces)
        return (self.value,) if isinstance(self.value, str) else ()

    @property
    def shown(self) -> str:
        """The text with … for what is not known."""
        return "".join("…" if part is None else part for part in self.pieces)

    @property
    def number(self) -> int | float | None:
        """The value if it is a number with an end; truth values, NaN and infinity are none."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        return self.value if isinstance(self.value, int) or math.isfinite(self.value) else None


ABSENT = Fact(None, Where())
"""What was not said, and has no place of its own."""


@dataclass(frozen=True)
class Member:
    """What facts say at ``path`` of their ``members``, as an attribute."""

    path: str

    def __get__(self, facts: Any, _: object = None) -> Fact:
        found: Fact = facts.members.at(self.path)
        return found


@dataclass(frozen=True)
class MemberFacts(Placed):
    """What is said in ``members``, by AWS's names or the file's; a `Member` is an attribute."""

    members: Fact

    @property
    def where(self) -> Where:
        """Where it stands."""
        return self.members.where


@dataclass(frozen=True, kw_only=True)
class EnvironmentFacts(MemberFacts):
    """The environment as a whole; ``folder`` is where relative paths start.

    ``neighbours`` are the files beside it whose names may collide with its own.
    """

    models: tuple[ModelFacts, ...]
    folder: Path
    neighbours: tuple[NeighbourFacts, ...] = ()
    production: bool = False

    name = Member("name")
    region = Member("region")
    account = Member("account")
    models_fact = Member("models")
    storage = Member("storage")
    organization = Member("organization")

    def may_share_a_place_with(self, other: NeighbourFacts) -> bool:
        """Whether both are in one region, and perhaps in one account."""
        mine = self.account.text
        return self.region.text == other.region and (
            None in (mine, other.account) or mine == other.account
        )


@dataclass(frozen=True, kw_only=True)
class NeighbourFacts:
    """Another environment of the same app; ``models`` are what its stacks are called after, and
    ``existing`` the endpoints that it moves."""

    file: str
    name: str
    region: str | None
    account: str | None
    models: tuple[str, ...]
    existing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelFacts(Placed):
    """One model: its variants, its batch pipeline, and every container they run."""

    where: Where
    name: str
    environment_name: Fact
    variants: tuple[VariantFacts, ...]
    variants_fact: Fact
    transform: TransformFacts | None
    shadows: tuple[VariantFacts, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ContainerFacts(Placed):
    """What a container runs, after a variant was laid over its model.

    ``batching``, ``server`` and ``environment`` are the joined entries, each
    with the place that set it; ``environment_fact`` is where a template has them
    all. ``instance_type`` is that of its host, ``accelerator`` what hangs on it;
    ``compilation`` is how Neo is to compile the model; ``image_digest`` pins the image;
    ``private_network`` is the VPC without a way out that is made for it, or its subnets without
    one. ``definition`` is what else the ContainerDefinition has, by AWS's own names. ``sources`` is
    what one archive is packed of, where that is a list; ``artifact`` is then the list as text.
    ``accelerators`` is how many a component gives it.
    """

    where: Where
    region: Fact = ABSENT
    artifact: Fact = ABSENT
    framework: Fact = ABSENT
    framework_version: Fact = ABSENT
    image_uri: Fact = ABSENT
    instance_type: Fact = ABSENT
    batching: Mapping[str, Fact] = field(default_factory=dict)
    server: Mapping[str, Fact] = field(default_factory=dict)
    environment: Mapping[str, Fact] = field(default_factory=dict)
    environment_fact: Fact = ABSENT
    mode: Fact = ABSENT
    accelerator: Accelerator | None = None
    network_isolation: Fact = ABSENT
    compilation: Fact = ABSENT
    image_digest: Fact = ABSENT
    private_network: Fact = ABSENT
    definition: Fact = ABSENT
    sources: Fact = ABSENT
    accelerators: Fact = ABSENT

    @property
    def own_registry(self) -> bool:
        """Whether the image comes from a registry in a VPC."""
        access = self.definition.get("ImageConfig").get("RepositoryAccessMode")
        return access.given and access.text != "Platform"

    @property
    def data_source(self) -> Fact:
        """Its ModelDataSource's S3DataSource, which names files that no archive holds."""
        return self.definition.get("ModelDataSource").get("S3DataSource")

    @property
    def is_multi_model(self) -> bool:
        """Whether it loads many models, each when a request names it."""
        return self.mode.text == "MultiModel"

    def of(self, artifact: Fact) -> ContainerFacts:
        """The same container with another ``artifact``, in any of its forms."""
        if not isinstance(artifact.value, list):
            return replace(self, artifact=artifact, sources=ABSENT)
        text = Fact(f"[{', '.join(map(str, artifact.value))}]", artifact.where)
        return replace(self, artifact=text, sources=artifact)

    @property
    def is_sent_uncompressed(self) -> bool:
        """Whether its model is a folder whose files the deploy sends as they are."""
        uri = self.data_source.get("S3Uri")
        return uri.unknown and self.artifact.text is not None

    @property
    def offline(self) -> tuple[str, str] | None:
        """What it is called that cannot reach the internet, and what gives it a way; None where
        it may have one."""
        if self.network_isolation.flag:
            return "an isolated container", f"leave {self.network_isolation.name} out"
        if self.private_network.given:
            way = "put subnets that have one into network, in the place of cidr"
            if self.private_network.name != "cidr":
                way = f"give {self.private_network.value} a route to a NAT gateway"
            return "a container in a VPC without a way out", way
        return None


def framework_name(container: ContainerFacts) -> str:
    """The framework of a container's image in lower case, "" when it is not told."""
    if container.framework.text is not None:
        return container.framework.text.lower()
    return next(iter(frameworks_of_image(container.image_uri.text or "")), "")


@dataclass(frozen=True, kw_only=True)
class VariantFacts(MemberFacts):
    """A production variant, or a shadow variant, and the containers that it runs.

    ``members`` are AWS's of a ProductionVariant, by its names, and `get` reads them.
    ``instance_type`` is that of its host, which is the first where ``instance_pools`` has several
    in order of preference. ``model`` is what it runs, absent where it hosts inference components.
    ``asynchronous`` is whether its endpoint answers into S3. ``accept_retired`` is whether what AWS
    has ended is rendered all the same. ``chooses_ami`` is whether a deploy chooses its hosts'
    software where that is left out.
    """

    region: Fact
    instance_type: Fact
    model: Fact
    accelerator_type: Fact = ABSENT
    accept_retired: bool = False
    chooses_ami: bool = False
    instance_pools: Fact = ABSENT
    asynchronous: bool = False
    containers: tuple[ContainerFacts, ...] = ()

    def get(self, member: str) -> Fact:
        """What is said of AWS's ``member``, such as ``VolumeSizeInGB``."""
        return self.members.get(member)

    name = Member("VariantName")

    @property
    def is_serverless(self) -> bool:
        """Whether it has a configuration of serverless, known or not."""
        return isinstance(self.get("ServerlessConfig").value, Mapping)


@dataclass(frozen=True, kw_only=True)
class EndpointConfigFacts(MemberFacts):
    """What an endpoint runs: its variants, and what is said of all of them."""

    region: Fact
    variants: tuple[VariantFacts, ...]
    shadows: tuple[VariantFacts, ...] = ()

    variants_fact = Member("ProductionVariants")
    shadows_fact = Member("ShadowProductionVariants")
    role = Member("ExecutionRoleArn")
    capture = Member("DataCaptureConfig")
    asynchronous = Member("AsyncInferenceConfig")
    kms_key = Member("KmsKeyId")
    vpc = Member("VpcConfig")
    network_isolation = Member("EnableNetworkIsolation")
    metrics = Member("MetricsConfig")

    @property
    def names(self) -> list[str] | None:
        """The names of its production variants; None where one is not known."""
        names = [variant.name.text for variant in self.variants if variant.name.text is not None]
        return names if len(names) == self.variants_fact.size else None


@dataclass(frozen=True, kw_only=True)
class TransformFacts(MemberFacts):
    """A batch pipeline's transform jobs: ``members`` are CreateTransformJob's.

    ``instance_pools`` are their types in order of preference, where there are several, and
    ``chooses_ami`` is as of `VariantFacts`.
    """

    region: Fact
    instance_pools: Fact = ABSENT
    container: ContainerFacts | None = None
    chooses_ami: bool = False

    batch_strategy = Member("BatchStrategy")
    max_payload_in_mb = Member("MaxPayloadInMB")
    max_concurrent_transforms = Member("MaxConcurrentTransforms")
    environment = Member("Environment")
    data_type = Member("TransformInput.DataSource.S3DataSource.S3DataType")
    s3_uri = Member("TransformInput.DataSource.S3DataSource.S3Uri")
    content_type = Member("TransformInput.ContentType")
    split_type = Member("TransformInput.SplitType")
    output_path = Member("TransformOutput.S3OutputPath")
    accept = Member("TransformOutput.Accept")
    assemble_with = Member("TransformOutput.AssembleWith")
    instance_type = Member("TransformResources.InstanceType")
    ami_version = Member("TransformResources.TransformAmiVersion")
    volume_key = Member("TransformResources.VolumeKmsKeyId")
    input_filter = Member("DataProcessing.InputFilter")
    output_filter = Member("DataProcessing.OutputFilter")
    join_source = Member("DataProcessing.JoinSource")

    @property
    def containers(self) -> tuple[ContainerFacts, ...]:
        """The one that it runs, if that is known, as a variant has its."""
        return () if self.container is None else (self.container,)


@dataclass(frozen=True, kw_only=True)
class ArtifactFacts:
    """The model of one container, on disk or in S3: what it runs in, and what is there.

    ``contents`` is None when it lies in S3 or cannot be read; ``unreadable``
    then says why, if it is on disk. ``transform`` is the batch pipeline that runs it, if one does.
    ``memory_size`` is that of a serverless variant, in MB.
    """

    container: ContainerFacts
    contents: ArchiveContents | None
    unreadable: UnreadableArtifact | None = None
    volume_size: Fact = ABSENT
    memory_size: Fact = ABSENT
    transform: TransformFacts | None = None

    @property
    def artifact(self) -> Fact:
        """The value as written."""
        return self.container.artifact

    @property
    def compilation(self) -> Fact:
        """How Neo is to compile it."""
        return self.container.compilation

    def says(self, sentence: str) -> tuple[Where, str]:
        """What a rule finds of the artifact, which is named as it is written."""
        return self.artifact.finding(f"artifact is {self.artifact.text!r}; {sentence}")

    @property
    def framework_name(self) -> str:
        """The framework in lower case, "" when it is not told."""
        return framework_name(self.container)

    @property
    def own_image(self) -> bool:
        """Whether the container runs an image that is not AWS's."""
        uri = self.container.image_uri
        return uri.given and not frameworks_of_image(uri.text or "")

    @property
    def image_framework(self) -> str:
        """The framework whose container calls the script, "" for an image of one's own."""
        return "" if self.own_image else self.framework_name

    @property
    def compiled(self) -> bool:
        """Whether the model is compiled by Neo before it is served."""
        return self.compilation.given

    @property
    def neo_framework(self) -> str:
        """The framework that Neo reads the model as, in its own spelling."""
        return (self.compilation.get("framework").text or self.framework_name).upper()

    @property
    def target_device(self) -> str:
        """What it is compiled for, "" when that is not told."""
        return self.compilation.get("target_device").text or ""

    @property
    def script_name(self) -> str | None:
        """The file of the archive that the container calls; None where a deploy chooses it."""
        texts = {name: fact.text for name, fact in self.container.environment.items()}
        return script_of(self.image_framework, texts)

    @property
    def script(self) -> Script | None:
        """That file; None where there is none, or it is not known."""
        name = self.script_name
        return None if self.contents is None or name is None else self.contents.scripts.get(name)

    def served_by(self, framework: str) -> ArchiveContents | None:
        """The contents when they are served as they are by ``framework``, else None."""
        return self.contents if self.framework_name == framework and not self.compiled else None
