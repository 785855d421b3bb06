"""The steps of the state machine; each takes what is known so far, and returns it with more.

What is known: ``request`` (CloudFormation's event), ``started``, ``wanted`` (the config that is to
serve), ``before`` (the one that served when the endpoint was first seen at rest), ``going_back``
(whether the stack is being taken back), ``ready`` (whether the next step is the update), ``asked``
(whether SageMaker has taken it), ``waits`` and ``wait_seconds``, and in the end ``outcome``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.custom_resource import steps
from sagemaker_serving.functions.custom_resource.answer import answer as answer_cloudformation
from sagemaker_serving.functions.custom_resource.clients import client, tags_of
from sagemaker_serving.functions.custom_resource.steps import State, failed, succeeded, waiting

from . import sentences
from .endpoints import config_named, endpoint_named, is_moving, is_taken_back, serves_another
from .request import Request

PATIENCE_SECONDS = 3000
"""CloudFormation gives a custom resource an hour; the rest is for the steps around the wait."""

_SOUGHT = 8
"""How often a config that is unknown is looked for: for three quarters of a minute and longer."""

BEFORE_TAG = "sagemaker-serving:before"
"""The tag of the stack's config that tells which one served before it."""


def handler(event: Mapping[str, Any], context: object) -> State:
    """Runs the step that ``event`` names, as `steps.run` says."""
    return steps.run(_STEPS, event)


def begin(state: State) -> State:
    """Settles which config is to serve.

    A Delete gives the former one back while the stack is being taken back; at any other time it
    leaves the endpoint alone. So does an Update on that way, where the stack said another than the
    one that served as the failed deploy began.
    """
    request = Request.of(state["request"])
    if state.pop("interrupted", False):
        # A step that was under way as its execution was ended may yet ask for an update.
        return waiting({**state, "waits": steps.WAITS_AFTER_INTERRUPTION})
    going_back = request.kind != "Create" and is_taken_back(request.stack_id)
    if request.names_another and not going_back:
        return failed(state, sentences.another_endpoint(request))
    wanted: str | None = request.config
    if request.kind == "Delete":
        wanted = (request.before or _recorded(request.config)) if going_back else None
    elif going_back and request.former_config not in (None, wanted):
        wanted = _recorded(str(request.former_config)) or wanted
    if wanted is None:
        return succeeded(state)
    return look({**state, "wanted": wanted, "going_back": going_back})


def look(state: State) -> State:
    """Looks whether the endpoint is at rest, and on which config.

    One that the stack does not know is not moved: an Update fails, so that CloudFormation's way
    back leads to nothing that somebody has left, and on that way it is left where it is.
    """
    if "wanted" not in state:
        return begin(state)
    request = Request.of(state["request"])
    endpoint = endpoint_named(request.endpoint)
    if endpoint is None:
        if state["going_back"]:
            return succeeded(state)  # there is nothing to give back
        return failed(state, sentences.no_endpoint(request, client("sagemaker").meta.region_name))
    status, serving = endpoint["EndpointStatus"], endpoint["EndpointConfigName"]
    if is_moving(endpoint):
        if steps.seconds_since_start(state) < PATIENCE_SECONDS:
            return waiting(state)
        return failed(state, sentences.took_too_long(request, status, PATIENCE_SECONDS))
    another = serving != request.config
    if request.kind != "Delete":
        knows = request.former_config is None or state.get("asked")
        another = not knows and serves_another(request, endpoint)
        if another and not state["going_back"]:
            return failed(state, sentences.serves_another(request, serving))
    if another:
        print(f"{request.endpoint} serves {serving}, which is not this stack's; it is left there")
        return succeeded(state)
    if status != "InService":
        return failed(state, sentences.takes_no_update(request, endpoint))
    state.setdefault("before", serving)
    if serving == state["wanted"]:
        return succeeded(state)
    if state.get("asked"):
        return failed(state, sentences.went_back(request, endpoint, state["wanted"]))
    return {**state, "ready": True}


def update(state: State) -> State:
    """Asks SageMaker for the update; one that it begins meanwhile for another is waited for.

    A config that SageMaker does not know is waited for, some seconds: CloudFormation has just made
    it. Whether it may be unknown then is unverified. Any other ValidationException is told, but for
    those that `refusals` knows.
    """
    state.pop("ready", None)
    request = Request.of(state["request"])
    endpoint = endpoint_named(request.endpoint)
    if endpoint is None or endpoint["EndpointStatus"] != "InService":
        return waiting(_as_pending(state, endpoint))
    if endpoint["EndpointConfigName"] == state["wanted"]:  # a call before this one has begun it
        return waiting(state)
    members, config = dict(request.update), config_named(state["wanted"])
    if not config and state.get("sought", 0) < _SOUGHT:
        return waiting({**state, "sought": state.get("sought", 0) + 1})
    now, then = _variants(endpoint), _variants(config)
    if state["going_back"]:
        members.pop("DeploymentConfig", None)  # its alarms may well be on: this is the way out
    if config and now != then:
        if "DeploymentConfig" in members:
            return failed(state, sentences.other_variants(request, now, then))
        for retained in ("RetainAllVariantProperties", "ExcludeRetainedVariantProperties"):
            members.pop(retained, None)
    if config and not state["going_back"] and state["before"] != request.former_config:
        _record(config, state["before"])
    try:
        client("sagemaker").update_endpoint(
            EndpointName=request.endpoint, EndpointConfigName=state["wanted"], **members
        )
    except ClientError as error:
        if error.response["Error"].get("Code") != "ValidationException":
            raise
        endpoint = endpoint_named(request.endpoint)
        if endpoint is not None and is_moving(endpoint):
            return waiting(_as_pending(state, endpoint))
        return failed(state, sentences.refused(request, state["wanted"], error))
    print(f"{request.endpoint} moves from {endpoint['EndpointConfigName']} to {state['wanted']}")
    return waiting({**state, "asked": True, "waits": 0})


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution."""
    request = Request.of(state["request"])
    outcome = steps.outcome_of(state, sentences.went_wrong)
    outcome = {**outcome, "Data": {"EndpointName": request.endpoint}}
    # What was recorded once stays the physical id: another one would mean a replacement, and a
    # Delete of the old one.
    recorded = request.physical_id or f"{request.endpoint}/{state.get('before') or ''}"
    return answer_cloudformation(request, outcome, recorded)


_STEPS: steps.Steps = {
    "begin": begin,
    "look": look,
    "update": update,
    "answer": answer,
}


def _record(config: Mapping[str, Any], before: str) -> None:
    """Tags the stack's config with the one that served before it.

    CloudFormation learns the physical id by the answer alone, and never where it cancels a Create
    because another resource failed. Its Delete then has an id of CloudFormation's own. An Update
    knows what its stack said, and nothing of what served instead.
    """
    tag = {"Key": BEFORE_TAG, "Value": before}
    client("sagemaker").add_tags(ResourceArn=config["EndpointConfigArn"], Tags=[tag])


def _recorded(config: str) -> str | None:
    """What `_record` wrote; None where nothing was asked for with this config."""
    found = config_named(config)
    if not found:
        return None
    return tags_of(found["EndpointConfigArn"]).get(BEFORE_TAG)


def _variants(of: Mapping[str, Any]) -> list[str]:
    return sorted(variant["VariantName"] for variant in of.get("ProductionVariants", ()))


def _as_pending(state: State, endpoint: Mapping[str, Any] | None) -> State:
    """Whether what is under way is what was wanted: a call before this one may have begun it."""
    pending = (endpoint or {}).get("PendingDeploymentSummary", {}).get("EndpointConfigName")
    return {**state, "asked": pending == state["wanted"]}
