"""What the containers of an endpoint write, as it comes to CloudWatch Logs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.errors import Failure
from sagemaker_serving.log_groups import endpoint_log_group

_LATE = timedelta(seconds=30)
"""How late a line may arrive after a later one: each look goes back that far."""

_CLOCKS_DIFFER = timedelta(seconds=5)
_KEPT_LINES = 20


@dataclass(frozen=True, kw_only=True)
class LogLine:
    """A line that a container wrote: ``stream`` is ``<variant>/<instance>``."""

    at: datetime
    stream: str
    text: str

    @property
    def variant(self) -> str:
        """The variant whose container wrote it."""
        return self.stream.partition("/")[0]


class ContainerLogs:
    """The lines of containers that were started since a moment.

    Containers that served before write into the same group; theirs are left
    out. Streams are SageMaker's: ``<variant>/<instance id>``. Source: SageMaker developer guide,
    "CloudWatch Logs for Amazon SageMaker AI".
    """

    def __init__(self, logs: Any, endpoint_name: str, since: datetime) -> None:
        self._logs = logs
        self.group = endpoint_log_group(endpoint_name)
        """The log group."""
        self.refusal: str | None = None
        """Why nothing can be read, once that is known."""
        self._since = since - _CLOCKS_DIFFER
        self._newest = self._since
        self._seen: set[str] = set()
        self._is_new: dict[str, bool] = {}
        self._last: dict[str, deque[LogLine]] = {}

    def new_lines(self) -> Iterator[LogLine]:
        """What came since the last time; nothing while the group is not there."""
        if self.refusal is not None:
            return
        try:
            with aws_failures():
                yield from self._new_lines()
        except Failure as failure:
            self.refusal = f"{self.group} can't be read: {failure}"

    def last_lines(self, variant: str | None = None) -> list[LogLine]:
        """The last lines of each container so far, or only of those of ``variant``."""
        return [
            line
            for lines in self._last.values()
            for line in lines
            if variant is None or line.variant == variant
        ]

    def _new_lines(self) -> Iterator[LogLine]:
        pages = self._logs.get_paginator("filter_log_events").paginate(
            logGroupName=self.group,
            startTime=_milliseconds(max(self._since, self._newest - _LATE)),
        )
        try:
            for page in pages:
                for event in page["events"]:
                    yield from self._line(event)
        except ClientError as error:
            if error.response["Error"].get("Code") != "ResourceNotFoundException":
                raise

    def _line(self, event: dict[str, Any]) -> Iterator[LogLine]:
        line = LogLine(
            at=datetime.fromtimestamp(event["timestamp"] / 1000, UTC),
            stream=event["logStreamName"],
            text=event["message"].rstrip("\n"),
        )
        self._newest = max(self._newest, line.at)
        if event["eventId"] not in self._seen and self._was_started_since(line.stream):
            self._seen.add(event["eventId"])
            self._last.setdefault(line.stream, deque(maxlen=_KEPT_LINES)).append(line)
            yield line

    def _was_started_since(self, stream: str) -> bool:
        if stream not in self._is_new:
            found = self._logs.describe_log_streams(
                logGroupName=self.group, logStreamNamePrefix=stream
            )["logStreams"]
            created = min((one["creationTime"] for one in found), default=0)
            self._is_new[stream] = created >= _milliseconds(self._since)
        return self._is_new[stream]


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
