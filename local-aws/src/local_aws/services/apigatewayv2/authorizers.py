"""Who may call an HTTP API's route: signatures, and functions that judge.

Source: API Gateway developer guide, "Control access to HTTP APIs with AWS Lambda authorizers".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.permissions.identities import Developer
from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.protocol import AwsError
from local_aws.web.functions import Outcome

from .calls import INTERNAL, Call, Refused, function_arn, source_of

ACTION = "execute-api:Invoke"

Event = Callable[[Call, str], dict[str, Any]]
"""A call in a payload format, as functions get it."""

Invoke = Callable[[str, dict[str, Any], str, str | None, float], Outcome]
"""Calls a function by its ARN: with an event, as a source, in a role's name or None, for
seconds."""


class Authorizers:
    """Judges the requests of one API."""

    def __init__(self, context: LocalContext, region: str, event: Event, invoke: Invoke) -> None:
        self._context = context
        self._region = region
        self._event = event
        self._invoke = invoke

    def judge(self, call: Call) -> dict[str, Any] | None:
        """What is known of who calls, for the function. Raises `Refused`."""
        match call.route.get("AuthorizationType", "NONE"):
            case "AWS_IAM":
                return {"iam": self._signer(call)}
            case "CUSTOM":
                return {"lambda": self._asked(call)}
            case "JWT":
                said = "the local AWS verifies no tokens, and so lets nobody pass a JWT authorizer"
                raise Refused(500, said)
        return None

    def _signer(self, call: Call) -> dict[str, Any]:
        try:
            who = call.request.caller()
        except AwsError:
            raise Refused(403, "Forbidden") from None
        if not isinstance(who, Developer):
            called = call.called_arn
            if not self._context.evaluator.allows(who, ACTION, called):
                raise Refused(403, "Forbidden")
        developer = isinstance(who, Developer)
        arn = arn_in(self._region, "iam", self._context.account_id, "root")
        return {
            "accessKey": who.access_key_id,
            "accountId": self._context.account_id,
            "callerId": who.access_key_id,
            "cognitoIdentity": None,
            "principalOrgId": None,
            "userArn": arn if developer else who.arn,
            "userId": who.access_key_id,
        }

    def _asked(self, call: Call) -> dict[str, Any]:
        """What the authorizer's function says; asked each time, as AWS does without a TTL."""
        authorizer = call.snapshot[f"/authorizers/{call.route['AuthorizerId']}"]
        sources = [source_of(each, call) for each in authorizer.get("IdentitySource") or ()]
        if not all(sources):
            raise Refused(401, "Unauthorized")
        version = authorizer.get("AuthorizerPayloadFormatVersion", "2.0")
        event = self._event(call, version)
        event.pop("body", None)
        event.pop("isBase64Encoded", None)
        called = call.called_arn
        event |= {"type": "REQUEST"}
        if version == "2.0":
            event |= {"routeArn": called, "identitySource": sources or None}
        else:
            event |= {"methodArn": called, "identitySource": ",".join(sources)}
            event |= {"authorizationToken": ",".join(sources)}
        arn = str(authorizer["AuthorizerUri"])
        outcome = self._invoke(
            function_arn(arn, call.stage),
            event,
            f"{call.arn.split('/')[0]}/authorizers/{authorizer['AuthorizerId']}",
            authorizer.get("AuthorizerCredentialsArn"),
            10,
        )
        value = None if outcome.failed else json.loads(outcome.payload or b"null")
        if outcome.failed and b'"Unauthorized"' in outcome.payload:
            raise Refused(401, "Unauthorized")
        try:
            return _judged(value, called, simple=bool(authorizer.get("EnableSimpleResponses")))
        except (KeyError, TypeError, AttributeError, MalformedPolicy):
            raise Refused(500, INTERNAL) from None


def _judged(value: Any, arn: str, *, simple: bool) -> dict[str, Any]:
    """What an authorizer says of a caller. Raises `Refused`, and KeyError for no answer at all."""
    if simple:
        if not value["isAuthorized"]:
            raise Refused(403, "Forbidden")
    else:
        policy = Policy.parse(value["policyDocument"], name="the authorizer's answer")
        if policy.denies(ACTION, arn, {}) or not policy.allows(ACTION, arn, {}):
            raise Refused(403, "Forbidden")
    return dict(value.get("context") or {})
