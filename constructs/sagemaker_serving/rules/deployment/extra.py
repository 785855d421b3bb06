"""Rules on `extra`: properties by AWS's own names that CloudFormation has and no field writes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from local_aws.suggest import did_you_mean
from sagemaker_serving.catalog.properties import Shape, resource_properties
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import ExtraFacts
from sagemaker_serving.spec.members import not_writable, written_as

_SCHEMA = "CloudFormation's registry in cfn-lint"
_API = "botocore's service model and CloudFormation's registry in cfn-lint"
_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "object": ((dict,), "a mapping"),
}


@rule(source=_SCHEMA, example="extra: {EnableSSMAcces: true}")
def extra_known(facts: ExtraFacts) -> Iterator[Finding]:
    """A member of ``extra`` is one of CloudFormation's.

    It refuses a name that it does not know, after the model was uploaded.
    """
    for path, fact, shape, siblings in _members(facts):
        if shape is None and not_writable(facts.resource_type, path) is None:
            hint = did_you_mean(fact.name, siblings) or f"known: {', '.join(siblings)}"
            yield fact.finding(f"{facts.resource_type} has no {path}; {hint}")


@rule(source=_API, example="extra: {AcceleratorPartitionLayouts: […]}")
def extra_offered(facts: ExtraFacts) -> Iterator[Finding]:
    """A member of ``extra`` is one that a template can carry.

    What only the API knows, or AWS has ended, no deploy by CloudFormation can say.
    """
    for path, fact, shape, _ in _members(facts):
        why = None if shape is not None else not_writable(facts.resource_type, path)
        if why is not None:
            yield fact.finding(f"{path} is {why}: {_EXPLAINED[why]}; remove it")


@rule(source="this project", example="extra: {VolumeSizeInGB: 64}")
def extra_twice(facts: ExtraFacts) -> Iterator[Finding]:
    """A member of ``extra`` has no field of its own.

    A field is checked by rules that ``extra`` passes by, and both at once would contradict.
    """
    for path, fact, shape, _ in _members(facts):
        field = written_as(facts.resource_type, path)
        if shape is not None and field is not None:
            yield fact.finding(f"{path} has a field of its own; write {field} instead")


@rule(source=_SCHEMA, example='extra: {EnableSSMAccess: "yes"}')
def extra_type(facts: ExtraFacts) -> Iterator[Finding]:
    """A member of ``extra`` is of the type that CloudFormation's schema gives it.

    A text that YAML reads as a number needs its quotes, and a truth value has none.
    """
    for path, fact, shape, _ in _members(facts):
        wanted = None if shape is None else _wanted(fact, shape)
        if wanted is not None:
            yield fact.finding(f"{path} is {fact.value!r}; it must be {wanted}")


_EXPLAINED = {
    "API only": "CloudFormation's schema does not know it yet",
    "ended by AWS": "CloudFormation's schema has it no more",
    "console only": "neither the API nor CloudFormation takes it",
}

_Member = tuple[str, Fact, Shape | None, Mapping[str, Shape]]
"""A member's path, what is given, its shape if it has one, and what stands beside it."""


def _members(facts: ExtraFacts) -> Iterator[_Member]:
    shape: Shape = resource_properties(facts.resource_type)
    if facts.below:
        shape = shape[facts.below][0]
    yield from _below(facts.extra, shape, facts.below)


def _below(fact: Fact, shape: Shape, above: str) -> Iterator[_Member]:
    if isinstance(shape, list):
        for entry in fact.items():
            yield from _below(entry, shape[0], above)
    elif isinstance(shape, Mapping):
        for name, inner in fact.entries():
            path = f"{above}.{name}" if above else name
            yield path, inner, shape.get(name), shape
            if name in shape:
                yield from _below(inner, shape[name], path)


def _wanted(fact: Fact, shape: Shape) -> str | None:
    """What the value has to be, when it is something else; None when it is right."""
    if isinstance(shape, list):
        return None if isinstance(fact.value, list) else "a list"
    types, said = _TYPES["object" if isinstance(shape, Mapping) else shape]
    right = isinstance(fact.value, types) and (isinstance(fact.value, bool) <= (bool in types))
    if isinstance(fact.value, float) and not math.isfinite(fact.value):
        right = False
    return None if right else said
