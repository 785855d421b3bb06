"""How far a batch execution is, by what it has left in S3."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.objects import read_object
from sagemaker_serving.operations.refusals import refused
from sagemaker_serving.s3_address import split_s3


@dataclass(frozen=True, kw_only=True)
class BatchExecution:
    """An execution: its ARN, and the input that it was started with."""

    arn: str
    given: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The execution's name."""
        return self.arn.rsplit(":", 1)[1]

    @property
    def output_uri(self) -> str:
        """Where its outputs go, ``s3://…/``."""
        return f"{str(self.given['output']).removesuffix('/')}/"


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


class ProgressReader:
    """How far an execution is, again and again; its plan is read once."""

    def __init__(self, s3: Any, execution: BatchExecution, work_uri: str) -> None:
        self._s3 = s3
        self._bucket, self._work = split_s3(work_of(work_uri, execution.arn))
        self._objects: dict[int, int] | None = None

    def of(self, described: Mapping[str, Any]) -> BatchProgress:
        """The progress of the execution, which was just described."""
        status, cause = str(described["status"]), cause_of(described)
        with aws_failures():
            if self._objects is None:
                self._objects = self._planned()
            if self._objects is None:
                return BatchProgress(status=status, cause=cause)
            ended = self._ended()
        return BatchProgress(
            status=status,
            cause=cause,
            shards=len(self._objects),
            shards_done=len(ended),
            objects=sum(self._objects.values()),
            objects_done=sum(self._objects[shard] for shard in ended),
        )

    def _planned(self) -> dict[int, int] | None:
        """The objects of each shard; None while they are counted."""
        with refused("NoSuchKey"):
            body, _ = read_object(self._s3, self._bucket, f"{self._work}plan.jsonl")
            return {each["shard"]: each["objects"] for each in map(json.loads, body.splitlines())}
        return None

    def _ended(self) -> list[int]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=f"{self._work}ended/"
        )
        return [
            int(entry["Key"].rsplit("/", 1)[1].removesuffix(".json"))
            for page in pages
            for entry in page.get("Contents", ())
        ]


def cause_of(described: Mapping[str, Any]) -> str:
    """Why an execution failed, of a function's error its message; "" unless it has."""
    if described["status"] in ("RUNNING", "SUCCEEDED"):
        return ""
    cause = described.get("cause") or described.get("error") or "no cause was given"
    try:
        message = json.loads(cause)["errorMessage"]
    except (ValueError, TypeError, KeyError):
        return str(cause).strip()
    return str(message)
