"""Rules on the arguments that tasks of state machines give to SageMaker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.catalog.actions import shape
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.state_machines import ArgumentsFacts

_MODEL = "botocore's service model of SageMaker"
_KINDS = {"integer": "an integer", "number": "a number", "boolean": "true or false"}
_SHOWN = 12


@rule("state-machine-argument", source=_MODEL, example="InstanceCount: two")
def state_machine_argument(facts: ArgumentsFacts) -> Iterator[Finding]:
    """A task gives SageMaker's action what it requires, of the type and range that it takes.

    Step Functions or SageMaker refuses others, the latter when the job is to run. What comes from
    the execution's data passes, and what another rule is about is told by that.
    """
    if isinstance(facts.arguments.value, Unknown):
        return
    if not facts.arguments.given:
        if facts.input.get("required"):
            needed = ", ".join(facts.input["required"])
            yield facts.arguments.where, f"{facts.action} needs {needed}; add them"
        return
    yield from _judged(facts.arguments, facts.input, facts.action)


def _judged(fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[Finding]:
    """What is wrong with a value of a shape; ``owner`` is what it is called."""
    if isinstance(fact.value, Unknown) and not fact.value.pieces:
        return
    if "members" in known:
        yield from _structure(fact, known, owner)
    elif "of" in known:
        if not isinstance(fact.value, list):
            yield fact.where, f"{owner} is {_shown(fact)}; it must be a list; write […]"
            return
        yield from _sized(fact, known, owner, "entries")
        for entry in fact.items():
            yield from _judged(entry, shape(known["of"]), f"an entry of {owner}")
    elif "values" in known:
        if not isinstance(fact.value, Mapping):
            yield fact.where, f"{owner} is {_shown(fact)}; it must be a map; write {{…}}"
            return
        yield from _sized(fact, known, owner, "entries")
        for key, entry in fact.entries():
            yield from _judged(entry, shape(known["values"]), key)
    else:
        yield from _scalar(fact, known, owner)


def _structure(fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[Finding]:
    if not isinstance(fact.value, Mapping):
        yield fact.where, f"{owner} is {_shown(fact)}; it must be a map; write {{…}}"
        return
    strange = [name for name in fact.value if name not in known["members"]]
    for name in known.get("required", ()):
        if name not in fact.value and nearest(name, strange) is None:
            yield fact.where / name, f"{owner} needs {name}; add it"
    for name, inner in fact.entries():
        if name in known["members"]:
            yield from _judged(inner, shape(known["members"][name]), name)


def _scalar(fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[Finding]:
    kind, value = known.get("type", "string"), fact.value
    if kind in _KINDS:
        fits = isinstance(value, bool) == (kind == "boolean") and isinstance(
            value, int if kind == "integer" else int | float
        )
        if not fits:
            yield (
                fact.where,
                f"{owner} is {_shown(fact)}; it must be {_KINDS[kind]}, without quotes",
            )
        elif kind != "boolean":
            yield from _ranged(fact, known, owner)
        return
    text = fact.text
    if text is None:
        return
    if "enum" in known and text not in known["enum"]:
        near = nearest(text, known["enum"])
        listed = known["enum"][:_SHOWN]
        others = ", …" if len(known["enum"]) > _SHOWN else ""
        meant = f"did you mean {near}?" if near else f"it must be {', '.join(listed)}{others}"
        yield fact.where, f"{owner} is {text!r}; {meant}"
    elif "pattern" in known and _pattern(known["pattern"]).fullmatch(text) is None:
        yield fact.where, f"{owner} is {text[:60]!r}; it must match {known['pattern']}"
    else:
        yield from _sized(fact, known, owner, "characters")


def _ranged(fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[Finding]:
    low, high = known.get("min"), known.get("max")
    number = fact.number
    if number is None or ((low is None or number >= low) and (high is None or number <= high)):
        return
    yield fact.where, f"{owner} is {number}; it must be {_between(low, high)}"


def _sized(fact: Fact, known: Mapping[str, Any], owner: str, of: str) -> Iterator[Finding]:
    low, high = known.get("min"), known.get("max")
    count = fact.size if fact.text is None else len(fact.text)
    if count is None or ((low is None or count >= low) and (high is None or count <= high)):
        return
    yield fact.where, f"{owner} has {count} {of}; it takes {_between(low, high)}"


def _between(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


def _shown(fact: Fact) -> str:
    return "a text" if isinstance(fact.value, Unknown) else repr(fact.value)[:60]
