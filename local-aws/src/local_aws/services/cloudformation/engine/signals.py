"""Signals that a resource waits for while it is created: its creation policy, and SignalResource.

Which resources wait, for how many signals and how long is the CloudFormation template reference's
("CreationPolicy attribute"). The words are those of stacks that people wrote down:
CloudFormation-Workshop's (2019), guardian/testing-asg-rolling-update's and aws-parallelcluster's
(2021). How many signals a time-out names where some have come is unverified; so is whether AWS
takes a signal whose UniqueId is no instance's.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from local_aws.resources.base import POLL_SECONDS, Cancelled, ResourceFailed
from local_aws.services.cloudformation.engine.refusals import validation_error

SUCCESS, FAILURE = "SUCCESS", "FAILURE"

WAIT_CONDITION = "AWS::CloudFormation::WaitCondition"
GROUP = "AWS::AutoScaling::AutoScalingGroup"
SIGNALLED = frozenset({GROUP, WAIT_CONDITION, "AWS::EC2::Instance"})
"""The types whose creation waits for signals."""

DEFAULT_TIMEOUT = "PT5M"
LIMIT_SECONDS = 12 * 3600

_TIMEOUT = re.compile(r"PT(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a creation policy waits for: ``count`` signals within ``seconds``.

    ``percent`` of them, 0 to 100, must be successes; None where one failure is too many.
    """

    count: int
    seconds: int
    percent: float | None

    @property
    def failures(self) -> int:
        """How many signals may fail or be missing."""
        percent = 100 if self.percent is None else self.percent
        return self.count - ceil(self.count * percent / 100)


def expected(type_name: str, policy: Mapping[str, Any]) -> Expected | None:
    """What the creation policy of a resource waits for, None for nothing; it was judged before."""
    signal = policy.get("ResourceSignal")
    if signal is None or type_name not in SIGNALLED:
        return None
    group = policy.get("AutoScalingCreationPolicy") or {}
    percent = float(group.get("MinSuccessfulInstancesPercent", 100))
    return Expected(
        count=int(signal.get("Count", 1)),
        seconds=_seconds(signal.get("Timeout", DEFAULT_TIMEOUT)) or 0,
        percent=percent if type_name == GROUP else None,
    )


def policy_problems(type_name: str, policy: Any) -> Iterator[str]:
    """What is wrong with a creation policy whose functions are evaluated, each a clause."""
    if type_name not in SIGNALLED:
        return
    members: dict[str, tuple[str, ...]] = {"ResourceSignal": ("Count", "Timeout")}
    if type_name == GROUP:
        members["AutoScalingCreationPolicy"] = ("MinSuccessfulInstancesPercent",)
    yield from _unknown("CreationPolicy", policy, members)
    for name, allowed in members.items():
        if isinstance(policy, dict) and name in policy:
            yield from _unknown(f"CreationPolicy.{name}", policy[name], allowed)
    count = _member(policy, "ResourceSignal", "Count", 1)
    if not _is_whole(count) or int(count) < 1:
        yield f"CreationPolicy.ResourceSignal.Count is {count!r}; it must be a whole number from 1"
    timeout = _member(policy, "ResourceSignal", "Timeout", DEFAULT_TIMEOUT)
    seconds = _seconds(timeout)
    if seconds is None or seconds > LIMIT_SECONDS:
        yield (
            f"CreationPolicy.ResourceSignal.Timeout is {timeout!r}; it must be of the form "
            "PT#H#M#S, and 12 hours at most"
        )
    percent = _member(policy, "AutoScalingCreationPolicy", "MinSuccessfulInstancesPercent", 100)
    if not _is_whole(percent) or int(percent) > 100:
        yield f"MinSuccessfulInstancesPercent is {percent!r}; it must be a whole number to 100"


def missing_properties(type_name: str, policy: Any, properties: Mapping[str, Any]) -> list[str]:
    """What a wait condition lacks whose creation policy waits for nothing."""
    if type_name != WAIT_CONDITION or "ResourceSignal" in policy:
        return []
    return [name for name in ("Handle", "Timeout") if name not in properties]


@dataclass
class Signals:
    """What one resource was signalled since its creation began.

    ``tell`` is called with what the stack's history is to say of a signal, in their order.
    """

    logical_id: str
    expected: Expected
    tell: Callable[[str], None] = field(repr=False)

    def __post_init__(self) -> None:
        self._statuses: dict[str, str] = {}
        self._changed = threading.Condition()
        self._is_over = False

    def send(self, unique_id: str, status: str) -> None:
        """Take a signal; one that comes too late is lost.

        Raises AwsError ``ValidationError`` for another success of the same id.
        """
        with self._changed:
            if unique_id in self._statuses and status != FAILURE:
                raise validation_error(
                    f"Signal with ID {unique_id} for resource {self.logical_id} already exists.  "
                    "Signals may only be updated with a FAILURE status."
                )
            if self._is_over:
                return
            self._statuses[unique_id] = status
            if status == SUCCESS or self.expected.percent is not None:
                self.tell(_received(status, unique_id))
            self._changed.notify_all()

    def wait(self, stop: threading.Event, limit_seconds: float) -> None:
        """Return once the signals that are expected have come.

        Raises ResourceFailed when they cannot come any more, and Cancelled.
        """
        deadline = time.monotonic() + limit_seconds
        with self._changed:
            try:
                while not self._has_come():
                    if time.monotonic() > deadline:
                        self._judge_missing()
                        return
                    if stop.is_set():
                        raise Cancelled
                    self._changed.wait(POLL_SECONDS)
            finally:
                self._is_over = True

    def _has_come(self) -> bool:
        failed = [each for each, status in self._statuses.items() if status == FAILURE]
        if len(failed) > self.expected.failures:
            if self.expected.percent is None:
                raise ResourceFailed(_received(FAILURE, failed[0]), code=None)
            raise self._too_few(FAILURE, len(failed))
        return len(self._statuses) >= self.expected.count

    def _judge_missing(self) -> None:
        """The time is over. Raises ResourceFailed unless enough have come all the same."""
        wanted = self.expected
        missing = wanted.count - len(self._statuses)
        if wanted.percent is None:
            raise ResourceFailed(
                f"Failed to receive {missing} resource signal(s) within the specified duration",
                code=None,
            )
        self.tell(
            f"Failed to receive {missing} resource signal(s) for the current batch.  Each resource "
            "signal timeout is counted as a FAILURE."
        )
        succeeded = list(self._statuses.values()).count(SUCCESS)
        if wanted.count - succeeded > wanted.failures:
            raise self._too_few(SUCCESS, succeeded)

    def _too_few(self, status: str, number: int) -> ResourceFailed:
        return ResourceFailed(
            f"Received {number} {status} signal(s) out of {self.expected.count}.  Unable to "
            f"satisfy {self.expected.percent:g}% MinSuccessfulInstancesPercent requirement",
            code=None,
        )


def _received(status: str, unique_id: str) -> str:
    return f"Received {status} signal with UniqueId {unique_id}"


def _unknown(place: str, value: Any, allowed: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place} is {value!r}; it must be an object"
        return
    for name in sorted(value.keys() - set(allowed)):
        yield f"{place} has no member {name}; it has {', '.join(allowed)}"


def _member(policy: Any, part: str, name: str, default: Any) -> Any:
    within = policy.get(part) if isinstance(policy, dict) else None
    return within.get(name, default) if isinstance(within, dict) else default


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and str(value).isdecimal()


def _seconds(timeout: Any) -> int | None:
    """The seconds of PT#H#M#S; None for any other text."""
    found = _TIMEOUT.fullmatch(str(timeout))
    if found is None:
        return None
    hours, minutes, seconds = (int(each or 0) for each in found.groups())
    return hours * 3600 + minutes * 60 + seconds
