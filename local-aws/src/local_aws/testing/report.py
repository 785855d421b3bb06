"""What goes into the report of a test that failed: events of failed resources, denied calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from local_aws.process.address import Address
from local_aws.process.denied import Denied, denied_until_now


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A moment of a test session: how much had failed, and which calls had been denied."""

    failures: int = 0
    denied: Counter[Denied] = field(default_factory=Counter)


class Report:
    """What has gone wrong on the local AWS at ``address``."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._failures: list[str] = []

    def add(self, failure: str) -> None:
        """Text of what failed now."""
        self._failures.append(failure)

    def mark(self) -> Mark:
        """This moment."""
        return Mark(failures=len(self._failures), denied=denied_until_now(self._address))

    def sections(self, since: Mark | None) -> list[tuple[str, str]]:
        """Titles and texts for a report of pytest; since None is since the beginning."""
        since = since or Mark()
        denied = denied_until_now(self._address) - since.denied
        found = {
            "local AWS: failed resources": self._failures[since.failures :],
            "local AWS: denied calls": [
                f"{count} x {each}" for each, count in sorted(denied.items())
            ],
        }
        return [(title, "\n".join(lines)) for title, lines in found.items() if lines]


def failed_events(client: Any, since: datetime) -> str:
    """Every event since then of the resources that have failed in any stack, oldest first.

    ``client`` is boto3's of CloudFormation. What was only cancelled has not failed.
    """
    found: list[str] = []
    for stack in client.describe_stacks()["Stacks"]:
        pages = client.get_paginator("describe_stack_events").paginate(StackName=stack["StackId"])
        events = [
            event
            for page in pages
            for event in page["StackEvents"]
            if event["Timestamp"] >= since and event.get("PhysicalResourceId") != stack["StackId"]
        ]
        failed = {event["LogicalResourceId"] for event in events if _has_failed(event)}
        told = [each for each in reversed(events) if each["LogicalResourceId"] in failed]
        found += _lines(stack["StackName"], told) if told else ()
    return "\n".join(found)


def _has_failed(event: dict[str, Any]) -> bool:
    reason = event.get("ResourceStatusReason", "cancelled")
    return event["ResourceStatus"].endswith("_FAILED") and "cancelled" not in reason


def _lines(stack: str, events: Iterable[dict[str, Any]]) -> Iterable[str]:
    yield f"stack {stack}"
    for event in events:
        reason = event.get("ResourceStatusReason")
        yield (
            f"  {event['Timestamp']:%H:%M:%S} {event['ResourceStatus']} "
            f"{event['LogicalResourceId']} ({event['ResourceType']})"
            f"{'' if reason is None else f': {reason}'}"
        )
