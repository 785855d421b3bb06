"""The steps of the state machine; each takes what is known so far, and returns it with more.

What is known: ``request`` (CloudFormation's event), ``started``, ``job`` (the name of the
attempt that is waited for) and ``own`` (whether this resource began it), ``model`` (where the
compiled archive is), ``image``, ``passed_over`` (jobs whose result cannot be had), ``waits`` and
``wait_seconds``, and in the end ``outcome``, which is CloudFormation's answer.
"""

from __future__ import annotations

import os
import tarfile
import threading
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.custom_resource import steps
from sagemaker_serving.functions.custom_resource.answer import answer as answer_cloudformation
from sagemaker_serving.functions.custom_resource.clients import client, tags_of
from sagemaker_serving.functions.custom_resource.steps import State, failed, succeeded, waiting

from . import jobs, sentences
from .objects import WITH_CODE, Place, archive, copy, files_in, find_archive, is_code
from .request import Request

PATIENCE_MINUTES = 57
"""CloudFormation gives a custom resource an hour."""

_PATIENCE_OF_A_DELETE_SECONDS = 900


def handler(event: Mapping[str, Any], context: object) -> State:
    """Runs the step that ``event`` names, as `steps.run` says."""
    return steps.run(_STEPS, event)


def begin(state: State) -> State:
    """Finds the finished model, or a job that makes it, or begins one."""
    request = Request.of(state["request"])
    if request.kind == "Delete":
        return _clear(state, request, request.job_name)
    replaced = request.replaced_job_name
    if replaced is not None and _is_busy(state, request, replaced):
        return waiting({**state, "clearing": True})
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
        return failed(state, sentences.why_failed(job, request))
    if status in jobs.STOPPED:
        if state["own"]:
            return failed(state, sentences.was_stopped(state["job"]))
        return _find_or_begin_job(state, request)
    if steps.seconds_since_start(state) >= PATIENCE_MINUTES * 60:
        if state["own"]:
            jobs.stop(state["job"])
        return failed(state, sentences.took_too_long(state["job"], PATIENCE_MINUTES))
    return waiting(state)


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
        compiled = _with_code(compiled, Place.of(request.model_url), own)
    image = state.get("image") or request.properties.get("InferenceImage", "")
    return succeeded(
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
    outcome = steps.outcome_of(state, sentences.went_wrong)
    if request.kind == "Delete":
        outcome = {**outcome, "Status": "SUCCESS"}
    return answer_cloudformation(request, outcome, _physical_id(request))


_STEPS: steps.Steps = {
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
                return waiting({**state, "job": name, "own": True})
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
            own = request.owns(tags_of(job["CompilationJobArn"]))
            return waiting({**state, "job": name, "own": own})
        if request.began(tags_of(job["CompilationJobArn"])):
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
    patient = steps.seconds_since_start(state) < _PATIENCE_OF_A_DELETE_SECONDS
    if patient and _is_busy(state, request, name):
        return waiting(state)
    return succeeded(state)


def _is_busy(state: State, request: Request, name: str) -> bool:
    """Whether anything of the resource may still run; asks it to stop.

    A step that was under way as its execution was ended may yet begin a job: so there is a
    second look then.
    """
    busy = jobs.stop_those_of(name, request)
    if not state.pop("interrupted", False):
        return busy
    state["waits"] = steps.WAITS_AFTER_INTERRUPTION
    return True


def _physical_id(request: Request) -> str:
    if request.kind == "Delete" and request.physical_id:
        return request.physical_id
    return request.job_name


def _with_code(compiled: Place, source: Place, prefix: Place) -> Place:
    """``compiled`` itself if it has all the code of ``source``, else both in a new archive.

    The images that serve compiled models look for ``code/inference.py`` in the model's archive
    (developer guide, "Deploy a compiled model", prerequisites), and it is nowhere said that Neo
    hands on what it does not compile. The new archive is under ``prefix``. Nothing is held in
    memory or on disk: archives of any size stream through. Raises what reading or writing
    raises; nothing is written then.
    """
    wanted = {name for name in files_in(source) if is_code(name)}
    if wanted <= set(files_in(compiled)):
        return compiled
    joined = prefix.below(f"{WITH_CODE}{compiled.name}")
    reading, writing = os.pipe()
    writer = _Writer(writing, compiled, source)
    writer.start()
    try:
        with os.fdopen(reading, "rb") as pipe:
            client("s3").upload_fileobj(_Whole(pipe, writer), joined.bucket, joined.key)
    finally:
        writer.join()
    print(f"put the code of {source.url} beside the model: {joined.url}")
    return joined


class _Writer(threading.Thread):
    """Writes the joined archive into a pipe; ``failure`` is what stopped it."""

    def __init__(self, pipe: int, compiled: Place, source: Place) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._sources = ((compiled, False), (source, True))
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            with (
                os.fdopen(self._pipe, "wb") as pipe,
                tarfile.open(fileobj=pipe, mode="w|gz") as joined,
            ):
                for place, code in self._sources:
                    _append(place, joined, code=code)
        except Exception as error:
            self.failure = error


class _Whole:
    """What comes out of the pipe; its end is no end when the writer has failed."""

    def __init__(self, pipe: Any, writer: _Writer) -> None:
        self._pipe = pipe
        self._writer = writer

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._pipe.read(size)
        if not data:
            self._writer.join()
            if self._writer.failure is not None:
                raise self._writer.failure
        return data


def _append(place: Place, joined: tarfile.TarFile, *, code: bool) -> None:
    with archive(place) as opened:
        for member in opened:
            if member.isfile() and is_code(member.name) == code:
                member.name = str(PurePosixPath(member.name))
                joined.addfile(member, opened.extractfile(member))
