"""What a policy would have done against what was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.scaling import (
    Bounds,
    Metric,
    ScaledTarget,
    ScheduledAction,
    StepScaling,
    TargetTracking,
    simulate,
)


def tracking(metric: Metric, target: float = 100, name: str = "t", **more: Any) -> TargetTracking:
    config = {"TargetValue": target, **more}
    return TargetTracking.of(
        {"PolicyName": name, "TargetTrackingScalingPolicyConfiguration": config}, metric
    )


def shared(load: Sequence[float]) -> Metric:
    """Invocations of each minute, shared by the instances."""
    return lambda minute, capacity: load[minute] / capacity


def moves(
    *policies: TargetTracking | StepScaling,
    minutes: int,
    capacity: int = 1,
    minimum: int = 1,
    maximum: int = 10,
    actions: Sequence[ScheduledAction] = (),
    start: datetime | None = None,
) -> list[tuple[int, int]]:
    changes = simulate(
        bounds=Bounds(minimum=minimum, maximum=maximum),
        capacity=capacity,
        policies=policies,
        minutes=minutes,
        actions=actions,
        start=start,
    )
    return [(change.minute, change.after) for change in changes]


def test_three_minutes_above_the_target_scale_out_to_what_is_needed() -> None:
    load = [50] * 5 + [450] * 5
    assert moves(tracking(shared(load)), minutes=10) == [(7, 5)]


def test_two_minutes_above_it_change_nothing() -> None:
    load = [50, 450, 450, 50] * 5
    assert moves(tracking(shared(load)), minutes=20) == []


def test_fifteen_minutes_below_nine_tenths_scale_in() -> None:
    load = [170.0] * 20
    assert moves(tracking(shared(load)), minutes=20, capacity=4) == [(14, 2)]
    barely = [91.0] * 40
    assert moves(tracking(shared(barely)), minutes=40, capacity=1) == []


def test_a_minute_without_data_scales_nothing_in_or_out() -> None:
    def gappy(value: float) -> Metric:
        return lambda minute, capacity: None if minute % 3 == 2 else value

    assert moves(tracking(gappy(900)), minutes=30) == []
    assert moves(tracking(gappy(1)), minutes=60, capacity=4) == []


def test_scaling_in_may_be_switched_off() -> None:
    off = tracking(lambda minute, capacity: 1, DisableScaleIn=True)
    assert moves(off, minutes=60, capacity=4) == []


def test_bounds_hold() -> None:
    assert moves(tracking(shared([5000.0] * 5)), minutes=5, maximum=3) == [(2, 3)]
    idle = tracking(lambda minute, capacity: 0.0)
    assert moves(idle, minutes=20, capacity=4, minimum=2) == [(14, 2)]
    assert moves(idle, minutes=20, capacity=4, minimum=0) == [(14, 0)]


def test_after_scaling_in_it_waits_for_its_cooldown() -> None:
    shrinking = [300.0] * 15 + [100.0] * 40
    found = moves(tracking(shared(shrinking), ScaleInCooldown=1200), minutes=55, capacity=5)
    first, second = found
    assert first == (14, 3)
    assert second[0] >= 14 + 20


def test_scaling_out_does_not_wait_for_the_cooldown_after_scaling_in_and_ends_it() -> None:
    load = [100.0] * 15 + [300.0] * 3 + [10.0] * 15
    cooldowns: dict[str, Any] = {"ScaleInCooldown": 6000, "ScaleOutCooldown": 60}
    found = moves(tracking(shared(load), **cooldowns), minutes=33, capacity=2)
    assert found == [(14, 1), (17, 3), (32, 1)]


def test_of_two_the_larger_scales_out_and_both_must_agree_to_scale_in() -> None:
    few, many = tracking(lambda m, c: 150, name="few"), tracking(lambda m, c: 400, name="many")
    assert moves(few, many, minutes=3) == [(2, 4)]
    low, steady = tracking(lambda m, c: 10, name="low"), tracking(lambda m, c: 95, name="steady")
    assert moves(low, steady, minutes=30, capacity=4) == []
    assert moves(low, minutes=15, capacity=4) == [(14, 1)]


ALARM: Mapping[str, Any] = {
    "Threshold": 10.0,
    "ComparisonOperator": "GreaterThanOrEqualToThreshold",
    "EvaluationPeriods": 2,
    "Period": 60,
}


def steps(metric: Metric, kind: str, *adjustments: Any, alarm: Any = ALARM, **more: Any) -> Any:
    config = {
        "AdjustmentType": kind,
        "StepAdjustments": [
            {
                **({} if low is None else {"MetricIntervalLowerBound": low}),
                **({} if high is None else {"MetricIntervalUpperBound": high}),
                "ScalingAdjustment": adjustment,
            }
            for low, high, adjustment in adjustments
        ],
        **more,
    }
    policy = {"PolicyName": "s", "StepScalingPolicyConfiguration": config}
    return StepScaling.of(policy, alarm, metric)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(9.9, []), (10.0, [(1, 3)]), (19.9, [(1, 3)]), (20.0, [(1, 6)]), (500.0, [(1, 6)])],
)
def test_a_step_is_taken_by_how_far_the_metric_is(
    value: float, expected: list[tuple[int, int]]
) -> None:
    policy = steps(lambda m, c: value, "ChangeInCapacity", (0, 10, 1), (10, None, 4))
    assert moves(policy, minutes=3, capacity=2) == expected


def test_steps_below_the_threshold_take_away() -> None:
    alarm = {**ALARM, "ComparisonOperator": "LessThanThreshold"}
    policy = steps(lambda m, c: 4.0, "ChangeInCapacity", (-5, 0, -1), (None, -5, -2), alarm=alarm)
    assert moves(policy, minutes=2, capacity=5) == [(1, 3)]


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
    policy = steps(lambda m, c: 10.0, kind, (0, None, adjustment), MinAdjustmentMagnitude=least)
    assert moves(policy, minutes=2, capacity=4) == [(1, after)]


def test_a_step_waits_for_its_cooldown() -> None:
    policy = steps(lambda m, c: 10.0, "ChangeInCapacity", (0, None, 1), Cooldown=180)
    assert moves(policy, minutes=9) == [(1, 2), (4, 3), (7, 4)]


def test_a_backlog_without_capacity_wakes_it_from_zero() -> None:
    alarm = {**ALARM, "Threshold": 1.0, "EvaluationPeriods": 1}
    woken = steps(
        lambda minute, capacity: float(capacity == 0 and minute >= 4),
        "ChangeInCapacity",
        (0, None, 1),
        alarm=alarm,
    )
    assert moves(woken, minutes=10, capacity=0, minimum=0) == [(4, 1)]


def action(schedule: str, timezone: str = "UTC", **bounds: int) -> ScheduledAction:
    return ScheduledAction.of(
        {
            "ScheduledActionName": schedule,
            "Schedule": schedule,
            "Timezone": timezone,
            "ScalableTargetAction": bounds,
        }
    )


MONDAY = datetime(2026, 11, 16, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "timezone", "minute"),
    [
        ("cron(0 8 * * ? *)", "UTC", 120),
        ("cron(0 8 * * ? *)", "Europe/Berlin", 60),
        ("cron(0/30 8 ? * MON-FRI *)", "UTC", 120),
        ("cron(15 6 16 NOV ? 2026)", "UTC", 15),
        ("at(2026-11-16T07:30:00)", "UTC", 90),
        ("rate(2 hours)", "UTC", 120),
    ],
)
def test_a_scheduled_action_moves_the_bounds_when_it_is_due(
    schedule: str, timezone: str, minute: int
) -> None:
    due = action(schedule, timezone, MinCapacity=4)
    found = moves(minutes=150, capacity=1, actions=[due], start=MONDAY)
    assert found == [(minute, 4)]


def test_a_lower_most_takes_what_is_above_it() -> None:
    night = action("cron(0 7 * * ? *)", MinCapacity=0, MaxCapacity=1)
    assert moves(minutes=90, capacity=5, actions=[night], start=MONDAY) == [(60, 1)]


@given(
    st.lists(st.floats(min_value=0, max_value=5000), min_size=1, max_size=60),
    st.integers(min_value=1, max_value=5),
)
def test_capacity_stays_within_its_bounds_and_every_change_is_one(
    load: list[float], capacity: int
) -> None:
    changes = simulate(
        bounds=Bounds(minimum=1, maximum=6),
        capacity=capacity,
        policies=[tracking(shared(load))],
        minutes=len(load),
    )
    for before, change in zip([None, *changes], changes, strict=False):
        assert 1 <= change.after <= 6
        assert change.after != change.before
        if before is not None:
            assert (change.before, change.minute > before.minute) == (before.after, True)


def test_while_a_change_is_under_way_nothing_else_changes_and_bounds_are_brought_in_after() -> None:
    target = ScaledTarget(
        bounds=Bounds(minimum=1, maximum=8),
        capacity=1,
        policies=[tracking(shared([500.0] * 10))],
        actions=[action("cron(0 0 * * ? *)", MinCapacity=6)],
        start=datetime(2026, 11, 23, 23, 56, tzinfo=UTC),
    )
    seen = {minute: target.step(minute, busy=2 < minute < 6) for minute in range(7)}
    changed = {minute: [each.after for each in found] for minute, found in seen.items() if found}
    assert changed == {2: [5], 6: [6]}


def test_a_cooldown_begins_when_the_change_is_done() -> None:
    load = [450.0] * 3 + [10.0] * 40
    target = ScaledTarget(
        bounds=Bounds(minimum=1, maximum=8),
        capacity=1,
        policies=[tracking(shared(load), ScaleOutCooldown=600)],
    )
    changes = []
    for minute in range(43):
        changes += target.step(minute, busy=2 < minute < 20)
        if minute == 19:
            target.fulfil(20 * 60)
    assert [(each.minute, each.after) for each in changes] == [(2, 5), (30, 1)]
