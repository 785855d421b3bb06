"""InvokeInferenceRouter: a request goes to a destination that takes it, with the caller's own
permissions.

Sources: botocore's documentation of SageMaker Inference Router Runtime; SageMaker developer guide,
"Troubleshoot inference routers" and "Security and data protection for inference routers". How long
AWS takes a destination for unhealthy that has refused a request is not documented.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError
from werkzeug import Response

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.faults import Kind
from local_aws.permissions.evaluator import account_principal
from local_aws.permissions.identities import Developer, arn_of
from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.answers import request_id
from local_aws.protocol.call import Call
from local_aws.service import Action, Limit, Service
from sagemaker_serving.catalog.request_sizes import ROUTED_BYTES
from sagemaker_serving.local_sagemaker.common.store import Region, Resource, Store
from sagemaker_serving.local_sagemaker.endpoints.runtime import Runtime
from sagemaker_serving.local_sagemaker.inference_routers.routers import InferenceRouters

_PREFIX = "X-Amzn-SageMaker-"
_KEY = "sagemaker:SourceInferenceRouterArn"
_ATTEMPTS = 2
_UNHEALTHY_SECONDS = 30.0
_PASSED_ON = {
    "ContentType": "Content-Type",
    "Accept": "Accept",
    "CustomAttributes": f"{_PREFIX}Custom-Attributes",
    "InferenceId": f"{_PREFIX}Inference-Id",
    "PrefixAwareId": f"{_PREFIX}Prefix-Aware-Id",
}
"""Parameters of InvokeEndpoint by the header that the router has them in."""


class InferenceRouterRuntime(Service):
    """What sends requests to destinations of a router; bodies pass as bytes."""

    name = "sagemaker-inference-router-runtime"
    whole = True
    permissions = ServicePermissions(
        prefix="sagemaker",
        resources={"InferenceRouterName": "inference-router/{}"},
        denied=Refusal(code="AccessDeniedException", status=403),
    )
    limits = (
        Limit(
            "routers: health, MaxTimeInBacklogSeconds, RoutingPreference, the routing target's "
            "own key and topics",
            "a destination that refused a request comes last for 30 seconds; an asynchronous "
            "request stays where it was put, and is told of to the endpoint's own topics",
        ),
        Limit("routers: asynchronous destinations of another account", "refused by name"),
    )

    def __init__(
        self, context: LocalContext, store: Store, routers: InferenceRouters, runtime: Runtime
    ) -> None:
        self._context = context
        self._store = store
        self._routers = routers
        self._runtime = runtime
        self._lock = threading.Lock()
        self._turn = 0
        self._refused: dict[str, float] = {}

    def actions(self) -> Mapping[str, Action]:
        """Both."""
        return {
            "InvokeInferenceRouter": self._invoke,
            "InvokeInferenceRouterAsync": self._invoke_async,
        }

    def _invoke(self, call: Call) -> Response:
        router, target = self._target(call, asynchronous=False)
        body = _read(call)
        given = {
            parameter: call.headers[header.lower()]
            for parameter, header in _PASSED_ON.items()
            if header.lower() in call.headers
        }
        arns = [each["ResourceArn"] for each in target["Destinations"]]
        own = [arn for arn in arns if Arn.parse(arn).account == call.account]
        for arn in own:
            self._judge(call, router, arn)
        failed: AwsError | None = None
        for chosen in self._in_order(call.region, arns):
            try:
                if chosen.arn not in own:
                    self._judge(call, router, chosen.arn)
                answer = self._ask(chosen.arn, given, body)
            except AwsError as error:
                failed = error
                if not _may_be_taken_elsewhere(error):
                    break
                with self._lock:
                    self._refused[chosen.arn] = time.monotonic()
                continue
            with self._lock:
                self._refused.pop(chosen.arn, None)
            reason = chosen.reason if failed is None else "failover"
            return _answered(answer, chosen.arn, reason)
        raise _told(failed)

    def _invoke_async(self, call: Call) -> Response:
        router, target = self._target(call, asynchronous=True)
        arns = [each["ResourceArn"] for each in target["Destinations"]]
        for arn in arns:
            if Arn.parse(arn).account != call.account:
                raise AwsError(
                    "ValidationException",
                    "the local AWS does not offer an asynchronous destination of another account, "
                    f"as {arn} is",
                )
            self._judge(call, router, arn, action="sagemaker:InvokeEndpointAsync")
        assert call.request is not None
        chosen = next(self._in_order(call.region, arns), None)
        if chosen is None:
            raise _told(None)
        place = Arn.parse(chosen.arn)
        try:
            answer = self._runtime.invoke_async(
                place.region,
                self._named(place)["EndpointName"],
                call.request.headers,
                b"",
                output=target["AsyncInferenceConfig"]["OutputConfig"],
            )
        except AwsError as refused:  # of an endpoint in service: the request is wrong
            raise AwsError("ValidationException", refused.message, status=refused.status) from None
        return Response(answer.body, answer.status, headers=[*answer.headers, request_id()])

    def _target(self, call: Call, *, asynchronous: bool) -> tuple[Resource, Resource]:
        """The router, and the routing target that the request names. Raises
        ValidationException."""
        region: Region = self._store.region(call.region)
        wanted = call.headers.get(f"{_PREFIX}Routing-Target-Name".lower())
        try:
            router = self._routers.find(region, call.parameters["InferenceRouterName"])
        except AwsError as missing:
            raise AwsError("ValidationException", missing.message) from None
        targets = {each["Name"]: each for each in router["RoutingTargets"]}
        if wanted not in targets:
            raise AwsError(
                "ValidationException",
                f"{router['InferenceRouterArn']} has no routing target {wanted!r}; it has "
                f"{', '.join(sorted(targets))}",
            )
        target = targets[wanted]
        if ("AsyncInferenceConfig" in target) is not asynchronous:
            other = "InvokeInferenceRouter" if asynchronous else "InvokeInferenceRouterAsync"
            kind = "real-time" if asynchronous else "asynchronous"
            raise AwsError("ValidationException", f"{wanted} is {kind}; use {other}")
        if router["Status"] == "Creating":
            raise _unavailable(f"{router['InferenceRouterArn']} is Creating")
        return router, target

    def _judge(
        self, call: Call, router: Resource, arn: str, *, action: str = "sagemaker:InvokeEndpoint"
    ) -> None:
        """Raise AccessDenied unless the caller may invoke a destination through this router."""
        evaluator = self._context.evaluator
        given = {_KEY: router["InferenceRouterArn"], "aws:RequestedRegion": Arn.parse(arn).region}
        if call.caller is None:
            raise AwsError("AccessDeniedException", "Access Denied", status=403)
        if not isinstance(call.caller, Developer):
            decision = evaluator.decision(call.caller, action, arn, given)
        elif not evaluator.is_of_another(call.caller.account, action, arn):
            return
        else:
            root = account_principal(arn_of(call.caller, call.region)).arn
            decision = evaluator.decision_on_account(root, action, arn, given)
        if not decision.allowed:
            who = arn_of(call.caller, call.region)
            raise AwsError(
                "AccessDeniedException",
                f"User: {who} is not authorized to perform: {action} on resource: {arn} "
                f"{decision.because(action)}",
                status=403,
            )

    def _in_order(self, region: str, arns: list[str]) -> Iterator[_Chosen]:
        """At most two destinations that may serve: healthy ones of the router's region first, each
        in turn."""
        arns = [arn for arn in arns if self._routers.status(arn) != "Unroutable"]
        with self._lock:
            self._turn += 1
            since = time.monotonic() - self._context.seconds(_UNHEALTHY_SECONDS)
            healthy = [arn for arn in arns if self._refused.get(arn, -math.inf) <= since]
        here = [arn for arn in arns if Arn.parse(arn).region == region]
        own = _turned([arn for arn in healthy if arn in here], self._turn)
        away = _turned([arn for arn in healthy if arn not in here], self._turn)
        elsewhere = "capacity-available" if len(away) > 1 else "only-healthy"
        ordered = [
            *(_Chosen(arn, "local-preferred") for arn in own),
            *(_Chosen(arn, "failover" if here else elsewhere) for arn in away),
            *(_Chosen(arn, "failover") for arn in arns if arn not in healthy),
        ]
        yield from ordered[:_ATTEMPTS]

    def _ask(self, arn: str, given: Mapping[str, str], body: bytes) -> Mapping[str, Any]:
        """InvokeEndpoint of one destination. Raises `AwsError` of what it answers."""
        place = Arn.parse(arn)
        if place.account not in self._context.accounts.contexts:
            raise _unavailable(f"{arn} is of an account that this local AWS does not have")
        asked, name = self._named(place), place.resource.partition("/")[2]
        # A call of the local AWS's own is struck by no fault, this one is for its caller.
        if self._context.faults.strike(
            (Kind.THROTTLING,), "sagemaker-runtime", "InvokeEndpoint", name
        ):
            raise AwsError("ThrottlingException", "Rate exceeded", status=429)
        runtime = self._context.client("sagemaker-runtime", place.region, account=place.account)
        try:
            answer: Mapping[str, Any] = runtime.invoke_endpoint(**asked, **given, Body=body)
        except ClientError as refused:
            raise _refusal(refused) from None
        except BotoCoreError as error:
            raise _unavailable(f"{arn}: {error}") from None
        return answer

    def _named(self, place: Arn) -> dict[str, str]:
        """The destination's names as InvokeEndpoint takes them: their case counts there, and ARNs
        are in lower case (botocore, CreateEndpoint.EndpointName)."""
        client = self._context.client("sagemaker", place.region, account=place.account)
        kind, _, name = place.resource.partition("/")
        try:
            if kind == "endpoint":
                found = client.describe_endpoint(EndpointName=name)
            else:
                found = client.describe_inference_component(InferenceComponentName=name)
        except ClientError as missing:
            raise _refusal(missing) from None
        names = ("EndpointName", "InferenceComponentName")
        return {each: found[each] for each in names if each in found}


def _turned(arns: list[str], turn: int) -> list[str]:
    start = turn % max(len(arns), 1)
    return [*arns[start:], *arns[:start]]


class _Chosen(NamedTuple):
    arn: str
    reason: str


class _Refused(AwsError):
    """What a destination answered; ``members`` are a ModelError's."""

    def __init__(self, code: str, message: str, status: int, members: Mapping[str, Any]) -> None:
        super().__init__(code, message, status=status)
        self.members = members


def _read(call: Call) -> bytes:
    """The body; raises 413, which has no code, above 6 MB."""
    request = call.request
    assert request is not None
    body: bytes = request.stream.read(ROUTED_BYTES + 1)
    if len(body) > ROUTED_BYTES:
        raise AwsError("413", "the body is over 6 MB", status=413)
    return body


def _refusal(refused: ClientError) -> _Refused:
    said = refused.response["Error"]
    members = {
        name: refused.response[name]
        for name in ("OriginalStatusCode", "OriginalMessage", "LogStreamArn")
        if name in refused.response
    }
    status = refused.response["ResponseMetadata"]["HTTPStatusCode"]
    return _Refused(said["Code"], said.get("Message", ""), status, members)


def _may_be_taken_elsewhere(error: AwsError) -> bool:
    """Whether another destination is tried: not once a model has answered, nor after a time-out."""
    if error.code == "ModelError":
        return error.members.get("OriginalStatusCode") == 0 and "timed out" not in error.message
    return True


def _told(error: AwsError | None) -> AwsError:
    """What the caller is told of the last destination's refusal; None: none could be asked."""
    if error is None:
        return _unavailable("no destination of the routing target is in service")
    if error.code in ("ModelError", "ModelNotReadyException"):
        return error
    if "Throttling" in error.code:
        return AwsError("ThrottlingException", error.message, status=429)
    return _unavailable(f"no destination could serve the request; the last one: {error.message}")


def _unavailable(message: str) -> AwsError:
    return AwsError("ServiceUnavailableException", message, status=503)


def _answered(answer: Mapping[str, Any], arn: str, reason: str) -> Response:
    headers = {
        "Content-Type": answer.get("ContentType"),
        f"{_PREFIX}Invoked-Routed-Resource-Arn": arn,
        f"{_PREFIX}Invoked-Routing-Reason": reason,
        "X-Amzn-Invoked-Production-Variant": answer.get("InvokedProductionVariant"),
        f"{_PREFIX}Custom-Attributes": answer.get("CustomAttributes"),
    }
    given = [(name, value) for name, value in headers.items() if value is not None]
    return Response(answer["Body"].read(), 200, headers=[*given, request_id()])
