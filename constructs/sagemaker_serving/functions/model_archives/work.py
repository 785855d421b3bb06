"""The steps of the state machine that copies archives to where a multi-model endpoint looks.

A call copies for as long as a function may run, and the machine calls again while any are left.

An empty object stands for the prefix itself: of one below which there is nothing,
sagemaker-python-sdk's pull request 1144 says that CreateModel fails, and a notebook of
amazon-sagemaker-examples (multi_model_sklearn_home_value) that it does not. What was put there
stays when the stack goes: the bucket is the owner of its data.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.functions.custom_resource import steps
from sagemaker_serving.functions.custom_resource.answer import answer as answer_cloudformation
from sagemaker_serving.functions.custom_resource.clients import NO_TAGS, client
from sagemaker_serving.functions.custom_resource.request import Request
from sagemaker_serving.functions.custom_resource.steps import State, failed, succeeded, waiting

PATIENCE_SECONDS = 57 * 60
"""CloudFormation gives a custom resource an hour."""

_MARK = "sagemaker-serving-source"
_AT_ONCE = 8
_SPARE_SECONDS = 60
"""What is left of the function's time when a call begins no further copy."""


def handler(event: Mapping[str, Any], context: Any) -> State:
    """Runs the step that ``event`` names, as `steps.run` says."""
    copying = partial(copy, context=context)
    return steps.run({"begin": begin, "look": begin, "copy": copying, "answer": answer}, event)


def begin(state: State) -> State:
    """Makes the prefix exist, once no earlier call can be under way."""
    if Request.of(state["request"]).kind == "Delete":
        return succeeded(state)
    if state.pop("interrupted", False):
        return waiting({**state, "waits": steps.WAITS_AFTER_INTERRUPTION})
    return {**state, "ready": True}


def copy(state: State, *, context: Any) -> State:
    """Copies what is not there yet; what there was no time for is left to the next call."""
    patience = PATIENCE_SECONDS - steps.seconds_since_start(state)
    here = context.get_remaining_time_in_millis() / 1000 - _SPARE_SECONDS
    wanted = Request.of(state["request"]).properties
    try:
        left = place(wanted, time.monotonic() + min(patience, here))
    except (ClientError, BotoCoreError) as error:
        return failed(state, str(error))
    if not left:
        return succeeded(state)
    return failed(state, _late(left)) if patience < here else state


def place(wanted: Mapping[str, Any], deadline: float) -> list[str]:
    """Copies ``Archives`` (``s3://`` URLs by file name) below ``Prefix`` of ``Bucket``; returns the
    names that there was no time for.

    What an earlier call has put there is not copied again, as ``Contents`` tells its content.
    S3 copies by itself, large archives in parts. Raises what AWS answers.
    """
    bucket, prefix = wanted["Bucket"], wanted["Prefix"]
    client("s3").put_object(Bucket=bucket, Key=prefix, Body=b"")
    pages = client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    there = {each["Key"] for page in pages for each in page.get("Contents", ())}

    def put(name: str, url: str) -> str | None:
        if time.monotonic() > deadline:
            return name
        mark = sha256(repr((url, wanted["Contents"].get(name))).encode()).hexdigest()
        target = {"Bucket": bucket, "Key": f"{prefix}{name}"}
        if target["Key"] not in there or _mark_of(target) != mark:
            source, _, key = url.removeprefix("s3://").partition("/")
            client("s3").copy(
                {"Bucket": source, "Key": key},
                *target.values(),
                ExtraArgs={"Metadata": {_MARK: mark}, "MetadataDirective": "REPLACE", **NO_TAGS},
            )
            print(f"{url} is at s3://{bucket}/{prefix}{name}")
        return None

    def every() -> Iterator[str | None]:
        archives = sorted(wanted.get("Archives", {}).items())
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(lambda archive: put(*archive), archives)

    return [name for name in every() if name is not None]


def answer(state: State) -> State:
    """Answers CloudFormation: with the outcome, or with the error that ended the execution."""
    request = Request.of(state["request"])
    outcome = steps.outcome_of(state, steps.cause_of)
    return answer_cloudformation(request, outcome, f"{request.logical_id}-archives")


def _mark_of(target: Mapping[str, str]) -> str | None:
    """What an archive that is there was copied from; None of one that something else put there."""
    metadata: Mapping[str, str] = client("s3").head_object(**target)["Metadata"]
    return metadata.get(_MARK)


def _late(left: list[str]) -> str:
    return (
        f"{len(left)} archives could not be copied within {PATIENCE_SECONDS // 60} minutes, "
        f"{left[0]} the first; those before are there: deploy again, and it goes on"
    )
