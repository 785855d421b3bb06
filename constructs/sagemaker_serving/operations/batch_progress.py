"""How far a batch execution is, by what it has left in S3."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.objects import read_object
from sagemaker_serving.operations.batch_execution import BatchExecution
from sagemaker_serving.s3_address import split_s3


@dataclass(frozen=True, kw_only=True)
class BatchProgress:
    """Shards and objects, those that are through and all; None while they are counted.

    Objects are those that were to be done, without those that had an output before; an object
    is through when its shard is. ``status`` is the execution's, ``cause`` why it failed.
    """

    status: str
    cause: str = ""
    shards: int | None = None
    shards_done: int = 0
    objects: int | None = None
    objects_done: int = 0


def work_of(work_uri: str, execution: str) -> str:
    """Where an execution keeps what is between, below its pipeline's place for that."""
    return f"{work_uri}{hashlib.sha256(execution.encode()).hexdigest()[:16]}/"


def progress_of(
    s3: Any, described: Mapping[str, Any], execution: BatchExecution, work_uri: str
) -> BatchProgress:
    """The progress of an execution that was just described."""
    status = str(described["status"])
    cause = _cause(described) if status not in ("RUNNING", "SUCCEEDED") else ""
    bucket, work = split_s3(work_of(work_uri, execution.arn))
    with aws_failures():
        try:
            body, _ = read_object(s3, bucket, f"{work}plan.jsonl")
        except ClientError as error:
            if error.response["Error"].get("Code") == "NoSuchKey":
                return BatchProgress(status=status, cause=cause)
            raise
        plan = {each["shard"]: each["objects"] for each in map(json.loads, body.splitlines())}
        ended = [
            int(entry["Key"].rsplit("/", 1)[1].removesuffix(".json"))
            for page in s3.get_paginator("list_objects_v2").paginate(
                Bucket=bucket, Prefix=f"{work}ended/"
            )
            for entry in page.get("Contents", ())
        ]
    return BatchProgress(
        status=status,
        cause=cause,
        shards=len(plan),
        shards_done=len(ended),
        objects=sum(plan.values()),
        objects_done=sum(plan[shard] for shard in ended),
    )


def _cause(described: Mapping[str, Any]) -> str:
    """Why an execution failed; of a function's error its message."""
    cause = described.get("cause") or described.get("error") or "no cause was given"
    try:
        message = json.loads(cause)["errorMessage"]
    except (ValueError, TypeError, KeyError):
        return str(cause).strip()
    return str(message)
