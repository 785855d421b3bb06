"""The steps of the state machine; each takes what is known so far, and returns it with more.

What is known: ``request`` (CloudFormation's event), ``started``, ``job`` (the name of the
attempt that is waited for) and ``own`` (whether this resource began it), ``model`` (where the
compiled archive is), ``image``, ``passed_over`` (jobs whose result cannot be had), ``waits`` and
``wait_seconds``, and in the end ``outcome``, which is CloudFormation's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from . import jobs, sentences
from .answer import answer as answer_cloudformation
from .code import with_code
from .objects import Place, copy, find_archive
from .request import Request

State = dict[str, Any]

PATIENCE_MINUTES = 57
"""CloudFormation gives a custom resource an hour."""

_LONGEST_WAIT_SECONDS = 30
_PATIENCE_OF_A_DELETE_MINUTES = 15
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
    """Finds the finished model, or a job that makes it, or begins one."""
    request = Request.of(state["request"])
    if request.kind == "Delete":
        return _clear(state, request, request.job_name)
    replaced = request.replaced_job_name
    if replaced is not None and _is_busy(state, request, replaced):
        return _waiting({**state, "clearing": True})
    state.pop("clearing", None)
    found = find_archive(Place.of(request.output_url))
    if found is not None:
        return {**state, "model": found.url}
    return _find_or_begin_job(state, request)


def look(state: State) -> State:
    """Looks whether what is waited for has come."""
    request = Request.of(state["request"])
    if request.kind == "Delete" or state.get("clearing"):
        return begin(state)
    job = jobs.describe(state["job"])
    if job is None:
        return _find_or_begin_job(state, request)
    status = job["CompilationJobStatus"]
    if status == "COMPLETED":
        return _completed(state, job)
    if status == "FAILED":
        return _failed(state, sentences.why_failed(job, request))
    if status in jobs.STOPPED:
        if state["own"]:
            return _failed(state, sentences.was_stopped(state["job"]))
        return _find_or_begin_job(state, request)
    if _minutes(state) >= PATIENCE_MINUTES:
        if state["own"]:
            jobs.stop(state["job"])
        return _failed(state, sentences.took_too_long(state["job"], PATIENCE_MINUTES))
    return _waiting(state)


def finish(state: State) -> State:
    """Puts the compiled model where this content belongs, with the code that serves it."""
    request = Request.of(state["request"])
    own = Place.of(request.output_url)
    compiled = Place.of(state["model"])
    if not own.holds(compiled):
        try:
            copy(compiled, here := own.below(compiled.name))
        except ClientError as error:
            print(
                f"{compiled.url} of {state['job']} cannot be had, so it is compiled anew: {error}"
            )
            passed_over = [*state.get("passed_over", []), state.pop("job")]
            del state["model"]
            return _find_or_begin_job({**state, "passed_over": passed_over}, request)
        compiled = here
    if request.brings_code:
        compiled = with_code(compiled, Place.of(request.model_url), own)
    image = state.get("image") or request.properties.get("InferenceImage", "")
    return _succeeded(
        state,
        ModelDataUrl=compiled.url,
        InferenceImage=image,
        CompilationJobName=state.get("job", request.job_name),
    )


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution.

    A Delete succeeds whatever happened: a job that could not be stopped ends by itself, and a
    stack that cannot be deleted would not.
    """
    request = Request.of(state["request"])
    outcome = state.get("outcome")
    if outcome is None:
        reason = sentences.went_wrong(state.get("error", {}))
        status = "SUCCESS" if request.kind == "Delete" else "FAILED"
        outcome = {"Status": status, "Reason": reason}
    answer_cloudformation(request, outcome)
    return {"answered": outcome["Status"]}


_STEPS: Mapping[str, Callable[[State], State]] = {
    "begin": begin,
    "look": look,
    "finish": finish,
    "answer": answer,
}


def _find_or_begin_job(state: State, request: Request) -> State:
    """The content's job: one that is done, one under way, or a new one.

    Former jobs that failed or were stopped are left behind, but for one that this very request
    began: its failure is the answer.
    """
    for name in jobs.attempts(request.job_name):
        job = jobs.describe(name)
        if job is None:
            if jobs.create(name, request):
                return _waiting({**state, "job": name, "own": True})
            job = jobs.describe(name)
            if job is None:
                raise RuntimeError(f"{name} came and went; try again")
        status = job["CompilationJobStatus"]
        if name in state.get("passed_over", []):
            continue
        if status == "COMPLETED":
            if _is_still_there(job, request):
                return _completed({**state, "job": name}, job)
            continue
        if status in jobs.RUNNING:
            own = request.owns(jobs.tags_of(job))
            return _waiting({**state, "job": name, "own": own})
        if request.began(jobs.tags_of(job)):
            return look({**state, "job": name, "own": True})
    raise AssertionError("attempts never end")


def _is_still_there(job: jobs.Job, request: Request) -> bool:
    """Whether what a job has made is, as far as that can be told: elsewhere it is tried."""
    own = Place.of(request.output_url)
    made = Place.of(job["ModelArtifacts"]["S3ModelArtifacts"])
    return not own.holds(made) or find_archive(own) is not None


def _completed(state: State, job: jobs.Job) -> State:
    return {
        **state,
        "model": job["ModelArtifacts"]["S3ModelArtifacts"],
        "image": job.get("InferenceImage", ""),
    }


def _clear(state: State, request: Request, name: str) -> State:
    """A Delete: ends the resource's jobs for a content; done when none is left."""
    if _minutes(state) < _PATIENCE_OF_A_DELETE_MINUTES and _is_busy(state, request, name):
        return _waiting(state)
    return _succeeded(state)


def _is_busy(state: State, request: Request, name: str) -> bool:
    """Whether anything of the resource may still run; asks it to stop.

    A step that was under way as its execution was ended may yet begin a job: so there is a
    second look then.
    """
    busy = jobs.stop_those_of(name, request)
    if not state.pop("interrupted", False):
        return busy
    state["waits"] = _WAITS_AFTER_INTERRUPTION
    return True


def _waiting(state: State) -> State:
    waits = state.get("waits", 0)
    seconds = min(round(1.5**waits), _LONGEST_WAIT_SECONDS)
    return {**state, "waits": waits + 1, "wait_seconds": seconds}


def _succeeded(state: State, **data: str) -> State:
    return {**state, "outcome": {"Status": "SUCCESS", "Data": data}}


def _failed(state: State, reason: str) -> State:
    return {**state, "outcome": {"Status": "FAILED", "Reason": reason}}


def _minutes(state: State) -> float:
    started = datetime.fromisoformat(state["started"])
    return (datetime.now(UTC) - started).total_seconds() / 60


def _given_up(event: Mapping[str, Any]) -> State:
    """What Lambda sends on after ``start`` has failed all its attempts."""
    said = event.get("responsePayload") or {}
    return {
        "request": event["requestPayload"],
        "error": {"Cause": str(said.get("errorMessage", "the function that begins it failed"))},
    }
