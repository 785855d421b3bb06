"""What is written of a shape of AWS's API, and where it does not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from typing import Any

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.catalog.actions import shape
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.numbers import LARGEST, decimal_number, whole_number

_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}
_SHOWN = 12

_NAME = "be 1 to 63 letters, digits and hyphens between them"
_VARIABLE = "be of letters, digits and underscores, without a digit at its beginning"
_TYPE = "be a type and a subtype such as application/json, of letters, digits and hyphens"
_SCALING = "application-autoscaling."
_IN_WORDS = {
    "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}": _NAME,
    "[a-zA-Z0-9]([\\-a-zA-Z0-9]*[a-zA-Z0-9])?": _NAME,
    "[a-zA-Z_][a-zA-Z0-9_]*": _VARIABLE,
    "[a-zA-Z_][a-zA-Z0-9_]{0,1023}": _VARIABLE,
    "[a-zA-Z0-9](-*[a-zA-Z0-9])*\\/[a-zA-Z0-9](-*[a-zA-Z0-9.])*": _TYPE,
    "(https|s3)://([^/]+)/?(.*)": "be s3://<bucket>/<key>",
    "(https|s3)://([^/])/?(.*)": "be s3://<bucket>/<key>",
    "[0-9]\\.[A-Za-z0-9.]+": "be a version such as 2.9 or 1.15.3, of 3 to 10 characters",
    "AlarmName": "be 1 to 255 characters, not only blanks",
    "RoleArn": "be a role's ARN, arn:aws:iam::<account>:role/<name>",
    "SnsTopicArn": "be the ARN of an SNS topic, arn:aws:sns:<region>:<account>:<name>",
    "DestinationResourceArn": "be the ARN of an endpoint or an inference component, "
    "arn:aws:sagemaker:<region>:<account>:endpoint/<name>",
    "MlReservationArn": "be the ARN of an ML capacity reservation, "
    "arn:aws:sagemaker:<region>:<account>:training-plan/<name>",
    f"{_SCALING}ScheduledActionName": "be 1 to 256 characters on one line, without : / | and "
    "without a blank at either end",
}
"""What the commonest patterns, and those of some shapes, demand."""


class Form(Enum):
    """How a value was written, which says what of it can be judged."""

    FIELDS = "fields of an environment file, whose types and requirements are its own"
    TEMPLATE = "properties of a template, where numbers and truth values may stand as text"
    ARGUMENTS = "arguments of a state machine's task, in JSON"


@dataclass(frozen=True, kw_only=True)
class ShapeFault:
    """A value, or a lack, that the API refuses.

    ``places`` are what it is of, the closest first: a member (``ProductionVariant.VariantName``),
    its shape (``VariantName``), and ``value``, ``type``, ``required`` or ``argument``.
    """

    where: Where
    message: str
    places: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ShapeFacts:
    """What is written of a ``shape`` of AWS's API (``ProductionVariant``), and how.

    ``owner`` is what it is called.
    """

    shape: str
    value: Fact
    owner: str = ""
    form: Form = Form.FIELDS

    @cached_property
    def faults(self) -> tuple[ShapeFault, ...]:
        """What does not fit, each once. What only a deploy knows does."""
        judge, needed = _Judge(self.form, self.shape), shape(self.shape).get("required")
        if self.value.given:
            return tuple(judge.faults(self.value, self.owner or self.value.name))
        if self.form is Form.ARGUMENTS and needed:
            message = f"{self.owner} needs {', '.join(needed)}; add them"
            return (judge.fault(self.value.where, message, "required"),)
        return ()


@dataclass(frozen=True)
class _Judge:
    """Judges one value by the shape ``name``, which ``member`` of a structure has."""

    form: Form
    name: str
    member: str = ""

    def faults(self, fact: Fact, owner: str) -> Iterator[ShapeFault]:
        known, value = shape(self.name), fact.value
        if isinstance(value, Unknown) and not value.pieces:
            return
        if isinstance(value, Mapping) and any("::" in str(name) for name in value):
            return  # a preprocessor makes something else of it
        if "members" in known:
            if not isinstance(value, Mapping):
                yield from self._mistyped(fact, owner, "a map; write {…}")
                return
            yield from self._structure(fact, known, owner)
        elif "of" in known:
            if not isinstance(value, list):
                yield from self._mistyped(fact, owner, "a list; write […]")
                return
            yield from self._sized(fact, known, owner, fact.size, "entries")
            for entry in fact.items():
                yield from replace(self, name=known["of"]).faults(entry, f"an entry of {owner}")
        elif "values" in known:
            if not isinstance(value, Mapping):
                yield from self._mistyped(fact, owner, "a map; write {…}")
                return
            yield from self._sized(fact, known, owner, len(list(fact.entries())), "entries")
            for key, entry in fact.entries():
                yield from replace(self, name=known["keys"]).faults(
                    Fact(key, entry.where), f"a name in {owner}"
                )
                yield from replace(self, name=known["values"]).faults(entry, key)
        else:
            yield from self._scalar(fact, known, owner)

    def _structure(self, fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[ShapeFault]:
        members, of = known["members"], self.name
        needed = () if self.form is Form.FIELDS else known.get("required", ())
        strange = [name for name in fact.value if name not in members]
        for name in needed:
            misspelt = nearest(name, strange) is not None
            if name not in fact.value and not misspelt and name not in _OPTIONAL.get(of, ()):
                lack = replace(self, name=of, member=f"{of}.{name}")
                yield lack.fault(fact.where / name, f"{owner} needs {name}; add it", "required")
        for name, inner in fact.entries():
            if name in members and inner.given:
                of_member = replace(self, name=members[name], member=f"{of}.{name}")
                is_entry = inner.where.path[-1:] == () or isinstance(inner.where.path[-1], int)
                yield from of_member.faults(inner, name if is_entry else inner.name)

    def _scalar(self, fact: Fact, known: Mapping[str, Any], owner: str) -> Iterator[ShapeFault]:
        kind, value = known.get("type", "string"), fact.value
        if isinstance(value, Unknown) and kind in _KINDS:
            yield from self._mistyped(fact, owner, _KINDS[kind])
        elif kind == "boolean":
            spelt = fact.flag is not None and self.form is not Form.ARGUMENTS
            if not (isinstance(value, bool) or spelt):
                yield from self._mistyped(fact, owner, _KINDS[kind])
        elif kind in _KINDS:
            number = _number(fact, self.form)
            if number is None or (kind == "integer" and number != int(number)):
                yield from self._mistyped(fact, owner, _KINDS[kind])
            else:
                yield from self._ranged(fact, number, known, owner)
        elif isinstance(value, Mapping | list):
            if kind != "blob":  # of which Step Functions makes JSON
                yield from self._mistyped(fact, owner, "text")
        elif isinstance(value, int | float) and self.form is Form.ARGUMENTS and kind == "string":
            # "The value for the field … must be a STRING": only templates' numbers become text.
            yield from self._mistyped(fact, owner, "text, in quotes")
        else:
            text = fact.scalar if self.form is Form.TEMPLATE else fact.text
            if text is not None:
                yield from self._text(fact, text, known, owner)

    def _text(
        self, fact: Fact, text: str, known: Mapping[str, Any], owner: str
    ) -> Iterator[ShapeFault]:
        if "enum" in known and text not in known["enum"]:
            alike = {choice.lower(): choice for choice in known["enum"]}
            near = alike.get(text.lower()) or nearest(text, known["enum"])
            listed = ", ".join(known["enum"][:_SHOWN])
            others = ", …" if len(known["enum"]) > _SHOWN else ""
            meant = f"did you mean {near}?" if near else f"it must be {listed}{others}"
            if near and len(known["enum"]) <= _SHOWN:
                meant = f"it must be {listed}; did you mean {near}?"
            yield self.fault(fact.where, f"{owner} is {text!r}; {meant}", "value")
        elif "pattern" in known and _pattern(known["pattern"]).fullmatch(text) is None:
            said = f"{text[:60]!r}"
            if len(text) > 30:
                said += f" ({len(text)} characters)"
            wanted = _form(self.name)
            yield self.fault(fact.where, f"{owner} is {said}; it must {wanted}", "value")
        else:
            yield from self._sized(fact, known, owner, len(text), "characters")

    def _ranged(
        self, fact: Fact, number: float, known: Mapping[str, Any], owner: str
    ) -> Iterator[ShapeFault]:
        low, high = known.get("min"), known.get("max", LARGEST)
        if low is not None and number < low:
            wanted = _between(low, known.get("max"))
            advice = f"use {low} or more" if known.get("max") is None else f"use {low}"
        elif number > high:
            wanted = _between(low if "max" in known else None, high)
            advice = f"use {high}" if "max" in known else "use a smaller one"
        else:
            return
        message = f"{owner} is {fact.value}; it must be {wanted}; {advice}"
        yield self.fault(fact.where, message, "value")

    def _sized(
        self, fact: Fact, known: Mapping[str, Any], owner: str, count: int | None, of: str
    ) -> Iterator[ShapeFault]:
        low, high = known.get("min"), known.get("max")
        if count is None:
            return
        if low is not None and count < low:
            advice = "add one" if of == "entries" else "write more"
        elif high is not None and count > high:
            advice = "remove some" if of == "entries" else "shorten it"
        else:
            return
        message = f"{owner} has {count} {of}; it takes {_between(low, high)}; {advice}"
        yield self.fault(fact.where, message, "value")

    def _mistyped(self, fact: Fact, owner: str, wanted: str) -> Iterator[ShapeFault]:
        if self.form is not Form.FIELDS:
            shown = "a text" if fact.unknown else repr(fact.value)[:60]
            quotes = ", without quotes" if self.form is Form.ARGUMENTS and fact.text else ""
            message = f"{owner} is {shown}; it must be {wanted}{quotes}"
            yield self.fault(fact.where, message, "type")

    def fault(self, where: Where, message: str, kind: str) -> ShapeFault:
        """A fault of this member, of which ``kind`` is what it is where no rule is about it."""
        general = "argument" if self.form is Form.ARGUMENTS else kind
        own = {"type": (), "required": (self.name, self.member)}.get(kind, (self.member, self.name))
        return ShapeFault(where=where, message=message, places=(*own, general))


_OPTIONAL = {
    # CloudFormation's schema needs no wait of ALL_AT_ONCE; of others a rule says so.
    "TrafficRoutingConfig": ("WaitIntervalInSeconds",),
}
"""Members that botocore's model requires and templates may leave out."""


def limits(place: str) -> str:
    """What the API takes at a member (``ProductionVariant.VolumeSizeInGB``) or of a shape, in
    words; "" where it is not bounded."""
    owner, _, member = place.rpartition(".")
    name = shape(owner)["members"][member] if "members" in shape(owner) else place
    known = shape(name)
    if "enum" in known:
        more = ", …" if len(known["enum"]) > _SHOWN else ""
        return ", ".join(known["enum"][:_SHOWN]) + more
    if "pattern" in known:
        return _form(name).removeprefix("be ")
    if known.get("min") is None and known.get("max") is None:
        return ""
    of = " entries" if "of" in known or "values" in known else ""
    unit = of or (" characters" if known.get("type") == "string" else "")
    return f"{_between(known.get('min'), known.get('max'))}{unit}"


def _form(name: str) -> str:
    pattern = shape(name)["pattern"]
    return _IN_WORDS.get(name) or _IN_WORDS.get(pattern, f"match {pattern}")


def _between(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high}"
    return f"at least {low}" if high is None else f"{low} to {high}"


def _number(fact: Fact, form: Form) -> float | None:
    if fact.text is None or form is Form.ARGUMENTS:
        return fact.number
    whole = whole_number(fact.text)
    return decimal_number(fact.text) if whole is None else whole


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)
