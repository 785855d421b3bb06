"""Minute by minute: what the policies and the schedule of one target would have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from local_aws.services.autoscaling.decision import Bounds, Cooldowns, Policy, chosen
from local_aws.services.autoscaling.policies import Wish
from local_aws.services.autoscaling.schedule import ScheduledAction


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

    Each minute: due actions move the bounds, then policies are asked, and
    `chosen` says whose wish is granted. A change takes effect with the next
    minute's metric, at once: how long instances take to start is not known
    here. ``start`` is the first minute, which only a schedule needs;
    2026-01-01 UTC when absent.
    """
    began = start if start is not None else datetime(2026, 1, 1, tzinfo=UTC)
    seen: list[list[float | None]] = [[] for _ in policies]
    cooldowns = Cooldowns()
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
        wishes = [
            (policy, policy.wish(values, capacity))
            for policy, values in zip(policies, seen, strict=True)
        ]
        found = chosen(wishes, capacity, cooldowns, minute * 60)
        if found is None:
            continue
        policy, wish = found
        wanted = replace(wish, capacity=bounds.clamped(wish.capacity))
        if wanted.capacity != capacity:
            cooldowns.begin(policy, minute * 60, is_out=wanted.capacity > capacity)
            capacity = _changed(changes, minute, capacity, wanted)
    return changes


def _changed(changes: list[Change], minute: int, capacity: int, wish: Wish) -> int:
    if wish.capacity != capacity:
        changes.append(
            Change(minute=minute, before=capacity, after=wish.capacity, because=wish.because)
        )
    return wish.capacity
