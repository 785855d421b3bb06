"""Who may invoke a function: the statements of its resource policy, one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any
from uuid import uuid4

from local_aws.arn import Arn, arn_in
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import (
    Target,
    absent,
    check_revision,
    conflict,
    find_alias,
    find_function,
    find_version,
    qualified,
    qualifier_of,
)
from local_aws.services.lambda_.store import LATEST, Function, Store, arn_of

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class Policies:
    """Each method is an action of the API."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_permission(self, region: str, given: Parameters) -> Answer:
        """Add a statement to the policy of the function, or of a version or alias of it."""
        qualifier = qualifier_of(given, region)
        if qualifier == LATEST:
            raise invalid("We currently do not support adding policies for $LATEST.")
        with self._store.lock:
            function, resource = self._with_policy(region, given)
            statement = _statement(given, qualified(function.arn, qualifier))
            check_revision(given, resource["RevisionId"], told_by="GetPolicy")
            statements = function.policies.get(qualifier, [])
            if any(each["Sid"] == statement["Sid"] for each in statements):
                raise conflict(
                    f"The statement id ({statement['Sid']}) provided already exists. Please "
                    "provide a new statement id, or remove the existing statement."
                )
            _set_policy(function, qualifier, resource, [*statements, statement])
        return {"Statement": json.dumps(statement)}

    def remove_permission(self, region: str, given: Parameters) -> Answer:
        """Take a statement out of the policy."""
        name, qualifier = astuple(Target.of(given, region))
        if self._store.find(region, name) is None:
            raise absent(f"No policy found for: {arn_of(self._store.account, region, name)}")
        with self._store.lock:
            function, resource = self._with_policy(region, given)
            statements = function.policies.get(qualifier)
            if not statements:
                raise absent("No policy is associated with the given resource.")
            kept = [each for each in statements if each["Sid"] != given["StatementId"]]
            if len(kept) == len(statements):
                raise absent(f"Statement {given['StatementId']} is not found in resource policy.")
            check_revision(given, resource["RevisionId"], told_by="GetPolicy")
            _set_policy(function, qualifier, resource, kept)
        return {}

    def get_policy(self, region: str, given: Parameters) -> Answer:
        """The policy's text."""
        name, qualifier = astuple(Target.of(given, region))
        function = self._store.find(region, name)
        statements = function.policies.get(qualifier) if function else None
        if function is None or not statements:
            raise absent("The resource you requested does not exist.")
        policy = {"Version": "2012-10-17", "Id": "default", "Statement": statements}
        return {"Policy": json.dumps(policy), "RevisionId": function.policy_revisions[qualifier]}

    def _with_policy(self, region: str, given: Parameters) -> tuple[Function, Answer]:
        """The function, and of it what a policy is attached to: $LATEST, a version, an alias."""
        function = find_function(self._store, region, given)
        qualifier = qualifier_of(given, region)
        if qualifier in function.aliases or _ALIAS.fullmatch(qualifier):
            return function, find_alias(function, qualifier)
        return find_version(self._store, region, given)


_ALIAS = re.compile(r"(?!\d+$)[A-Za-z0-9_-]+")
"""What an alias may be called; another qualifier means a version (Lambda API reference,
CreateAlias)."""

_SERVICE = re.compile(r"[a-z0-9.-]+\.(amazonaws\.com(\.cn)?|amazon\.com)")


def _set_policy(
    function: Function, qualifier: str, resource: Answer, statements: list[Answer]
) -> None:
    """Attach a policy; it and what it is attached to become another revision."""
    function.policies[qualifier] = statements
    resource["RevisionId"] = function.policy_revisions[qualifier] = str(uuid4())


def _statement(given: Parameters, resource: str) -> Answer:
    condition: dict[str, dict[str, str]] = {}
    for member, operator, key in _CONDITIONS:
        if given.get(member) is not None:
            value = given[member]
            text = str(value).lower() if isinstance(value, bool) else str(value)
            condition.setdefault(operator, {})[key] = text
    return {
        "Sid": given["StatementId"],
        "Effect": "Allow",
        "Principal": _principal(given["Principal"], Arn.parse(resource).region),
        "Action": given["Action"],
        "Resource": resource,
        **({"Condition": condition} if condition else {}),
    }


def _principal(text: str, region: str) -> str | dict[str, str]:
    """Who may: everyone, a service, an account by its id, or whoever an ARN names."""
    if text == "*":
        return text
    if _SERVICE.fullmatch(text):
        return {"Service": text}
    if re.fullmatch(r"\d{12}", text):
        return {"AWS": arn_in(region, "iam", text, "root")}
    if Arn.parse(text).service in ("iam", "sts"):
        return {"AWS": text}
    raise invalid("The provided principal was invalid. Please check the principal and try again.")


_CONDITIONS = (
    ("SourceArn", "ArnLike", "AWS:SourceArn"),
    ("SourceAccount", "StringEquals", "AWS:SourceAccount"),
    ("PrincipalOrgID", "StringEquals", "aws:PrincipalOrgID"),
    ("EventSourceToken", "StringEquals", "lambda:EventSourceToken"),
    ("FunctionUrlAuthType", "StringEquals", "lambda:FunctionUrlAuthType"),
    ("InvokedViaFunctionUrl", "Bool", "lambda:InvokedViaFunctionUrl"),
)
