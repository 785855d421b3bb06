"""Policy documents of a template, of which a part may be unknown, at their most permissive."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.policies.patterns import matches, matches_action
from local_aws.template import Unknown, has_unknown
from sagemaker_serving.catalog.published import is_repository_of_aws
from sagemaker_serving.rules.facts.roles import GivenPolicy, Need
from sagemaker_serving.rules.template.marks import MARK, MARKED

_OPEN = re.compile(f"{MARK}=[^{MARK}]*{MARK}")
_OWN_ACCOUNT = f"{MARK}=AWS::AccountId{MARK}"
_VARIABLE = re.compile(r"\$\{[^}]*\}")


def known_policies(given: Sequence[GivenPolicy]) -> list[Policy] | None:
    """All policies of a role at their most permissive; None where one may allow more than that."""
    read = [None if one.of_aws else most_permissive(one.document) for one in given]
    known = [policy for policy in read if policy is not None]
    return known if len(known) == len(read) else None


def most_permissive(document: Any) -> Policy | None:
    """The document as a policy that allows all which it may allow once it is deployed.

    Conditions may hold, so that statements which allow something are without them, and those which
    deny something under one are left out. What is unknown may be anything. None where nothing
    certain can be said of it at all.
    """
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except ValueError:
            return None
    statements = document.get("Statement") if isinstance(document, Mapping) else None
    several = statements if isinstance(statements, list) else [statements]
    read = [statement for statement in several if isinstance(statement, Mapping)]
    if len(read) < len(several):
        return None
    kept = [
        _widest(one)
        for one in read
        if one.get("Effect") != "Deny" or not (one.get("Condition") or has_unknown(dict(one)))
    ]
    try:
        return Policy.parse({"Statement": kept}, name="policy")
    except MalformedPolicy:
        return None


def _widest(statement: Mapping[str, Any]) -> dict[str, Any]:
    widest = {}
    for key, value in statement.items():
        if key in ("Condition", "Sid"):
            continue
        if key.startswith("Not") and has_unknown(value):
            widest[key.removeprefix("Not")] = "*"
        else:
            widest[key] = _widened(value)
    return widest


def _widened(value: Any) -> Any:
    """``*`` for what is unknown, and for variables of the policy's own."""
    if isinstance(value, Unknown):
        pieces = (piece if isinstance(piece, str) else "*" for piece in value.pieces)
        return _widened("".join(pieces)) if value.pieces else "*"
    if isinstance(value, Mapping):
        return {key: _widened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_widened(inner) for inner in value]
    return _VARIABLE.sub("*", value) if isinstance(value, str) else value


def may_allow(policy: Policy, need: Need) -> bool:
    """Whether it allows the action on what may be the same resource."""
    return any(
        one.not_resources or any(may_be(pattern, need.resource) for pattern in one.resources)
        for one in policy.statements
        if one.effect == "Allow"
        and any(matches_action(name, need.action) for name in one.actions) != one.not_actions
    )


def resources_of(policy: Policy, service: str) -> list[str]:
    """The resources on which it allows some action of the service; ``*`` for all but some."""
    return [
        resource
        for one in policy.statements
        if one.effect == "Allow"
        if one.not_actions
        or any(fnmatchcase(service, name.partition(":")[0].lower()) for name in one.actions)
        for resource in (("*",) if one.not_resources else one.resources)
    ]


def allows(policy: Policy, need: Need) -> bool:
    """Whether it allows the action on just that resource, as far as the two say what they are."""
    return any(
        matches(pattern, need.resource)
        for one in policy.statements
        if one.effect == "Allow" and not (one.not_actions or one.not_resources)
        if any(matches_action(name, need.action) for name in one.actions)
        for pattern in one.resources
    )


def shown(resource: str) -> str:
    """A resource as a template writes it; "" where it is not known."""
    return "" if resource == "*" or _OPEN.search(resource) else MARKED.sub(r"${\1}", resource)


def ids_of(resource: str) -> list[str]:
    """The logical ids of the template's resources that an ARN names."""
    return MARKED.findall(_OPEN.sub("", resource))


def name_shown(resource: str) -> str:
    """What an ARN names, as a template writes it: ``endpoint/${Digits}``."""
    shown = MARKED.sub(r"${\1}", _OPEN.sub("*", resource).split(":", _PARTS)[-1])
    return shown.removeprefix("*") or "*"


def may_be(one: str, other: str) -> bool:
    """Whether two patterns can mean the same.

    Two resources of the template are not the same. Beside a text, each may have any name. The
    account that is deployed to is none of those from which AWS publishes images.
    """
    if _OWN_ACCOUNT in one and is_repository_of_aws(other):
        return False
    if other.startswith("arn:aws:sagemaker:"):  # whose names are in small letters in an ARN
        one, other = one.lower(), other.lower()
    one, other = _OPEN.sub("*", one), _OPEN.sub("*", other)
    if MARK not in one or MARK not in other:
        one, other = MARKED.sub("*", one), MARKED.sub("*", other)
    parts = one.split(":", _PARTS), other.split(":", _PARTS)
    if all(len(each) > _PARTS for each in parts):
        return all(map(_overlap, *parts))
    return _overlap(one, other)


_PARTS = 5
"""The colons of an ARN before the resource's own name: none of the parts between has one."""


def _overlap(one: str, other: str) -> bool:
    """Whether a text is of both patterns."""
    seen, waiting = set(), [(0, 0)]
    while waiting:
        at, beside = place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        here, there = one[at : at + 1], other[beside : beside + 1]
        if not here and not there:
            return True
        if here == "*":
            waiting.append((at + 1, beside))
        if there == "*":
            waiting.append((at, beside + 1))
        if here == "*" and there:
            waiting.append((at, beside + 1))
        if there == "*" and here:
            waiting.append((at + 1, beside))
        if here and there and (here == there or "?" in (here, there)):
            waiting.append((at + 1, beside + 1))
    return False
