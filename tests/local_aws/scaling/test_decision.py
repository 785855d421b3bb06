"""What policies ask for when an alarm calls them, and which of them is granted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.scaling.decision import Bounds, Cooldowns, Policy, chosen
from local_aws.scaling.policies import StepScaling, TargetTracking


def tracking(target: float = 100, **more: Any) -> TargetTracking:
    config = {"TargetValue": target, **more}
    return TargetTracking.of(
        {"PolicyName": "t", "TargetTrackingScalingPolicyConfiguration": config}
    )


def steps(kind: str, *adjustments: Any, **more: Any) -> StepScaling:
    """Over a threshold of 10; each adjustment has the ends of its interval before it."""
    ends = ("MetricIntervalLowerBound", "MetricIntervalUpperBound", "ScalingAdjustment")
    found = [
        {name: value for name, value in zip(ends, each, strict=True) if value is not None}
        for each in adjustments
    ]
    config = {"AdjustmentType": kind, "StepAdjustments": found, **more}
    return StepScaling.of({"PolicyName": "s", "StepScalingPolicyConfiguration": config}, 10.0)


def granted(
    *wishes: tuple[Policy, int | None], capacity: int, now: float = 0, cooldowns: Any = None
) -> int | None:
    found = chosen(wishes, capacity, cooldowns or Cooldowns(), now)
    return None if found is None else found[1]


@given(st.integers(0, 5000), st.integers(0, 50))
def test_target_tracking_goes_to_what_holds_the_load_at_its_target(
    value: int, capacity: int
) -> None:
    for is_out in (True, False):
        found = tracking().scaled(value, capacity, is_out=is_out)
        if found is not None:
            assert (found > capacity) is is_out
            assert found * 100 >= capacity * value > (found - 1) * 100


def test_scaling_in_may_be_switched_off() -> None:
    assert tracking().scaled(1, 4, is_out=False) == 1
    assert tracking(DisableScaleIn=True).scaled(1, 4, is_out=False) is None


@pytest.mark.parametrize(
    ("value", "after"),
    [(5.0, 0), (5.1, 1), (9.9, 1), (10.0, 3), (19.9, 3), (20.0, 6), (500.0, 6)],
)
def test_a_step_is_taken_by_how_far_the_metric_is(value: float, after: int) -> None:
    policy = steps("ChangeInCapacity", (None, -5, -2), (-5, 0, -1), (0, 10, 1), (10, None, 4))
    assert policy.scaled(value, 2) == after


@pytest.mark.parametrize(
    ("kind", "adjustment", "least", "after"),
    [
        ("ExactCapacity", 7, 1, 7),
        ("PercentChangeInCapacity", 50, 1, 6),
        ("PercentChangeInCapacity", 10, 1, 5),
        ("PercentChangeInCapacity", 10, 3, 7),
    ],
)
def test_adjustments_are_of_their_type(kind: str, adjustment: int, least: int, after: int) -> None:
    policy = steps(kind, (0, None, adjustment), MinAdjustmentMagnitude=least)
    assert policy.scaled(10.0, 4) == after


def test_of_two_the_larger_scales_out_and_all_that_track_must_agree_to_scale_in() -> None:
    few, many, low = 2, 4, 1
    assert granted((tracking(), few), (tracking(), many), capacity=1) == 4
    assert granted((tracking(), low), (tracking(), None), capacity=4) is None
    assert granted((tracking(), low), (tracking(DisableScaleIn=True), None), capacity=4) == 1
    assert granted((tracking(), low), (tracking(), few), capacity=4) == 2


def test_cooldowns_hold_back_what_they_should_and_a_scale_out_ends_the_other() -> None:
    step = steps("ChangeInCapacity", (0, None, 1), Cooldown=180)
    track = tracking(ScaleInCooldown=600, ScaleOutCooldown=60)
    up, down = 5, 1
    held = Cooldowns(time_scale=2)
    held.begin(step, 0, is_out=True)
    assert granted((step, up), capacity=2, now=89, cooldowns=held) is None
    assert granted((track, up), capacity=2, now=1, cooldowns=held) == 5
    assert granted((track, down), capacity=2, now=89, cooldowns=held) is None
    assert granted((step, up), capacity=2, now=90, cooldowns=held) == 5
    held.begin(track, 100, is_out=False)
    assert granted((track, down), capacity=2, now=399, cooldowns=held) is None
    assert granted((step, up), capacity=2, now=101, cooldowns=held) == 5
    held.begin(track, 110, is_out=True)
    assert granted((track, down), capacity=2, now=140, cooldowns=held) == 1


def test_what_is_granted_stays_within_the_bounds() -> None:
    assert [Bounds(minimum=1, maximum=3).clamped(each) for each in (0, 2, 9)] == [1, 2, 3]
