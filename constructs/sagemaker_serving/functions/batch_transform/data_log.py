"""Why objects of a job have no output: SageMaker's own lines in the job's data log.

The stream ``<job>/<instance>-<time>/data-log`` of ``/aws/sagemaker/TransformJobs`` has lines
such as ``2020-10-14T04:53:51.549:[sagemaker logs]: bucket/key: Unable to get response from
algorithm`` (SageMaker developer guide, "Log Events with CloudWatch", and
github.com/aws/sagemaker-python-sdk issue 1951).
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator
from typing import Any

from botocore.exceptions import ClientError

GROUP = "/aws/sagemaker/TransformJobs"
NO_ANSWER = "Unable to get response from algorithm"
"""The model died, or took too long: perhaps over another object than the one that is named."""

_LINE = re.compile(r"\[sagemaker logs\]: (?P<blamed>.+?): (?P<why>.*)")
_PATIENCE_SECONDS = 6.0
_PAUSE_SECONDS = 0.5
_MAX_PAGES = 100


def reasons(logs: Any, job: str, keys: Collection[str]) -> dict[str, str]:
    """What the log of ``job`` says of objects, ``bucket/key`` each, for those it names.

    Lines come a little after the job's end, so it looks for some seconds until each object
    has one. Without a permission, a group or a line there is simply no reason.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        found = _read(logs, job, keys)
        if found.keys() >= set(keys) or time.monotonic() > end:
            return found
        time.sleep(_PAUSE_SECONDS)


def _read(logs: Any, job: str, keys: Collection[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    try:
        for line in _lines(logs, job):
            said = _LINE.search(line)
            if said is not None and said["blamed"] in keys:
                found.setdefault(said["blamed"], []).append(said["why"])
    except ClientError:
        return {}
    return {key: _sentence(lines) for key, lines in found.items()}


def _lines(logs: Any, job: str) -> Iterator[str]:
    streams = logs.describe_log_streams(logGroupName=GROUP, logStreamNamePrefix=f"{job}/")
    for stream in streams["logStreams"]:
        if not stream["logStreamName"].endswith("/data-log"):
            continue
        token: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            page = logs.get_log_events(
                logGroupName=GROUP,
                logStreamName=stream["logStreamName"],
                startFromHead=True,
                **token,
            )
            yield from (event["message"] for event in page["events"])
            if page["nextForwardToken"] == token.get("nextToken"):
                break
            token = {"nextToken": page["nextForwardToken"]}


def _sentence(lines: list[str]) -> str:
    """The lines about one object as one: ``ClientError: 400: Message: …``."""
    return " ".join(line for line in (each.strip() for each in lines) if line)
