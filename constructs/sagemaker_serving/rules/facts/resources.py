"""More of what the rules judge: what stands beside variants and containers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import (
    ABSENT,
    ContainerFacts,
    EndpointConfigFacts,
    Fact,
    Member,
    MemberFacts,
    Placed,
)


@dataclass(frozen=True, kw_only=True)
class TagsFacts(Placed):
    """The tags of one thing: each key with its value.

    ``of_roles`` is whether they are an environment's: roles of IAM get them, too. ``added`` are how
    many what is tagged gets beside them.
    """

    where: Where
    tags: tuple[tuple[Fact, Fact], ...]
    of_roles: bool = False
    added: int = 0


@dataclass(frozen=True, kw_only=True)
class NameFacts:
    """A name that the user chose for something of SageMaker's: ``kind`` says for what.

    ``taken`` is whether what it replaces has it, and is deleted afterwards. ``parameters`` are
    those of the template in it, whatever they are by default.
    """

    kind: str
    name: Fact
    taken: bool = False
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelDefinitionFacts(MemberFacts):
    """A SageMaker Model: one primary container, or several in line.

    ``serverless`` is whether a serverless variant runs it, and ``execution`` is Direct where a
    request names its container.
    """

    region: Fact
    containers: tuple[ContainerFacts, ...]
    serverless: bool = False

    primary = Member("PrimaryContainer")
    containers_fact = Member("Containers")
    vpc = Member("VpcConfig")
    network_isolation = Member("EnableNetworkIsolation")
    execution = Member("InferenceExecutionConfig.Mode")

    @property
    def hostnames(self) -> list[Fact]:
        """Those of containers in line."""
        in_line = self.containers_fact.items() if self.containers_fact.given else ()
        return [each.get("ContainerHostname") for each in in_line]


@dataclass(frozen=True, kw_only=True)
class NetworkFacts(MemberFacts):
    """Where in a VPC a model stands: ``members`` are a VpcConfig's, ``cut_off`` its subnets without
    a way to S3, and ``closed`` its security groups, where none lets anything out."""

    cidr: Fact = ABSENT
    cut_off: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    subnets = Member("Subnets")
    security_groups = Member("SecurityGroupIds")


class VpcEndpointFacts(MemberFacts):
    """A VPC's endpoint of a service: its name and its type."""

    service = Member("ServiceName")
    kind = Member("VpcEndpointType")


class IntegrationFacts(MemberFacts):
    """What an API of API Gateway's hands its requests to, by which method and which role."""

    uri = Member("Integration.Uri")
    method = Member("Integration.IntegrationHttpMethod")
    role = Member("Integration.Credentials")


class LogGroupFacts(MemberFacts):
    """The name of a log group, of its own or of something that reads it."""

    name = Member("LogGroupName")


class EventPatternFacts(MemberFacts):
    """Which events a rule of EventBridge's waits for, as a mapping or as JSON."""

    pattern = Member("EventPattern")


@dataclass(frozen=True, kw_only=True)
class LocationFacts:
    """An object or prefix in S3 that something of ``region`` reads or writes; ``key`` encrypts what
    is there."""

    uri: Fact
    region: Fact
    reads: bool = False
    key: Fact = ABSENT


@dataclass(frozen=True, kw_only=True)
class ExpiringFacts:
    """What a container is started from, which ``store`` of the template deletes after ``days``."""

    part: Fact
    store: str
    days: Fact


@dataclass(frozen=True, kw_only=True)
class UpdateFacts(MemberFacts):
    """How an endpoint is updated; ``config`` is what it runs, None when that is not known.

    ``most_seconds`` is how long all of it may take, None where nothing but SageMaker says so.
    ``watched`` are the alarms that roll it back, where a template tells. ``scaled`` are the
    variants whose instances scale.
    """

    config: EndpointConfigFacts | None = None
    most_seconds: int | None = None
    watched: tuple[WatchedFacts, ...] = ()
    scaled: tuple[str, ...] = ()

    blue_green = Member("BlueGreenUpdatePolicy")
    rolling = Member("RollingUpdatePolicy")


@dataclass(frozen=True, kw_only=True)
class WatchedFacts:
    """An alarm that an update names, with the metrics that it watches; ``others`` are the names of
    the template's alarms where it is none of these. ``both_fleets`` are the dimensions that the
    old instances have as well as the new ones. ``without_data`` is the rule of a composite alarm
    that goes off while this one has no data, and ``elsewhere`` the names of other endpoints, where
    it watches none but theirs."""

    named: Fact
    found: bool
    others: tuple[str, ...] = ()
    missing_data: Fact = ABSENT
    metrics: tuple[str, ...] = ()
    both_fleets: tuple[Where, ...] = ()
    without_data: Fact = ABSENT
    elsewhere: tuple[Fact, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AlarmTopicFacts:
    """A ``topic`` that an alarm on an endpoint tells, and whose ``key`` CloudWatch may not use."""

    named: Fact
    topic: str
    key: Fact


@dataclass(frozen=True, kw_only=True)
class MonitorFacts:
    """What Model Monitor does: when and for how long, or for which ``endpoint``.

    ``named`` is the endpoint's logical id where the template has it, and ``captures`` whether its
    configuration captures requests; None where that is not known.
    """

    schedule: Fact = ABSENT
    runtime: Fact = ABSENT
    endpoint: Fact = ABSENT
    named: str = ""
    captures: bool | None = None


@dataclass(frozen=True, kw_only=True)
class ScalingFacts(Placed):
    """How the number of a variant's instances, or of what else scales, follows its load.

    ``metric`` is the predefined or otherwise known metric that is held at ``target``;
    ``asynchronous`` is None where that is not known. ``variant`` is named, of the endpoint of
    ``config``, where a template tells them; ``doubled`` is whether a policy above tracks the same.
    ``above`` is the logical id of another target of the same, and ``unregistered`` the endpoint
    of the template that a policy scales without any target.
    ``retained`` is whether an update of the endpoint keeps what scaling made, None where that is
    not told, and ``endpoint`` the endpoint's logical id. ``wakes`` is whether an alarm may start
    what was scaled to zero.
    """

    where: Where
    dimension: Fact
    minimum: Fact = ABSENT
    maximum: Fact = ABSENT
    resource_id: Fact = ABSENT
    target: Fact = ABSENT
    metric: Fact = ABSENT
    scale_in_cooldown: Fact = ABSENT
    scale_out_cooldown: Fact = ABSENT
    instance_type: Fact = ABSENT
    asynchronous: bool | None = False
    namespace: Fact = ABSENT
    variant: str | None = None
    config: EndpointConfigFacts | None = None
    doubled: bool = False
    above: str = ""
    unregistered: str = ""
    retained: bool | None = None
    endpoint: str = ""
    wakes: bool = True


@dataclass(frozen=True, kw_only=True)
class CompilationFacts(MemberFacts):
    """A compilation job of SageMaker Neo: ``members`` are CreateCompilationJob's.

    ``instance_type`` is that of what serves the result; ``within_deploy`` is whether
    CloudFormation waits for the job, ``is_gated`` whether the deploy holds the result to ``accept``
    before it has traffic, and ``folder`` where the paths of its file start.
    """

    region: Fact
    batch_size: Fact = ABSENT
    accept: Fact = ABSENT
    instance_type: Fact = ABSENT
    within_deploy: bool = False
    is_gated: bool = False
    folder: Path = Path()

    framework = Member("InputConfig.Framework")
    framework_version = Member("InputConfig.FrameworkVersion")
    data_input_config = Member("InputConfig.DataInputConfig")
    model_uri = Member("InputConfig.S3Uri")
    target_device = Member("OutputConfig.TargetDevice")
    target_platform = Member("OutputConfig.TargetPlatform")
    max_runtime = Member("StoppingCondition.MaxRuntimeInSeconds")


@dataclass(frozen=True, kw_only=True)
class ExtraFacts:
    """What ``extra`` lays over a resource's properties, or over each entry of one, ``below``."""

    resource_type: str
    extra: Fact
    below: str = ""


@dataclass(frozen=True, kw_only=True)
class PropertiesFacts:
    """The properties of a resource, or arguments of an action, and the names that it knows."""

    owner: str
    properties: Fact
    known: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ResourceTypeFacts:
    """The type of a template's resource.

    ``regions`` are those in which CloudFormation has it where the template's own is not among them:
    () where none is; None where it has it there, or nobody here can know.
    """

    kind: Fact
    region: Fact = ABSENT
    regions: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class GoneFirstFacts:
    """A resource that is deleted before the one which replaces it is made, and who uses it."""

    name: Fact
    resource: str
    users: tuple[str, ...]


class BatchPipelineFacts(MemberFacts):
    """How inputs are cut and tried again, and what starts the pipeline: its block as written."""
