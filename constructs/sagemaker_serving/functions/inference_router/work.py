"""The steps of the state machine behind an inference router, or an endpoint's policy.

CloudFormation has a type of neither (its schemas of November 2026). Nor does the boto3 of Lambda's
runtime have to know actions that are this new: a call is signed here as its client would sign it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.httpsession import URLLib3Session

from sagemaker_serving.functions.custom_resource import refusals, steps
from sagemaker_serving.functions.custom_resource.answer import answer as answer_cloudformation
from sagemaker_serving.functions.custom_resource.clients import client, tags_of
from sagemaker_serving.functions.custom_resource.request import Request
from sagemaker_serving.functions.custom_resource.steps import State, failed, succeeded, waiting

PATIENCE_SECONDS = 57 * 60
"""CloudFormation gives a custom resource an hour."""

_AGAIN_SECONDS = 3.0
_PASSES = ("ThrottlingException", "ConflictException", "ServiceUnavailable", "InternalFailure")


def handler(event: Mapping[str, Any], context: object) -> State:
    """Runs the step that ``event`` names, as `steps.run` says."""
    return steps.run({"begin": begin, "look": look, "answer": answer}, event)


def begin(state: State) -> State:
    """Looks at once, or once no earlier call can be under way."""
    if state.pop("interrupted", False):
        return waiting({**state, "waits": steps.WAITS_AFTER_INTERRUPTION})
    return look(state)


def look(state: State) -> State:
    """Does the next thing that what is there asks for; waits, or says how it ended."""
    request = Request.of(state["request"])
    if request.kind == "Update" and _physical_id(request) != _name(request):
        return failed(
            state,
            f"this is of {request.physical_id}, and its role may do nothing to another; to have "
            f"one of {_name(request)}, give the construct another id, or deploy once without it",
        )
    step = _policy if "ResourcePolicy" in request.properties else _router
    try:
        after = step(state, request)
    except SageMakerError as error:
        if error.code not in _PASSES:
            return failed(state, str(error))
        after = waiting(state)
    if "outcome" in after or steps.seconds_since_start(state) < PATIENCE_SECONDS:
        return after
    minutes = PATIENCE_SECONDS // 60
    return failed(state, f"SageMaker was not done after {minutes} minutes; deploy again")


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution."""
    request = Request.of(state["request"])
    outcome = steps.outcome_of(state, steps.cause_of)
    return answer_cloudformation(request, outcome, _physical_id(request))


class SageMakerError(Exception):
    """What SageMaker answers instead of what was asked for."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def _router(state: State, request: Request) -> State:
    """A router is made, changed whole, or deleted; one of that name that this resource has not made
    is left as it is."""
    name = _physical_id(request)
    found = _described(name)
    if found is not None and not request.owns(tags_of(found["InferenceRouterArn"])):
        if request.kind == "Delete":
            return succeeded(state)
        return failed(
            state,
            f"there is an inference router {name} already, which this stack did not make; give "
            "this one another name, or delete that one",
        )
    if found is not None and found["Status"] in ("Creating", "Updating", "Deleting"):
        return waiting(state)
    if request.kind == "Delete":
        if found is None:
            return succeeded(state)
        _ask("DeleteInferenceRouter", InferenceRouterName=name)
        return waiting(state)
    if found is not None and state.get("asked"):
        if found["Status"] == "InService":
            return succeeded(state, Arn=found["InferenceRouterArn"])
        return failed(state, f"the router {name} has failed: {found.get('StatusReason', '')}")
    wanted = {
        "InferenceRouterName": name,
        "RoutingTargets": json.loads(request.properties["RoutingTargets"]),
    }
    if found is None:
        _ask("CreateInferenceRouter", **wanted, Tags=request.tags, ClientToken=request.request_id)
    else:
        _ask("UpdateInferenceRouter", **wanted)
    return waiting({**state, "asked": True})


def _policy(state: State, request: Request) -> State:
    """A policy is put; it goes with its endpoint, or before it."""
    endpoint = _physical_id(request)
    try:
        if request.kind == "Delete":
            _ask("DeleteEndpointPolicy", EndpointName=endpoint)
        else:
            policy = request.properties["ResourcePolicy"]
            _ask("PutEndpointPolicy", EndpointName=endpoint, ResourcePolicy=policy)
    except SageMakerError as error:
        if request.kind != "Delete" or error.code != "ResourceNotFound":
            raise
    return succeeded(state)


def _physical_id(request: Request) -> str:
    """The name that this was made with, which it keeps."""
    return _name(request) if request.physical_id is None else request.physical_id


def _name(request: Request) -> str:
    names = ("InferenceRouterName", "EndpointName")
    return str(next(request.properties[name] for name in names if name in request.properties))


def _described(name: str) -> Mapping[str, Any] | None:
    try:
        return _ask("DescribeInferenceRouter", InferenceRouterName=name)
    except SageMakerError as error:
        if error.code == "ResourceNotFound":
            return None
        raise


def _ask(operation: str, **parameters: Any) -> Mapping[str, Any]:
    """The answer of SageMaker's API; what may pass is tried again for a minute.

    Raises `SageMakerError`.
    """
    until = time.monotonic() + refusals.PATIENCE_SECONDS
    while True:
        try:
            return _sent(operation, parameters)
        except SageMakerError as error:
            if time.monotonic() > until or not refusals.may_pass(error.code, str(error)):
                raise
        time.sleep(_AGAIN_SECONDS)


def _sent(operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    sagemaker = client("sagemaker")
    request = AWSRequest(
        "POST",
        f"{sagemaker.meta.endpoint_url.rstrip('/')}/",
        data=json.dumps(parameters),
        headers={
            "Content-Type": "application/x-amz-json-1.1",
            "X-Amz-Target": f"SageMaker.{operation}",
        },
    )
    keys = boto3.Session().get_credentials()
    SigV4Auth(keys, "sagemaker", sagemaker.meta.region_name).add_auth(request)
    answer = URLLib3Session().send(request.prepare())
    content: Mapping[str, Any] = json.loads(answer.content or "{}")
    if answer.status_code == 200:
        return content
    code = str(content.get("__type", answer.status_code)).rpartition("#")[2]
    raise SageMakerError(code, str(content.get("message", content.get("Message", ""))))
