"""The steps of the state machine; each takes what is known so far, and returns it with more.

What is known: ``request`` (CloudFormation's event), ``started``, ``wanted`` (the config that is to
serve), ``before`` (the one that served when the endpoint was first seen at rest), ``going_back``
(whether the stack is being taken back), ``ready`` (whether the next step is the update), ``asked``
(whether SageMaker has taken it), ``waits`` and ``wait_seconds``, and in the end ``outcome``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from . import sentences
from .answer import answer as answer_cloudformation
from .clients import client, is_missing
from .request import Request

State = dict[str, Any]

PATIENCE_SECONDS = 3000
"""CloudFormation gives a custom resource an hour; the rest is for the steps around the wait."""

BEFORE_TAG = "sagemaker-serving:before"
"""The tag of the stack's config that tells which one served before it."""

_MOVING = ("Creating", "Updating", "SystemUpdating", "RollingBack")
_LONGEST_WAIT_SECONDS = 30
_WAITS_AFTER_INTERRUPTION = 3  # the next wait is longer than any call that was under way


def handler(event: Mapping[str, Any], context: object) -> State:
    """Runs the step that ``event`` names.

    Called by Lambda itself, with a request that ``start`` has failed on for good, it answers
    that request.
    """
    if "requestPayload" in event:
        return answer(_given_up(event))
    return _STEPS[event["step"]](dict(event["state"]))


def begin(state: State) -> State:
    """Settles which config is to serve.

    A Delete gives the former one back while the stack is being taken back; at any other time it
    leaves the endpoint alone.
    """
    request = Request.of(state["request"])
    if state.pop("interrupted", False):
        # A step that was under way as its execution was ended may yet ask for an update.
        return _waiting({**state, "waits": _WAITS_AFTER_INTERRUPTION})
    going_back = request.kind != "Create" and _is_taken_back(request.stack_id)
    if request.names_another and not going_back:
        return _failed(state, sentences.another_endpoint(request))
    wanted: str | None = request.config
    if request.kind == "Delete":
        wanted = (request.before or _recorded(request.config)) if going_back else None
    if wanted is None:
        return _succeeded(state)
    return look({**state, "wanted": wanted, "going_back": going_back})


def look(state: State) -> State:
    """Looks whether the endpoint is at rest, and on which config."""
    if "wanted" not in state:
        return begin(state)
    request = Request.of(state["request"])
    endpoint = _described(request)
    if endpoint is None:
        if state["going_back"]:
            return _succeeded(state)  # there is nothing to give back
        return _failed(state, sentences.no_endpoint(request, client("sagemaker").meta.region_name))
    status, serving = endpoint["EndpointStatus"], endpoint["EndpointConfigName"]
    if status in _MOVING:
        if _seconds(state) < PATIENCE_SECONDS:
            return _waiting(state)
        return _failed(state, sentences.took_too_long(request, status, PATIENCE_SECONDS))
    if request.kind == "Delete" and serving != request.config:
        print(f"{request.endpoint} serves {serving}, which is not this stack's; it is left there")
        return _succeeded(state)
    if status != "InService":
        return _failed(state, sentences.takes_no_update(request, endpoint))
    state.setdefault("before", serving)
    if serving == state["wanted"]:
        return _succeeded(state)
    if state.get("asked"):
        return _failed(state, sentences.went_back(request, endpoint, state["wanted"]))
    return {**state, "ready": True}


def update(state: State) -> State:
    """Asks SageMaker for the update; one that it begins meanwhile for another is waited for."""
    state.pop("ready", None)
    request = Request.of(state["request"])
    endpoint = _described(request)
    if endpoint is None or endpoint["EndpointStatus"] != "InService":
        return _waiting(_as_pending(state, endpoint))
    if endpoint["EndpointConfigName"] == state["wanted"]:  # a call before this one has begun it
        return _waiting(state)
    members, config = dict(request.update), _config(state["wanted"])
    now, then = _variants(endpoint), _variants(config)
    if state["going_back"]:
        members.pop("DeploymentConfig", None)  # its alarms may well be on: this is the way out
    if now != then:
        if "DeploymentConfig" in members:
            return _failed(state, sentences.other_variants(request, now, then))
        for retained in ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties"):
            members.pop(retained, None)
    if request.kind == "Create" and config:
        _record(config, state["before"])
    try:
        client("sagemaker").update_endpoint(
            EndpointName=request.endpoint, EndpointConfigName=state["wanted"], **members
        )
    except ClientError as error:
        if error.response["Error"].get("Code") != "ValidationException":
            raise
        endpoint = _described(request)
        if endpoint is not None and endpoint["EndpointStatus"] in _MOVING:
            return _waiting(_as_pending(state, endpoint))
        return _failed(state, sentences.refused(request, state["wanted"], error))
    print(f"{request.endpoint} moves from {endpoint['EndpointConfigName']} to {state['wanted']}")
    return _waiting({**state, "asked": True, "waits": 0})


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution."""
    request = Request.of(state["request"])
    outcome = state.get("outcome")
    if outcome is None:
        outcome = {"Status": "FAILED", "Reason": sentences.went_wrong(state.get("error", {}))}
    answer_cloudformation(request, outcome, state.get("before"))
    return {"answered": outcome["Status"]}


_STEPS: Mapping[str, Callable[[State], State]] = {
    "begin": begin,
    "look": look,
    "update": update,
    "answer": answer,
}


def _described(request: Request) -> Mapping[str, Any] | None:
    try:
        found: Mapping[str, Any] = client("sagemaker").describe_endpoint(
            EndpointName=request.endpoint
        )
    except ClientError as error:
        if is_missing(error):
            return None
        raise
    return None if found["EndpointStatus"] == "Deleting" else found


def _config(name: str) -> Mapping[str, Any]:
    """A config; nothing where it has gone, which UpdateEndpoint then says."""
    try:
        found: Mapping[str, Any] = client("sagemaker").describe_endpoint_config(
            EndpointConfigName=name
        )
    except ClientError as error:
        if is_missing(error):
            return {}
        raise
    return found


def _record(config: Mapping[str, Any], before: str) -> None:
    """Tags the stack's config with the one that served before it.

    CloudFormation learns the physical id by the answer alone, and never where it cancels a Create
    because another resource failed. Its Delete then has an id of CloudFormation's own.
    """
    tag = {"Key": BEFORE_TAG, "Value": before}
    client("sagemaker").add_tags(ResourceArn=config["EndpointConfigArn"], Tags=[tag])


def _recorded(config: str) -> str | None:
    """What `_record` wrote; None where nothing was asked for with this config."""
    found = _config(config)
    if not found:
        return None
    pages = client("sagemaker").get_paginator("list_tags")
    tags = [
        tag
        for page in pages.paginate(ResourceArn=found["EndpointConfigArn"])
        for tag in page["Tags"]
    ]
    return next((str(tag["Value"]) for tag in tags if tag["Key"] == BEFORE_TAG), None)


def _variants(of: Mapping[str, Any]) -> list[str]:
    return sorted(variant["VariantName"] for variant in of.get("ProductionVariants", ()))


def _as_pending(state: State, endpoint: Mapping[str, Any] | None) -> State:
    """Whether what is under way is what was wanted: a call before this one may have begun it."""
    pending = (endpoint or {}).get("PendingDeploymentSummary", {}).get("EndpointConfigName")
    return {**state, "asked": pending == state["wanted"]}


def _is_taken_back(stack: str) -> bool:
    """Whether the stack is in any of its ROLLBACK states, clean-up included (CloudFormation user
    guide, "Stack status codes"; read 2026-11-24)."""
    (found,) = client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return "ROLLBACK" in found["StackStatus"]


def _waiting(state: State) -> State:
    waits = state.get("waits", 0)
    seconds = min(round(1.5**waits), _LONGEST_WAIT_SECONDS)
    return {**state, "waits": waits + 1, "wait_seconds": seconds}


def _succeeded(state: State) -> State:
    return {**state, "outcome": {"Status": "SUCCESS"}}


def _failed(state: State, reason: str) -> State:
    return {**state, "outcome": {"Status": "FAILED", "Reason": reason}}


def _seconds(state: State) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(state["started"])).total_seconds()


def _given_up(event: Mapping[str, Any]) -> State:
    """What Lambda sends on after ``start`` has failed all its attempts."""
    said = event.get("responsePayload") or {}
    return {
        "request": event["requestPayload"],
        "error": {"Cause": str(said.get("errorMessage", "the function that begins it failed"))},
    }
