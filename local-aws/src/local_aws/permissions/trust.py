"""Whether a document can be a role's trust policy.

Sources: IAM user guide, "Update a role trust policy" and "AWS JSON policy elements: Principal"; IAM
API reference, CreateRole, MalformedPolicyDocument. That the document must be
JSON, and how AWS says so, was recorded by LocalStack's suite; the other messages are as users quote
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from local_aws.arn import Arn
from local_aws.permissions import deployed
from local_aws.policies.conditions import UnknownOperator, parse_conditions
from local_aws.policies.documents import MalformedPolicy, Policy


def refuse_untrustworthy(document: str, account: str) -> None:
    """Raise `MalformedPolicy` with AWS's message unless ``document`` can say who assumes a role.

    A user or a role that it names must be there, if it is one of ``account``.
    """
    for statement in _statements(document):
        for element in ("Resource", "NotResource"):
            if element in statement:
                raise MalformedPolicy(f"Has prohibited field {element}")
        if "Principal" not in statement and "NotPrincipal" not in statement:
            raise MalformedPolicy("Missing required field Principal")
        _refuse_other_actions(statement)
        for kind, named in _principals(statement.get("Principal", statement.get("NotPrincipal"))):
            if not _is_there(kind, named, account):
                raise MalformedPolicy(f'Invalid principal in policy: "{kind.upper()}":"{named}"')
    try:
        Policy.parse(document, name="trust policy")
    except MalformedPolicy:
        raise MalformedPolicy("Syntax errors in policy.") from None


def _statements(document: str) -> list[dict[str, Any]]:
    try:
        policy = json.loads(document)
    except ValueError:
        raise MalformedPolicy("This policy contains invalid Json") from None
    statements = policy.get("Statement") if isinstance(policy, dict) else None
    several: list[Any] = statements if isinstance(statements, list) else [statements]
    if not several or not all(isinstance(each, dict) for each in several):
        raise MalformedPolicy("Syntax errors in policy.")
    for statement in several:
        try:
            parse_conditions(statement.get("Condition") or {})
        except UnknownOperator as unknown:
            raise MalformedPolicy(str(unknown)) from None
        except (AttributeError, TypeError):
            raise MalformedPolicy("Syntax errors in policy.") from None
    return several


def _refuse_other_actions(statement: dict[str, Any]) -> None:
    actions = statement.get("Action", statement.get("NotAction", []))
    for action in actions if isinstance(actions, list) else [actions]:
        if not re.match(r"sts:|\*$", str(action), re.IGNORECASE):
            raise MalformedPolicy("AssumeRole policy may only specify STS AssumeRole actions.")


def _principals(element: Any) -> Iterator[tuple[str, str]]:
    """Each principal with its kind: AWS, Service, Federated, CanonicalUser."""
    if element == "*":
        return
    if not isinstance(element, dict) or not element:
        raise MalformedPolicy("Syntax errors in policy.")
    for kind, named in element.items():
        if kind not in ("AWS", "Service", "Federated", "CanonicalUser"):
            raise MalformedPolicy("Syntax errors in policy.")
        for each in named if isinstance(named, list) else [named]:
            yield kind, str(each)


def _is_there(kind: str, named: str, account: str) -> bool:
    if kind == "Service":
        return re.fullmatch(r"[\w.-]+\.amazonaws\.com(\.cn)?", named) is not None
    if kind != "AWS":
        return bool(named)
    if re.fullmatch(r"\*|\d{12}", named):
        return True
    arn = Arn.parse(named)
    if arn.service not in ("iam", "sts") or re.fullmatch(r"\d{12}", arn.account) is None:
        return False
    if arn.account != account or not arn.resource.startswith(("user/", "role/")):
        return (
            re.match(r"root$|(user|role|assumed-role|federated-user)/.", arn.resource) is not None
        )
    return deployed.attached_to(named) is not None
