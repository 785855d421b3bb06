"""Policy documents of a template, of which a part may be unknown, at their most permissive."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.template import Unknown, has_unknown

_VARIABLE = re.compile(r"\$\{[^}]*\}")


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
    kept = [_widest(statement) for statement in read if _counts(statement)]
    try:
        return Policy.parse({"Statement": kept}, name="policy")
    except MalformedPolicy:
        return None


def _counts(statement: Mapping[str, Any]) -> bool:
    return statement.get("Effect") != "Deny" or not (
        statement.get("Condition") or has_unknown(dict(statement))
    )


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
