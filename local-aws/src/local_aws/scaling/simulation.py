"""Minute by minute: what the policies and the schedule of one target do, or would have done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from local_aws.scaling.decision import Bounds, Cooldowns, Policy, chosen
from local_aws.scaling.policies import Wish
from local_aws.scaling.schedule import ScheduledAction


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

    A change takes effect with the next minute's metric, at once: how long instances take to start
    is not known here. ``start`` is as `ScaledTarget`'s.
    """
    target = ScaledTarget(
        bounds=bounds, capacity=capacity, policies=policies, actions=actions, start=start
    )
    changes: list[Change] = []
    for minute in range(minutes):
        for change in target.step(minute):
            changes.append(change)
            target.fulfil(minute * 60)
    return changes


class ScaledTarget:
    """A target whose minutes are told one after the other.

    ``start`` is the first minute, which only a schedule needs; 2026-01-01 UTC when absent.
    """

    def __init__(
        self,
        *,
        bounds: Bounds,
        capacity: int,
        policies: Sequence[Policy],
        actions: Sequence[ScheduledAction] = (),
        start: datetime | None = None,
    ) -> None:
        self.capacity = capacity
        """What is desired."""
        self._bounds = bounds
        self._policies = policies
        self._actions = actions
        self._began = start if start is not None else datetime(2026, 1, 1, tzinfo=UTC)
        self._seen: list[list[float | None]] = [[] for _ in policies]
        self._cooldowns = Cooldowns()
        self._moved = ""
        """The action that has moved the bounds, until the capacity was brought into them."""
        self._begun: tuple[Policy, bool] | None = None
        """The policy whose change is under way, and whether it scales out."""

    def step(self, minute: int, *, busy: bool = False) -> list[Change]:
        """What changes in a minute.

        Due actions move the bounds, then policies are asked, and `chosen` says whose wish is
        granted. While a change is under way, ``busy``, metrics are seen and bounds moved, and
        nothing else: a target has one activity at a time.
        """
        changes: list[Change] = []
        if not busy:
            changes += self._bring_into_bounds(minute)
        now = self._began + timedelta(minutes=minute)
        for action in self._actions:
            if action.schedule.is_due(now, self._began):
                self._move_bounds(action)
                if not busy:
                    changes += self._bring_into_bounds(minute)
        for policy, values in zip(self._policies, self._seen, strict=True):
            values.append(policy.metric(minute, self.capacity))
        if not busy:
            changes += self._granted(minute)
        return changes

    def fulfil(self, now: float) -> None:
        """The change is done, ``now`` in seconds: the cooldown of its policy begins."""
        if self._begun is not None:
            policy, is_out = self._begun
            self._cooldowns.begin(policy, now, is_out=is_out)
            self._begun = None

    def _granted(self, minute: int) -> list[Change]:
        wishes = [
            (policy, policy.wish(values, self.capacity))
            for policy, values in zip(self._policies, self._seen, strict=True)
        ]
        found = chosen(wishes, self.capacity, self._cooldowns, minute * 60)
        if found is None:
            return []
        policy, wish = found
        wanted = replace(wish, capacity=self._bounds.clamped(wish.capacity))
        if wanted.capacity != self.capacity:
            self._begun = (policy, wanted.capacity > self.capacity)
        return self._changed(minute, wanted)

    def _move_bounds(self, action: ScheduledAction) -> None:
        given = {"minimum": action.minimum, "maximum": action.maximum}
        self._bounds = replace(
            self._bounds, **{name: value for name, value in given.items() if value is not None}
        )
        self._moved = action.name

    def _bring_into_bounds(self, minute: int) -> list[Change]:
        name, self._moved = self._moved, ""
        if not name:
            return []
        wish = Wish(capacity=self._bounds.clamped(self.capacity), because=name)
        return self._changed(minute, wish)

    def _changed(self, minute: int, wish: Wish) -> list[Change]:
        before, self.capacity = self.capacity, wish.capacity
        if before == wish.capacity:
            return []
        return [Change(minute=minute, before=before, after=wish.capacity, because=wish.because)]
