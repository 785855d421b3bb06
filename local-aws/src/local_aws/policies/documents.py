"""Policy documents as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from local_aws.policies.conditions import Condition, UnknownOperator, parse_conditions
from local_aws.policies.patterns import Context, UnknownVariable, matches_action, matches_arn
from local_aws.policies.principals import Principal, Principals


class MalformedPolicy(ValueError):
    """A document is no policy, or has what the local AWS does not know; says where."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement; what it leaves out (a trust policy's Resource) is met by every call."""

    effect: Literal["Allow", "Deny"]
    actions: tuple[str, ...]
    not_actions: bool = False
    resources: tuple[str, ...] = ("*",)
    not_resources: bool = False
    principals: Principals | None = None
    conditions: tuple[Condition, ...] = ()

    def covers(self, action: str, resource: str, context: Context) -> bool:
        """Whether it is about this call; its principals aside."""
        return (
            any(matches_action(pattern, action) for pattern in self.actions) != self.not_actions
            and self._names(resource, context)
            and all(condition.holds(context) for condition in self.conditions)
        )

    def _names(self, resource: str, context: Context) -> bool:
        try:
            named = any(matches_arn(pattern, resource, context) for pattern in self.resources)
        except UnknownVariable:
            return False
        return named != self.not_resources


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A policy document: an identity's, a resource's, or a role's trust policy."""

    name: str
    statements: tuple[Statement, ...]
    text: str = field(default="", repr=False, compare=False)
    """The document as it was given."""

    def denies(self, action: str, resource: str, context: Context) -> bool:
        """Whether a statement of it forbids the call."""
        return self._has("Deny", action, resource, context, None)

    def allows(self, action: str, resource: str, context: Context) -> bool:
        """Whether a statement of it permits the call; what forbids it is asked apart."""
        return self._has("Allow", action, resource, context, None)

    def denies_to(self, who: Principal, action: str, resource: str, context: Context) -> bool:
        """Whether it forbids the call to this caller: a resource's policy."""
        return self._has("Deny", action, resource, context, who)

    def allowed_as(
        self, who: Principal, action: str, resource: str, context: Context
    ) -> frozenset[str]:
        """The names of the caller by which it permits the call: see `Principals.names`."""
        return frozenset(
            name
            for statement in self.statements
            if statement.effect == "Allow" and statement.covers(action, resource, context)
            for name in (statement.principals.names(who) if statement.principals else ())
        )

    def _has(
        self, effect: str, action: str, resource: str, context: Context, who: Principal | None
    ) -> bool:
        return any(
            statement.effect == effect
            and (who is None or (statement.principals and statement.principals.include(who)))
            and statement.covers(action, resource, context)
            for statement in self.statements
        )

    @classmethod
    def parse(cls, document: str | Mapping[str, Any], *, name: str) -> Policy:
        """Read a document, as text or decoded; raises `MalformedPolicy`.

        ``name`` tells a reader whose it is: "inline policy 'Default' of role r".
        """
        text = document if isinstance(document, str) else json.dumps(document)
        return _parsed(text, name)


@lru_cache(maxsize=2048)
def _parsed(text: str, name: str) -> Policy:
    try:
        document = json.loads(text)
        statements = document["Statement"]
        several = statements if isinstance(statements, list) else [statements]
        read = tuple(_statement(each) for each in several)
        return Policy(name=name, statements=read, text=text)
    except UnknownOperator as unknown:
        raise MalformedPolicy(f"{name}: {unknown}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise MalformedPolicy(f"{name} is no policy document: {error!r}") from None


def _statement(document: Mapping[str, Any]) -> Statement:
    effect = document["Effect"]
    if effect not in ("Allow", "Deny"):
        raise ValueError(f"Effect is '{effect}'; it is Allow or Deny")
    unknown = document.keys() - ELEMENTS
    if unknown:
        raise ValueError(f"no element of a statement: {', '.join(sorted(unknown))}")
    actions, not_actions = _either(document, "Action")
    resources, not_resources = _either(document, "Resource", absent=("*",))
    return Statement(
        effect=effect,
        actions=actions,
        not_actions=not_actions,
        resources=resources,
        not_resources=not_resources,
        principals=Principals.parse(document),
        conditions=parse_conditions(document.get("Condition") or {}),
    )


ELEMENTS = frozenset(
    {"Sid", "Effect", "Condition"}
    | {
        f"{negation}{name}"
        for name in ("Action", "Resource", "Principal")
        for negation in ("", "Not")
    }
)
"""The elements of a statement."""


def _either(
    document: Mapping[str, Any], name: str, absent: tuple[str, ...] | None = None
) -> tuple[tuple[str, ...], bool]:
    """``Action`` or ``NotAction``, and which of both."""
    for element, negated in ((name, False), (f"Not{name}", True)):
        if element in document:
            value = document[element]
            return (tuple(value) if isinstance(value, list) else (str(value),)), negated
    if absent is None:
        raise KeyError(name)
    return absent, False
