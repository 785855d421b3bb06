"""Whether a policy document is of the form that IAM's grammar gives it, part by part.

Sources: IAM user guide, "Grammar of the IAM JSON policy language" and the pages of its elements;
IAM API reference, CreateRole, PutRolePolicy. Elements are compared as they
are written: IAM takes ``effect`` for ``Effect`` in some places and not in others, and documents
neither. What is not known passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from local_aws.policies.conditions import UnknownOperator, parse_conditions
from local_aws.policies.documents import ELEMENTS
from local_aws.suggest import nearest
from local_aws.template import Unknown

Kind = Literal["identity", "trust", "resource"]
"""Whose policy it is: a role's or user's own, whom a role trusts, or a resource's."""

Path = tuple[str | int, ...]
Problem = tuple[Path, str]
"""Where in a document something stands, and what is wrong with it."""

VERSIONS = ("2012-10-17", "2008-10-17")
_OF_DOCUMENT = ("Version", "Id", "Statement")
_PRINCIPALS = ("AWS", "Service", "Federated", "CanonicalUser")
_NEEDED = {
    "identity": ("Action", "Resource"),
    "trust": ("Action", "Principal"),
    "resource": ("Action", "Principal"),
}
_ACTION = re.compile(r"\*|[a-zA-Z0-9-]+:[a-zA-Z0-9*?]+")
_RESOURCE = re.compile(r"arn(:[^:]*){4}:.+|(arn:|\$\{)?.*[*?}].*", re.DOTALL)
"""An ARN; with a wildcard or a variable in it, whatever could become one."""


def policy_problems(document: Any, kind: Kind) -> Iterator[Problem]:
    """What a policy document breaks of IAM's grammar."""
    if isinstance(document, Unknown):
        return
    if not isinstance(document, Mapping):
        yield (), "a policy must be a mapping with Version and Statement"
        return
    for name in document:
        if name not in _OF_DOCUMENT:
            yield (str(name),), f"a policy has no element {name!r}; {_meant(name, _OF_DOCUMENT)}"
    version = document.get("Version")
    if version is not None and not isinstance(version, Unknown) and str(version) not in VERSIONS:
        yield ("Version",), f"Version is {version!r}; it must be {' or '.join(VERSIONS)}"
    statements = document.get("Statement")
    if statements is None:
        yield ("Statement",), "a policy needs Statement; add it"
    several = statements if isinstance(statements, list) else [statements]
    if isinstance(statements, list) and not statements:
        yield ("Statement",), "Statement is empty; a policy has one statement or more"
    sids: set[str] = set()
    for index, statement in enumerate(several):
        path: Path = ("Statement", index) if isinstance(statements, list) else ("Statement",)
        if isinstance(statement, Unknown) or statements is None:
            continue
        if not isinstance(statement, Mapping):
            yield path, "a statement must be a mapping with Effect and Action"
            continue
        for inner, said in _of_statement(statement, kind):
            yield (*path, *inner), said
        sid = statement.get("Sid")
        if isinstance(sid, str) and sid:
            if sid in sids and kind == "identity":
                yield (*path, "Sid"), f"Sid {sid!r} stands above; each is its policy's own"
            sids.add(sid)


def _of_statement(statement: Mapping[str, Any], kind: Kind) -> Iterator[Problem]:
    for name in statement:
        if name not in ELEMENTS:
            known = sorted(ELEMENTS - statement.keys())
            yield (str(name),), f"a statement has no element {name!r}; {_meant(name, known)}"
    effect = statement.get("Effect")
    if effect is None:
        yield ("Effect",), "a statement needs Effect, Allow or Deny; add it"
    elif not isinstance(effect, Unknown) and effect not in ("Allow", "Deny"):
        yield ("Effect",), f"Effect is {effect!r}; it must be Allow or Deny"
    for name in ("Action", "Resource", "Principal"):
        given = [each for each in (name, f"Not{name}") if each in statement]
        if len(given) > 1:
            yield (given[1],), f"a statement has {' and '.join(given)}; keep one"
        if not given and name in _NEEDED[kind]:
            yield (name,), f"a statement of this policy needs {name}; add it"
    for name in ("Principal", "NotPrincipal") if kind == "identity" else ():
        if name in statement:
            yield (name,), f"{name} may not stand in the policy of a role or user; remove it"
    for name in ("Resource", "NotResource") if kind == "trust" else ():
        if name in statement:
            yield (name,), f"{name} may not stand in a trust policy; remove it"
    sid = statement.get("Sid")
    if kind == "identity" and isinstance(sid, str) and not re.fullmatch("[A-Za-z0-9]*", sid):
        yield ("Sid",), f"Sid is {sid!r}; it is made of letters and digits"
    yield from _of_texts(statement, kind)
    yield from _of_principals(statement)
    yield from _of_conditions(statement.get("Condition"))


def _of_texts(statement: Mapping[str, Any], kind: Kind) -> Iterator[Problem]:
    for name in ("Action", "NotAction", "Resource", "NotResource"):
        given = statement.get(name)
        for path, text in _several((name,), given):
            if not isinstance(text, str):
                if not isinstance(text, Unknown):
                    yield path, f"{name} must be text, or a list of texts"
            elif name.endswith("Action") and not _ACTION.fullmatch(text):
                yield path, f"{name} has {text!r}; it must be SERVICE:ACTION, such as s3:GetObject"
            elif name.endswith("Action") and kind == "trust" and not _is_of_sts(text):
                yield path, f"{name} has {text!r}; a trust policy allows actions of sts alone"
            elif name.endswith("Resource") and kind == "identity" and not _RESOURCE.fullmatch(text):
                yield path, f"{name} has {text!r}; it must be an ARN or *"
        if isinstance(given, list) and not given:
            yield (name,), f"{name} is empty; name one or more"


def _is_of_sts(action: str) -> bool:
    return action == "*" or action.lower().startswith("sts:")


def _of_principals(statement: Mapping[str, Any]) -> Iterator[Problem]:
    for name in ("Principal", "NotPrincipal"):
        given = statement.get(name)
        if given is None or isinstance(given, Unknown) or given == "*":
            continue
        if not isinstance(given, Mapping) or not given:
            yield (
                (name,),
                f"{name} must be '*' or a mapping such as Service: sagemaker.amazonaws.com",
            )
            continue
        for kind in given:
            if kind not in _PRINCIPALS:
                yield (name, kind), f"{name} has no kind {kind!r}; {_meant(kind, _PRINCIPALS)}"


def _of_conditions(given: Any) -> Iterator[Problem]:
    if given is None or isinstance(given, Unknown):
        return
    blocks = given.items() if isinstance(given, Mapping) else ()
    if not isinstance(given, Mapping) or not all(
        isinstance(keys, Mapping | Unknown) for _, keys in blocks
    ):
        yield ("Condition",), "Condition must be a mapping: OPERATOR: {KEY: VALUE}"
        return
    for operator, _ in blocks:
        try:
            parse_conditions({str(operator): {"aws:key": ""}})
        except UnknownOperator as unknown:
            yield ("Condition", str(operator)), str(unknown)


def _several(path: Path, given: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(given, list):
        for index, each in enumerate(given):
            yield (*path, index), each
    elif given is not None:
        yield path, given


def _meant(name: Any, known: Any) -> str:
    near = nearest(str(name), known)
    return f"did you mean {near}?" if near else f"it has {', '.join(known)}"
