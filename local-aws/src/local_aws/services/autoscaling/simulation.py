"""Minute by minute: what the policies and the schedule of one target would have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from local_aws.services.autoscaling.policies import StepScaling, TargetTracking, Wish
from local_aws.services.autoscaling.schedule import ScheduledAction

Policy = TargetTracking | StepScaling


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The least and the most that a scalable target may have."""

    minimum: int
    maximum: int

    def clamped(self, capacity: int) -> int:
        """The capacity within the bounds."""
        return min(max(capacity, self.minimum), self.maximum)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A new capacity, in a minute (from 0), and why."""

    minute: int
    before: int
    after: int
    because: str


def simulate(
    *,
    bounds: Bounds,
    capacity: int,
    policies: Sequence[Policy],
    minutes: int,
    actions: Sequence[ScheduledAction] = (),
    start: datetime | None = None,
) -> list[Change]:
    """Every change of capacity that would have happened within ``minutes``.

    Each minute: due actions move the bounds, then policies are asked. Of
    several that scale out the largest wins; target tracking scales in only
    when every policy that may agrees, to the largest of what they ask. A
    change takes effect with the next minute's metric, at once: how long
    instances take to start is not known here. ``start`` is the first minute,
    which only a schedule needs; 2026-01-01 UTC when absent.
    """
    began = start if start is not None else datetime(2026, 1, 1, tzinfo=UTC)
    seen: list[list[float | None]] = [[] for _ in policies]
    quiet = _Quiet()
    changes: list[Change] = []
    for minute in range(minutes):
        for action in actions:
            if action.schedule.is_due(began + timedelta(minutes=minute), began):
                bounds = replace(
                    bounds,
                    minimum=bounds.minimum if action.minimum is None else action.minimum,
                    maximum=bounds.maximum if action.maximum is None else action.maximum,
                )
                wish = Wish(capacity=bounds.clamped(capacity), because=action.name)
                capacity = _changed(changes, minute, capacity, wish)
        for policy, values in zip(policies, seen, strict=True):
            values.append(policy.metric(minute, capacity))
        found = _chosen(policies, seen, capacity, quiet, minute)
        if found is None:
            continue
        policy, wish = found
        wanted = replace(wish, capacity=bounds.clamped(wish.capacity))
        if wanted.capacity != capacity:
            quiet.begin(policy, minute, is_out=wanted.capacity > capacity)
            capacity = _changed(changes, minute, capacity, wanted)
    return changes


class _Quiet:
    """Cooldowns: after a scale-out nothing scales in, and only more than before scales out."""

    def __init__(self) -> None:
        self._out_until = self._in_until = 0.0

    def begin(self, policy: Policy, minute: int, *, is_out: bool) -> None:
        if is_out:
            self._out_until = minute * 60 + policy.out_cooldown_seconds
        else:
            self._in_until = minute * 60 + policy.in_cooldown_seconds

    def allows(self, policy: Policy, minute: int, *, is_out: bool) -> bool:
        """A scale-out ends the quiet after a scale-in at once (user guide, "Cooldown periods").

        Within the quiet after a scale-out, step scaling adds nothing further;
        target tracking may, since what it asks counts all that is there.
        """
        now = minute * 60
        if is_out:
            return now >= self._out_until or isinstance(policy, TargetTracking)
        return now >= self._out_until and now >= self._in_until


def _chosen(
    policies: Sequence[Policy],
    seen: Sequence[Sequence[float | None]],
    capacity: int,
    quiet: _Quiet,
    minute: int,
) -> tuple[Policy, Wish] | None:
    wishes = [
        (policy, policy.wish(values, capacity))
        for policy, values in zip(policies, seen, strict=True)
    ]
    allowed = [
        (policy, wish)
        for policy, wish in wishes
        if wish is not None and quiet.allows(policy, minute, is_out=wish.capacity > capacity)
    ]
    if not allowed:
        return None
    largest = max(allowed, key=lambda each: each[1].capacity)
    if largest[1].capacity > capacity:
        return largest
    against = any(
        wish is None and isinstance(policy, TargetTracking) and policy.scales_in
        for policy, wish in wishes
    )
    return None if against and isinstance(largest[0], TargetTracking) else largest


def _changed(changes: list[Change], minute: int, capacity: int, wish: Wish) -> int:
    if wish.capacity != capacity:
        changes.append(
            Change(minute=minute, before=capacity, after=wish.capacity, because=wish.because)
        )
    return wish.capacity
