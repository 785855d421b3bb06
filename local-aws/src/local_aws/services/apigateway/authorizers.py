"""Who may call a method: signatures, functions that judge, usage plans.

Sources: API Gateway developer guide, "Control and manage access to REST APIs", "Output from an API
Gateway Lambda authorizer"; how AWS refuses was recorded by LocalStack's suite and
stands in that guide's "Gateway response types".
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from local_aws.context import LocalContext
from local_aws.permissions.identities import Developer
from local_aws.policies.documents import MalformedPolicy, Policy
from local_aws.protocol import AwsError
from local_aws.web.functions import Functions, NotPermitted, TooSlow
from local_aws.web.payloads import event_1
from local_aws.web.records import Record, Records

from .failures import GatewayFailure
from .integrations import Invocation

ACTION = "execute-api:Invoke"

_DENIED = "User is not authorized to access this resource"


class Authorizers:
    """Judges requests of methods."""

    def __init__(self, context: LocalContext, records: Records) -> None:
        self._context = context
        self._records = records
        self._functions = Functions(context)
        self._cached: dict[tuple[str, ...], tuple[float, Any]] = {}

    def judge(self, given: Invocation, snapshot: Mapping[str, Record], method_arn: str) -> None:
        """Raise `GatewayFailure` unless the request may pass; what is learnt is in its context."""
        kind = given.method.get("authorizationType", "NONE")
        is_open = kind != "AWS_IAM"
        if snapshot[""].get("policy") and is_open:
            evaluator, context = self._context.evaluator, {"aws:SourceIp": given.request.source_ip}
            if not evaluator.lets_everyone(ACTION, method_arn, context):
                raise GatewayFailure(
                    "ACCESS_DENIED",
                    f"User: anonymous is not authorized to perform: {ACTION} on resource: "
                    f"{method_arn}",
                )
        if kind == "AWS_IAM":
            self._require_signature(given, method_arn)
        elif kind == "COGNITO_USER_POOLS":
            said = "the local AWS has no user pools, and so lets nobody pass an authorizer by them"
            raise GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", said)
        elif kind == "CUSTOM":
            authorizer = snapshot[f"/authorizers/{given.method['authorizerId']}"]
            self._ask(given, authorizer, method_arn)
        if given.method.get("apiKeyRequired"):
            self._require_key(given, snapshot[""])

    def _require_signature(self, given: Invocation, method_arn: str) -> None:
        try:
            who = given.request.caller()
        except AwsError as refused:
            unsigned = refused.code.startswith("MissingAuthenticationToken")
            kind = "MISSING_AUTHENTICATION_TOKEN" if unsigned else "INVALID_SIGNATURE"
            said = "Missing Authentication Token" if unsigned else refused.message
            raise GatewayFailure(kind, said) from None
        identity = given.sides.context["identity"]
        identity |= {"accountId": self._context.account_id, "accessKey": who.access_key_id}
        if isinstance(who, Developer):
            return
        identity |= {"userArn": who.arn, "caller": who.access_key_id, "user": who.access_key_id}
        decision = self._context.evaluator.decision(who, ACTION, method_arn)
        if not decision.allowed:
            raise GatewayFailure(
                "ACCESS_DENIED",
                f"User: {who.arn} is not authorized to perform: {ACTION} on resource: {method_arn}"
                f" {decision.because(ACTION)}",
            )

    def _ask(self, given: Invocation, authorizer: Record, method_arn: str) -> None:
        """Have the authorizer's function say whether the request may pass."""
        sources = _identity(given, authorizer)
        key = (authorizer["id"], given.sides.context["stage"], *sources)
        expires, answer = self._cached.get(key, (0.0, None))
        if time.monotonic() >= expires:
            answer = self._asked(given, authorizer, method_arn, sources)
            seconds = int(authorizer.get("authorizerResultTtlInSeconds", 300)) if sources else 0
            self._cached[key] = (time.monotonic() + self._context.seconds(seconds), answer)
        try:
            policy = Policy.parse(answer["policyDocument"], name="the authorizer's answer")
            principal = answer["principalId"]
            denied = policy.denies(ACTION, method_arn, {})
            allowed = policy.allows(ACTION, method_arn, {})
        except (KeyError, TypeError, MalformedPolicy):
            raise GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", None) from None
        if denied or not allowed:
            said = f"{_DENIED} with an explicit deny" if denied else _DENIED
            raise GatewayFailure("ACCESS_DENIED", said)
        learnt = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in (answer.get("context") or {}).items()
        }
        given.sides.context["authorizer"] = {"principalId": principal, **learnt}
        if answer.get("usageIdentifierKey"):
            given.sides.context["identity"]["apiKey"] = answer["usageIdentifierKey"]

    def _asked(
        self, given: Invocation, authorizer: Record, method_arn: str, sources: list[str]
    ) -> Any:
        event: dict[str, Any] = {"type": authorizer["type"], "methodArn": method_arn}
        if authorizer["type"] == "TOKEN":
            event["authorizationToken"] = sources[0]
        else:
            event |= event_1(
                given.request,
                context=given.sides.context,
                resource=given.resource,
                path=given.path,
                path_parameters=given.sides.path_parameters,
                stage_variables=given.sides.stage_variables,
                is_binary=False,
            )
            for name in ("body", "isBase64Encoded"):
                del event[name]
        arn = authorizer["authorizerUri"].partition("/functions/")[2].removesuffix("/invocations")
        source = ":".join(method_arn.split(":")[:5])
        source = f"{source}:{given.sides.context['apiId']}/authorizers/{authorizer['id']}"
        try:
            outcome = self._functions.call(
                arn,
                event,
                source_arn=source,
                role_arn=authorizer.get("authorizerCredentials"),
                seconds=29,
            )
            value = outcome.value
        except (ClientError, NotPermitted, TooSlow, ValueError):
            raise GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", None) from None
        if outcome.failed:
            if isinstance(value, dict) and value.get("errorMessage") == "Unauthorized":
                raise GatewayFailure("UNAUTHORIZED", "Unauthorized")
            raise GatewayFailure("AUTHORIZER_FAILURE", None)
        return value

    def _require_key(self, given: Invocation, api: Record) -> None:
        """Raise INVALID_API_KEY unless the key is one of a usage plan of this stage."""
        context = given.sides.context
        identity = context["identity"]
        value = given.request.header("X-API-Key")
        if api.get("apiKeySource") == "AUTHORIZER":
            value = identity.get("apiKey") or ""
        region = given.source_arn.split(":")[3]
        stage = {"apiId": context["apiId"], "stage": context["stage"]}
        plans = self._records.listed(f"{region}/usageplans")
        for plan in plans:
            stages = [{k: each.get(k) for k in stage} for each in plan.get("apiStages") or ()]
            for key in self._records.listed(f"{region}/usageplans/{plan['id']}/keys"):
                kept = self._records.find(f"{region}/apikeys/{key['id']}")
                is_that = stage in stages and value and kept and kept["value"] == value
                if is_that and kept is not None and kept["enabled"]:
                    identity |= {"apiKey": value, "apiKeyId": key["id"]}
                    return
        raise GatewayFailure("INVALID_API_KEY", "Forbidden")


def _identity(given: Invocation, authorizer: Record) -> list[str]:
    """What the authorizer knows a caller by. Raises UNAUTHORIZED when some of it is not there."""
    parameters = given.sides.parameters()
    headers = {name.lower(): value for name, value in parameters["header"].items()}
    found = []
    for source in str(authorizer.get("identitySource") or "").split(","):
        place, _, name = source.strip().removeprefix("method.request.").partition(".")
        if place == "header":
            value = headers.get(name.lower())
        elif place == "querystring":
            value = parameters["querystring"].get(name)
        elif source.strip():
            value = given.sides.mapped(
                {"integration.request.header.it": source.strip()}, "integration.request."
            )["header"].get("it")
        else:
            continue
        if not value:
            raise GatewayFailure("UNAUTHORIZED", "Unauthorized")
        found.append(str(value))
    pattern = authorizer.get("identityValidationExpression")
    if authorizer["type"] == "TOKEN" and pattern and not re.fullmatch(pattern, found[0]):
        raise GatewayFailure("UNAUTHORIZED", "Unauthorized")
    return found
