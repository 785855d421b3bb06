"""What the rules judge of an endpoint's kind, and of what scales it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic_core import PydanticUndefined

from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import (
    ABSENT,
    EndpointConfigFacts,
    Fact,
    Member,
    MemberFacts,
    Placed,
    VariantFacts,
)
from sagemaker_serving.spec.aws import aws_fields
from sagemaker_serving.spec.base import Spec


@dataclass(frozen=True)
class Renamed(Fact):
    """A mapping in AWS's words over facts that the user wrote in others, each with its place."""

    parts: dict[str, Fact] = field(default_factory=dict)

    def get(self, key: str) -> Fact:
        """The fact that the user wrote for AWS's ``key``; absent when there is none."""
        part = self.parts.get(key)
        return part if part is not None else Fact(None, self.where / key)

    def entries(self) -> Iterator[tuple[str, Fact]]:
        """What is given, by AWS's names."""
        return ((name, part) for name, part in self.parts.items() if part.given)


@dataclass(frozen=True)
class Listed(Fact):
    """A list whose entries are facts in AWS's words."""

    entries_in_order: tuple[Fact, ...] = ()

    def items(self) -> Iterator[Fact]:
        """The entries."""
        yield from self.entries_in_order


def renamed(fact: Fact, fields: Mapping[str, str | Fact]) -> Renamed:
    """``fact`` under AWS's names, each with the field that stands for it, or what that means."""
    parts = {
        name: fact.get(field) if isinstance(field, str) else field for name, field in fields.items()
    }
    return Renamed(fact.value, fact.where, parts)


def in_aws_words(fact: Fact, spec: type[Spec], *, defaults: bool = False) -> Renamed:
    """What the fields of ``spec`` say, by the names of AWS's members that they become.

    Fields that become several members, or none, are left out. With ``defaults`` a field that is
    left out says its default.
    """
    whole = Renamed(fact.value, fact.where)
    also = []
    for each in aws_fields(spec):
        value = fact.get(each.name)
        default = spec.model_fields[each.name].default
        if defaults and not value.given and default is not PydanticUndefined:
            value = Fact(default, fact.where)
        if value.given:
            also += [(member, Fact(said, value.where)) for member, said in each.also]
        if len(each.members) == 1:
            *above, last = each.members[0].split(".")
            if each.inner is not None:
                value = _inner_words(value, each.inner)
            if above and above[-1].endswith("[]"):
                entries = tuple(Renamed({}, one.where, {last: one}) for one in value.items())
                value = Listed(value.value, value.where, entries)
                last = above.pop().removesuffix("[]")
            _put(whole, above, last, value)
    for member, said in also:
        *above, last = member.split(".")
        if not whole.at(member).given:
            _put(whole, above, last, said)
    return whole


def laid_over(members: Fact, extra: Fact) -> Fact:
    """``members`` with ``extra``, which has AWS's names already, over them: as a deploy lays it.

    Structures are laid over member by member, and lists entry by entry.
    """
    if isinstance(members, Listed) and isinstance(extra.value, list):
        over = dict(enumerate(extra.items()))
        entries = tuple(
            laid_over(each, over[index]) if index in over else each
            for index, each in enumerate(members.items())
        )
        return replace(members, entries_in_order=entries)
    if not isinstance(members, Renamed):
        return extra if extra.given else members
    parts = {name: laid_over(members.get(name), each) for name, each in extra.entries()}
    given = members if members.given or not parts else Fact({}, extra.where)
    return replace(members, value=given.value, where=given.where, parts={**members.parts, **parts})


def _put(whole: Renamed, above: list[str], last: str, value: Fact) -> None:
    """Lets ``whole`` say ``value`` below the structures ``above``, which are given with it.

    A structure has the place of the one field that gives it, or of all of them together.
    """
    for name in above:
        part = whole.parts.setdefault(name, Renamed(None, whole.where))
        assert isinstance(part, Renamed)
        if value.given and not (part.given and part.where == value.where):
            where = whole.where if part.given else value.where
            whole.parts[name] = part = replace(part, value={}, where=where)
        whole = part
    whole.parts[last] = value


def _inner_words(fact: Fact, spec: type[Spec]) -> Fact:
    if not isinstance(fact.value, list):
        return in_aws_words(fact, spec)
    entries = tuple(in_aws_words(each, spec) for each in fact.items())
    return Listed(fact.value, fact.where, entries)


@dataclass(frozen=True, kw_only=True)
class KindFacts:
    """A model of an environment as it is written: the fields that tell its endpoint's kind.

    ``alarmed`` is whether alarms are made of its endpoint's metrics.
    """

    production: bool
    region: Fact
    model: Fact
    alarmed: bool

    @property
    def on_instances(self) -> list[Fact]:
        """The production variants that have instances."""
        variants = self.model.get("variants").items()
        return [variant for variant in variants if not is_serverless(variant)]


@dataclass(frozen=True, kw_only=True)
class ReplayFacts:
    """The gate of a model's update as it is written; ``capture`` is relative to ``folder``."""

    written: Fact
    environment: str
    model: str
    folder: Path


@dataclass(frozen=True, kw_only=True)
class InferenceComponentFacts(MemberFacts):
    """A model that shares the instances of an endpoint's ``variant``, which is named.

    ``specification`` is where a template says what it runs. ``config`` is the endpoint's, None
    where it is not told.
    """

    specification: Fact = ABSENT
    variant: Fact = ABSENT
    config: EndpointConfigFacts | None = None

    needs = Member("Specification.ComputeResourceRequirements")
    copies = Member("RuntimeConfig.CopyCount")

    @property
    def host(self) -> VariantFacts | None:
        """The variant, where the config has it."""
        variants = self.config.variants if self.config is not None else ()
        return next((one for one in variants if one.name.text == self.variant.text), None)


@dataclass(frozen=True, kw_only=True)
class ScalingStepsFacts(MemberFacts):
    """A policy of steps: ``members`` are those of StepScalingPolicyConfiguration.

    ``one_alarm`` is whether a single alarm sets them off, so that they go one way.
    ``evaluation`` is how many minutes in a row that alarm looks at. ``unused`` is whether no alarm
    of the template sets them off.
    """

    one_alarm: bool = False
    evaluation: Fact = ABSENT
    unused: bool = False

    steps = Member("StepAdjustments")
    cooldown = Member("Cooldown")
    adjustment = Member("AdjustmentType")


@dataclass(frozen=True, kw_only=True)
class MetricFacts(Placed):
    """A metric of CloudWatch that something is scaled by, or an alarm watches.

    ``dimensions`` are names and values. ``of_alarm`` is whether an alarm watches it, so that they
    are all, over each ``period``. ``bound`` is the number that the ``statistic`` is compared with,
    as ``comparison`` says: an alarm's threshold, or the target of scaling, which acts above it.
    ``config`` is what its endpoint runs, where that is told, and ``hosts`` the instance types.
    """

    where: Where
    name: Fact
    namespace: Fact
    dimensions: tuple[tuple[Fact, Fact], ...]
    of_alarm: bool = False
    period: Fact = ABSENT
    unit: Fact = ABSENT
    statistic: Fact = ABSENT
    bound: Fact = ABSENT
    comparison: str | None = "GreaterThanThreshold"
    config: EndpointConfigFacts | None = None
    hosts: tuple[Fact, ...] = ()


class ScheduleFacts(MemberFacts):
    """Other bounds from a point in time on: ``members`` are a ScheduledAction's."""

    name = Member("ScheduledActionName")
    schedule = Member("Schedule")
    zone = Member("Timezone")
    minimum = Member("ScalableTargetAction.MinCapacity")
    maximum = Member("ScalableTargetAction.MaxCapacity")


@dataclass(frozen=True, kw_only=True)
class SchedulesFacts:
    """The schedules of what scales, and the bounds that it has without them.

    ``keeps_one`` is whether it never scales to zero.
    """

    minimum: Fact
    maximum: Fact
    keeps_one: bool
    each: tuple[ScheduleFacts, ...]


def host_type(variant: Fact) -> Fact:
    """The instance type of an entry of ``variants``: the one it names, or prefers."""
    alone, several = variant.get("instance_type"), variant.get("instance_types")
    if alone.given or not several.given:
        return alone
    return next((Fact(each.value, several.where) for each in several.items()), alone)


SERVERLESS_FIELDS = ("memory_size_in_mb", "max_concurrency", "provisioned_concurrency")
"""The fields by which an entry of ``variants`` is known as a serverless one."""


def is_serverless(variant: Fact) -> bool:
    """Whether an entry of ``variants`` is meant to be serverless, as the types tell, too."""
    is_known = not variant.unknown
    return is_known and any(variant.get(name).given for name in SERVERLESS_FIELDS)


def moves(update: Fact) -> bool:
    """Whether an ``update`` says how the endpoint moves, and not a replay alone."""
    alone = isinstance(update.value, Mapping) and update.value.keys() == {"replay"}
    return update.given and not alone


@dataclass(frozen=True, kw_only=True)
class EventScheduleFacts:
    """When EventBridge does something; ``kinds`` are the expressions that it takes there."""

    schedule: Fact
    kinds: tuple[str, ...]
    zone: Fact


@dataclass(frozen=True, kw_only=True)
class EndpointPolicyFacts:
    """The ``routers`` of other accounts that an endpoint lets in, and the policy that does."""

    routers: Fact
    document: str


@dataclass(frozen=True, kw_only=True)
class RoutingTargetFacts(MemberFacts):
    """One routing target; ``kinds`` are the endpoints and components of the file by name, and
    whether each is asynchronous, ``arns`` what they will be where the file names its account.
    ``multi_model`` are those of many models, ``partition`` is the router's."""

    kinds: Mapping[str, bool]
    partition: str
    arns: Mapping[str, str] = field(default_factory=dict)
    multi_model: frozenset[str] = frozenset()

    destinations = Member("destinations")
    asynchronous = Member("asynchronous")
    max_time_in_backlog_seconds = Member("max_time_in_backlog_seconds")
