"""Compilation jobs by content: found, begun, stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.functions.custom_resource.clients import (
    client,
    code_of,
    described,
    is_missing,
    tags_of,
)

from .request import Request

Job = Mapping[str, Any]

RUNNING = ("STARTING", "INPROGRESS")
STOPPED = ("STOPPING", "STOPPED")
_ENOUGH_ATTEMPTS = 1000


def attempts(name: str) -> Iterator[str]:
    """The names of a content's jobs: the first attempt's, then ``-2``, ``-3``, …"""
    yield name
    for number in count(2):
        if number > _ENOUGH_ATTEMPTS:
            raise RuntimeError(f"{_ENOUGH_ATTEMPTS} jobs named {name} have failed; delete some")
        yield f"{name}-{number}"


def describe(name: str) -> Job | None:
    """A job as it stands, None where there is none of that name."""
    return described("describe_compilation_job", CompilationJobName=name)


def create(name: str, request: Request) -> bool:
    """Begins a job; False when somebody else has begun one of that name meanwhile."""
    try:
        client("sagemaker").create_compilation_job(CompilationJobName=name, **request.arguments)
    except ClientError as error:
        if code_of(error) == "ResourceInUse":
            return False
        raise
    print(f"began {name}")
    return True


def stop(name: str) -> None:
    """Begins to end a job; one that has ended stays as it is."""
    try:
        client("sagemaker").stop_compilation_job(CompilationJobName=name)
    except ClientError as error:
        ended = code_of(error) == "ValidationException" and "status" in str(error)
        if not (ended or is_missing(error)):
            raise
    print(f"stopped {name}")


def stop_those_of(name: str, request: Request) -> bool:
    """Ends what the request's resource has under way for a content; whether anything still is.

    A job that another stack has begun is left to it.
    """
    for attempt in attempts(name):
        job = describe(attempt)
        if job is None:
            return False
        status = job["CompilationJobStatus"]
        if status in RUNNING and request.owns(tags_of(job["CompilationJobArn"])):
            stop(attempt)
            return True
        if status == "STOPPING" and request.owns(tags_of(job["CompilationJobArn"])):
            return True
    return False
