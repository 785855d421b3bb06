"""The steps of the state machine; each takes what is known so far, and returns it with more.

What is known beside `steps`: ``begun`` (whether the temporary endpoint is), ``again`` (whether it
is begun a second time), ``ready`` (whether the next step is the judgement), ``verdict`` (the
outcome, which is told when nothing temporary is left) and ``troubles`` (how often removing it
failed).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sagemaker_serving.functions.custom_resource import steps
from sagemaker_serving.functions.custom_resource.answer import answer as answer_cloudformation
from sagemaker_serving.functions.custom_resource.refusals import is_denied, is_told_in
from sagemaker_serving.functions.custom_resource.steps import (
    State,
    cause_of,
    clipped,
    failed,
    succeeded,
    waiting,
)

from . import judging, temporary
from .request import Request

PATIENCE_SECONDS = 2100
"""CloudFormation gives a custom resource an hour; the rest is for asking and removing."""

PATIENCE_OF_A_REMOVAL_SECONDS = 3300
"""Since the execution began; what is still being made cannot be deleted, and may be for an hour."""

_MOST_TROUBLES = 3


def handler(event: Mapping[str, Any], context: object) -> State:
    """Runs the step that ``event`` names, as `steps.run` says."""
    return steps.run(_STEPS, event)


def begin(state: State) -> State:
    """Begins the temporary endpoint, once nothing of a former try is left.

    A Delete removes what is left. What has been judged once is not judged again: an Update has the
    same content, for the logical id carries it.
    """
    request = Request.of(state["request"])
    if state.pop("interrupted", False):
        # A step that was under way as its execution was ended may yet begin an endpoint.
        return waiting({**state, "waits": steps.WAITS_AFTER_INTERRUPTION})
    if request.kind == "Delete":
        return _removed(_begun_to_remove(state, succeeded({})))
    if request.physical_id == request.name:
        return succeeded(state)
    try:
        if temporary.is_begun(request):
            return waiting({**state, "begun": True})
        if temporary.remove(request):
            return waiting(state)
    except temporary.NotOurs as others:
        return failed(
            state,
            f"{others} has the name of the temporary endpoint that would judge {request.told}, and "
            "was not made by this stack; delete it, then deploy again",
        )
    temporary.begin(request)
    return waiting({**state, "begun": True, "waits": 0})


def look(state: State) -> State:
    """Looks whether the temporary endpoint is in service, or gone."""
    request = Request.of(state["request"])
    if "verdict" in state:
        return _removed(state)
    if not state.get("begun"):
        return begin(state)
    endpoint = temporary.found(request)
    if endpoint is None:
        return _not_accepted(
            state,
            f"the temporary endpoint {request.name} was deleted while the deploy waited for it; "
            "deploy again",
        )
    status = endpoint["EndpointStatus"]
    if status == "InService":
        return {**state, "ready": True}
    may_pass = status == "Failed" and is_told_in(str(endpoint.get("FailureReason")))
    if may_pass and not state.get("again"):
        # As a new role may fail one (hashicorp/terraform-provider-aws,
        # internal/service/sagemaker/endpoint.go); minutes later it is known.
        return waiting({**state, "begun": False, "again": True, "waits": 0})
    if status != "Creating":
        reason = clipped(str(endpoint.get("FailureReason") or "no reason given"))
        return _not_accepted(
            state,
            f"the temporary endpoint of {request.told} is {status}: {reason}; {_UNTOUCHED}; its "
            f"log is in /aws/sagemaker/Endpoints/{request.name}",
        )
    if steps.seconds_since_start(state) >= PATIENCE_SECONDS:
        return _not_accepted(
            state,
            f"the temporary endpoint of {request.told} was not in service after {PATIENCE_SECONDS} "
            f"seconds, and CloudFormation waits an hour at most; {_UNTOUCHED}; deploy again",
        )
    return waiting(state)


def judge(state: State) -> State:
    """Asks the golden requests; what answered them goes next."""
    state.pop("ready", None)
    request = Request.of(state["request"])
    try:
        judgement = judging.judge(request)
    except TimeoutError as late:
        return _not_accepted(
            state,
            f"the temporary endpoint of {request.told} answered {late} golden requests within "
            f"{judging.MOST_SECONDS} seconds; {_UNTOUCHED}; give fewer in accept.golden",
        )
    print({**judgement.figures, "missed": judgement.missed})
    if judgement.missed:
        return _not_accepted(
            state,
            f"the compiled model of {request.told} is not accepted: {'; '.join(judgement.missed)} "
            f"(golden requests asked: {judgement.requests}); {_UNTOUCHED}; compile it otherwise, "
            "or change compile.accept",
        )
    return _begun_to_remove(state, succeeded({}, **judgement.figures))


def remove(state: State) -> State:
    """After an error of another step: remembers it, and removes what there may be."""
    request = Request.of(state["request"])
    error = state.pop("error", {})
    state.pop("ready", None)
    state.setdefault("started", datetime.now(UTC).isoformat())
    if "verdict" not in state:
        if request.kind == "Delete":
            return _begun_to_remove(state, succeeded({}))
        return _not_accepted(state, _went_wrong(request, error))
    state["troubles"] = state.get("troubles", 0) + 1
    if state["troubles"] >= _MOST_TROUBLES:
        return _stuck(state, request, steps.cause_of(error))
    return waiting(state)


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution."""
    request = Request.of(state["request"])
    outcome = steps.outcome_of(state, lambda error: _went_wrong(request, error))
    gone_by = request.physical_id if request.kind == "Delete" else None
    return answer_cloudformation(request, outcome, gone_by or request.name)


_STEPS: steps.Steps = {
    "begin": begin,
    "look": look,
    "judge": judge,
    "remove": remove,
    "answer": answer,
}


def _not_accepted(state: State, reason: str) -> State:
    return _begun_to_remove(state, failed({}, reason))


def _begun_to_remove(state: State, verdict: State) -> State:
    """What is to be answered is known; it is kept before all that is temporary goes.

    A step that removed as well, and was killed then, would find nothing to judge any more.
    """
    return waiting({**state, "verdict": verdict["outcome"], "waits": 0})


def _removed(state: State) -> State:
    """The outcome, when nothing temporary is left."""
    request = Request.of(state["request"])
    try:
        if not temporary.remove(request):
            return {**state, "outcome": state["verdict"]}
    except temporary.NotOurs:
        return {**state, "outcome": state["verdict"]}
    if steps.seconds_since_start(state) >= PATIENCE_OF_A_REMOVAL_SECONDS:
        return _stuck(state, request, f"after {PATIENCE_OF_A_REMOVAL_SECONDS} seconds")
    return waiting(state)


def _stuck(state: State, request: Request, why: str) -> State:
    """On an endpoint that cannot be removed, which is paid for until somebody does."""
    before = state["verdict"].get("Reason", "")
    return failed(
        state,
        f"the temporary endpoint {request.name} could not be removed ({clipped(why, 300)}), and "
        f"is paid for until it is: aws sagemaker delete-endpoint --endpoint-name {request.name}"
        f"{'; before that: ' + before if before else ''}",
    )


_UNTOUCHED = "it gets no traffic, and its temporary endpoint is removed"


def _went_wrong(request: Request, error: Mapping[str, Any]) -> str:
    """On an error of these functions themselves, as Step Functions reports it."""
    cause = cause_of(error)
    if is_denied(cause):
        return (
            f"the deploy's function is not allowed what judging {request.told} needs: "
            f"{clipped(cause)}; an organization's policy or a permissions boundary may deny it"
        )
    if "ResourceLimitExceeded" in cause:
        return (
            f"the account's quota leaves no instance for the temporary endpoint of {request.told}: "
            f"{clipped(cause, 300)}; ask for a higher one, or remove instances"
        )
    return f"the compiled model of {request.told} could not be judged: {clipped(cause)}"
