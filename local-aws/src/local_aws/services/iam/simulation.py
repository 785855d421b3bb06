"""What policies would let somebody do: SimulatePrincipalPolicy and SimulateCustomPolicy.

They are judged as calls are, but for the context: a condition knows the keys that the request gives
and no others. Source: IAM API reference, both operations; the answer's members and
the positions of statements, which are those after each brace, were recorded by LocalStack's suite
in 2025.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from local_aws.arn import Arn
from local_aws.permissions import deployed
from local_aws.policies.documents import MalformedPolicy, Policy, Statement
from local_aws.policies.evaluation import Call, Policies, decide
from local_aws.policies.principals import Principal
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call as ApiCall

_PAGE = 100


def simulate_principal_policy(call: ApiCall) -> dict[str, Any]:
    """What a user, a group or a role may do.

    Raises AwsError NoSuchEntity when it is not there, and as `simulate_custom_policy`.
    """
    source: str = call.parameters["PolicySourceArn"]
    attached = deployed.attached_to(source)
    if attached is None:
        raise AwsError(
            "NoSuchEntity", f"Could not find entity information for {source}.", status=404
        )
    caller = source if ":user/" in source else ""
    return _simulated(call.parameters, attached.policies, attached.boundary, caller)


def simulate_custom_policy(call: ApiCall) -> dict[str, Any]:
    """What somebody who has the given policies, and no others, may do.

    Raises AwsError InvalidInput for what is no policy, for a resource's policy without a caller,
    and for what is not simulated here.
    """
    return _simulated(call.parameters, (), None, "")


def _simulated(
    asked: Mapping[str, Any], own: Iterable[Policy], boundary: Policy | None, caller: str
) -> dict[str, Any]:
    for name in ("OrderedOrganizationPolicyInputList", "PolicyExclusionList"):
        if asked.get(name):
            raise AwsError("InvalidInput", f"the local AWS simulates nothing with {name}")
    limits = _given(asked, "PermissionsBoundaryPolicyInputList")
    caller = asked.get("CallerArn", caller)
    if "ResourcePolicy" in asked and not caller:
        raise AwsError("InvalidInput", "CallerArn is required with a ResourcePolicy")
    policies = Policies(
        identity=(*own, *_given(asked, "PolicyInputList")),
        boundary=limits[0] if limits else boundary,
        resource=_parsed(asked["ResourcePolicy"], "ResourcePolicy")
        if "ResourcePolicy" in asked
        else None,
    )
    who = Principal(account=Arn.parse(caller).account if caller else "", arn=caller)
    context = {
        each["ContextKeyName"].lower(): tuple(each.get("ContextKeyValues", ()))
        for each in asked.get("ContextEntries", ())
    }
    results = [
        _result(Call(principal=who, action=action, resource=resource, context=context), policies)
        for action in asked["ActionNames"]
        for resource in asked.get("ResourceArns") or ["*"]
    ]
    return _page(results, asked)


def _result(call: Call, policies: Policies) -> dict[str, Any]:
    decision = decide(call, policies)
    effect = "Allow" if decision.allowed else "Deny" if decision.explicit else ""
    said = {"Allow": "allowed", "Deny": "explicitDeny", "": "implicitDeny"}[effect]
    found: dict[str, Any] = {
        "MatchedStatements": list(_matched(call, policies, effect)),
        "MissingContextValues": sorted(set(_missing(call, policies))),
    }
    if policies.boundary is not None:
        within = policies.boundary.allows(call.action, call.resource, call.context)
        found["PermissionsBoundaryDecisionDetail"] = {"AllowedByPermissionsBoundary": within}
    own = {"EvalResourceName": call.resource, "EvalResourceDecision": said, **found}
    return {
        "EvalActionName": call.action,
        "EvalResourceName": call.resource,
        "EvalDecision": said,
        "EvalDecisionDetails": {},
        "OrganizationsDecisionDetail": {"AllowedByOrganizations": True},
        "ResourceSpecificResults": [own],
        **found,
    }


def _matched(call: Call, policies: Policies, effect: str) -> Iterator[dict[str, Any]]:
    """The statements that have led to a decision."""
    for policy in _every(policies):
        spans = _spans(policy.text)
        for statement, (start, end) in zip(policy.statements, spans, strict=False):
            meant = statement.principals is None or statement.principals.include(call.principal)
            covers = statement.covers(call.action, call.resource, call.context)
            if statement.effect == effect and meant and covers:
                kind = "Resource Policy" if policy is policies.resource else "IAM Policy"
                yield {
                    "SourcePolicyId": policy.name,
                    "SourcePolicyType": kind,
                    "StartPosition": _position(policy.text, start),
                    "EndPosition": _position(policy.text, end),
                }


def _missing(call: Call, policies: Policies) -> Iterator[str]:
    """Keys that the conditions of a statement about this call ask for, and nobody gave."""
    for policy in _every(policies):
        for statement in policy.statements:
            always: Statement = replace(statement, conditions=())
            if always.covers(call.action, call.resource, call.context):
                keys = (condition.key for condition in statement.conditions)
                yield from (key for key in keys if key not in call.context)


def _every(policies: Policies) -> tuple[Policy, ...]:
    return (*policies.identity, *(() if policies.resource is None else (policies.resource,)))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each statement of a document begins and ends: after its braces."""
    decoder, found = json.JSONDecoder(), _STATEMENTS.search(text)
    at = len(text) if found is None else found.end()
    while text.startswith("{", at):
        _, end = decoder.raw_decode(text, at)
        yield at + 1, end
        at = end + len(text[end:]) - len(text[end:].lstrip(" \t\r\n,"))


_STATEMENTS = re.compile(r'"Statement"\s*:\s*\[?\s*')


def _position(text: str, offset: int) -> dict[str, int]:
    before = text[:offset]
    return {"Line": before.count("\n") + 1, "Column": offset - before.rfind("\n")}


def _given(asked: Mapping[str, Any], name: str) -> list[Policy]:
    listed = asked.get(name) or []
    return [_parsed(text, f"{name}.{number}") for number, text in enumerate(listed, 1)]


def _parsed(text: str, name: str) -> Policy:
    try:
        return Policy.parse(text, name=name)
    except MalformedPolicy as malformed:
        raise AwsError("InvalidInput", str(malformed)) from None


def _page(results: list[dict[str, Any]], asked: Mapping[str, Any]) -> dict[str, Any]:
    marker = asked.get("Marker", "0")
    if not marker.isdecimal():
        raise AwsError("InvalidInput", f"Invalid Marker: '{marker}'")
    start, size = int(marker), asked.get("MaxItems", _PAGE)
    more = start + size < len(results)
    rest = {"Marker": str(start + size)} if more else {}
    return {"EvaluationResults": results[start : start + size], "IsTruncated": more, **rest}
