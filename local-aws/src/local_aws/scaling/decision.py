"""What several policies together do with one target: which of their wishes is granted, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from local_aws.scaling.policies import StepScaling, TargetTracking

Policy = TargetTracking | StepScaling


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The least and the most that a scalable target may have."""

    minimum: int
    maximum: int

    def clamped(self, capacity: int) -> int:
        """The capacity within the bounds."""
        return min(max(capacity, self.minimum), self.maximum)


@dataclass(kw_only=True)
class Cooldowns:
    """After a scale-out nothing scales in, and only more than before scales out.

    Times are in seconds of one clock, on which ``time_scale`` seconds of a cooldown pass in each.
    """

    out_until: float = 0.0
    in_until: float = 0.0
    time_scale: float = 1.0

    def begin(self, policy: Policy, now: float, *, is_out: bool) -> None:
        """A change that the policy asked for is done; a scale-out ends the wait after a scale-in
        (user guide, "Cooldown periods")."""
        if is_out:
            self.in_until = 0.0
            self.out_until = now + policy.out_cooldown_seconds / self.time_scale
        else:
            self.in_until = now + policy.in_cooldown_seconds / self.time_scale

    def allow(self, policy: Policy, now: float, *, is_out: bool) -> bool:
        """Whether the policy may change something now.

        Within the cooldown of a scale-out, step scaling adds nothing further;
        target tracking may, since what it asks counts all that is there.
        """
        if is_out:
            return now >= self.out_until or isinstance(policy, TargetTracking)
        return now >= self.out_until and now >= self.in_until


def chosen(
    wishes: Sequence[tuple[Policy, int | None]], capacity: int, cooldowns: Cooldowns, now: float
) -> tuple[Policy, int] | None:
    """The policy whose wish is granted, and the capacity that it wishes; ``wishes`` are those of
    every policy of the target, None for no change.

    Of several that scale out the largest wins; target tracking scales in only
    when every policy of its kind that may agrees, to the largest of what they ask.
    """
    allowed = [
        (policy, wish)
        for policy, wish in wishes
        if wish is not None and cooldowns.allow(policy, now, is_out=wish > capacity)
    ]
    if not allowed:
        return None
    largest = max(allowed, key=lambda each: each[1])
    if largest[1] > capacity:
        return largest
    against = any(
        wish is None and isinstance(policy, TargetTracking) and policy.scales_in
        for policy, wish in wishes
    )
    return None if against and isinstance(largest[0], TargetTracking) else largest
