"""Registered targets are scaled: by bounds, schedules, steps and tracked metrics."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from local_aws.context import LocalContext
from local_aws.errors import Failure
from local_aws.gateway import Gateway
from local_aws.scaling import TrackedMetric
from local_aws.service import Service
from tests.local_aws.aws import REGION, eventually

DIMENSION = "custom-resource:ResourceType:Property"


class Workers:
    """A service of the test's own: so many workers by name, all in memory."""

    noun = "desired workers"

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.refuses = False
        self.may_finish = threading.Event()
        self.may_finish.set()

    def capacity(self, region: str, resource_id: str) -> int:
        if resource_id not in self.counts:
            raise Failure("there are no such workers")
        return self.counts[resource_id]

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        if self.refuses:
            raise Failure("no room")
        self.may_finish.wait(60)
        self.counts[resource_id] = capacity

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        return {}

    def judge(self, *_: object) -> None:
        pass


class Scaled:
    """A gateway with workers, and what tests do with it."""

    def __init__(self, folder: Path, workers: Workers, time_scale: float) -> None:
        def plug(context: LocalContext, changed: Callable[[str], None]) -> Iterable[Service]:
            context.scalable[DIMENSION] = workers
            return ()

        self.workers = workers
        self.gateway = Gateway(folder, region=REGION, services=[plug], time_scale=time_scale)
        self.gateway.start()
        client = partial(self.gateway.context.client, region=REGION)
        self.scaling: Any = client("application-autoscaling")
        self.cloudwatch: Any = client("cloudwatch")

    def target(self, name: str) -> dict[str, str]:
        return {
            "ServiceNamespace": "custom-resource",
            "ResourceId": name,
            "ScalableDimension": DIMENSION,
        }

    def register(self, name: str, least: int, most: int, *, count: int, **more: Any) -> None:
        self.workers.counts[name] = count
        self.scaling.register_scalable_target(
            **self.target(name), MinCapacity=least, MaxCapacity=most, **more
        )

    def count(self, name: str) -> int:
        return self.workers.counts[name]

    def activities(self, name: str) -> list[Any]:
        """Those of a target that have ended, the newest first."""
        found = self.scaling.describe_scaling_activities(**self.target(name))["ScalingActivities"]
        return [each for each in found if each["StatusCode"] != "InProgress"]

    def put(self, name: str, value: float) -> None:
        datum = {"MetricName": name, "Value": value}
        self.cloudwatch.put_metric_data(Namespace="Own", MetricData=[datum])

    def steps(self, name: str, *adjustments: Any, **more: Any) -> None:
        """A step policy, called by an alarm while the metric ``name`` is over 10."""
        arn = self.scaling.put_scaling_policy(
            **self.target(name),
            PolicyName="steps",
            PolicyType="StepScaling",
            StepScalingPolicyConfiguration={
                "AdjustmentType": "ChangeInCapacity",
                "StepAdjustments": [
                    {"MetricIntervalLowerBound": low, "ScalingAdjustment": adjustment}
                    | ({} if high is None else {"MetricIntervalUpperBound": high})
                    for low, high, adjustment in adjustments
                ],
                **more,
            },
        )["PolicyARN"]
        self.cloudwatch.put_metric_alarm(
            AlarmName=f"{name}-high",
            AlarmActions=[arn],
            Namespace="Own",
            MetricName=name,
            Statistic="Maximum",
            Period=3600,
            EvaluationPeriods=1,
            Threshold=10,
            ComparisonOperator="GreaterThanThreshold",
        )

    def track(self, name: str, target: float, **more: Any) -> None:
        self.scaling.put_scaling_policy(
            **self.target(name),
            PolicyName=f"{name}-tracked",
            PolicyType="TargetTrackingScaling",
            TargetTrackingScalingPolicyConfiguration={
                "TargetValue": target,
                "CustomizedMetricSpecification": {
                    "Namespace": "Own",
                    "MetricName": name,
                    "Statistic": "Average",
                },
                **more,
            },
        )


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scaled]:
    found = Scaled(tmp_path_factory.mktemp("scaled"), Workers(), time_scale=60)
    yield found
    found.gateway.stop()


@pytest.mark.parametrize(
    ("count", "after", "cause"),
    [
        (1, 2, "minimum capacity was set to 2"),
        (9, 4, "maximum capacity was set to 4"),
    ],
)
def test_registering_brings_the_capacity_into_its_bounds(
    scaled: Scaled, count: int, after: int, cause: str
) -> None:
    name = f"bounded-{count}"
    scaled.register(name, 2, 4, count=count)
    (activity,) = eventually(lambda: scaled.activities(name))
    assert scaled.count(name) == after
    assert activity["Cause"] == cause
    assert activity["Description"] == f"Setting desired workers to {after}."
    assert activity["StatusCode"] == "Successful"
    assert activity["StatusMessage"] == (
        f"Successfully set desired workers to {after}. Change successfully fulfilled by "
        "custom-resource."
    )
    assert activity["StartTime"] <= activity["EndTime"]


def test_a_step_is_taken_when_its_alarm_goes_off(scaled: Scaled) -> None:
    scaled.register("stepped", 1, 9, count=1)
    scaled.steps("stepped", (0, 10, 1), (10, None, 4), Cooldown=36_000)
    scaled.put("stepped", 25)
    (activity,) = eventually(lambda: scaled.activities("stepped"))
    assert scaled.count("stepped") == 5
    assert activity["Cause"] == "monitor alarm stepped-high in state ALARM triggered policy steps"


@pytest.mark.slow
def test_as_long_as_the_alarm_is_on_a_step_is_taken_after_each_cooldown(scaled: Scaled) -> None:
    scaled.register("again", 1, 3, count=1)
    scaled.steps("again", (0, None, 1))
    scaled.put("again", 25)
    # the default of 300 s passes in five
    second, first = eventually(
        lambda: scaled.activities("again")[1:] and scaled.activities("again")
    )
    assert scaled.count("again") == 3
    assert (second["StartTime"] - first["EndTime"]).total_seconds() >= 5


@pytest.mark.long
@pytest.mark.slow
def test_target_tracking_goes_out_to_what_is_needed_and_in_again(scaled: Scaled) -> None:
    scaled.register("tracked", 1, 8, count=1)
    scaled.track("tracked", 10, ScaleInCooldown=0, ScaleOutCooldown=0)

    def put_until(value: float, count: int) -> None:
        def look() -> bool:
            scaled.put("tracked", value)
            return scaled.count("tracked") == count

        eventually(look, seconds=120)

    def ended(position: int, alarm: str) -> bool:
        found = scaled.activities("tracked")
        return bool(found) and alarm in found[position]["Cause"]

    put_until(28, 3)
    eventually(lambda: ended(-1, "AlarmHigh"))
    put_until(3, 1)
    eventually(lambda: ended(0, "AlarmLow"))


def test_a_suspended_target_stays_as_it_is(scaled: Scaled) -> None:
    suspended = {"DynamicScalingOutSuspended": True}
    scaled.register("suspended", 1, 9, count=1, SuspendedState=suspended)
    scaled.register("beside", 1, 9, count=1)
    for name in ("suspended", "beside"):
        scaled.steps(name, (0, None, 1))
        scaled.put(name, 25)
    eventually(lambda: scaled.count("beside") > 1)
    assert scaled.count("suspended") == 1
    scaled.scaling.register_scalable_target(
        **scaled.target("suspended"), SuspendedState={"DynamicScalingOutSuspended": False}
    )
    eventually(lambda: scaled.count("suspended") > 1)


def test_a_scheduled_action_moves_the_bounds_and_the_capacity_with_them(scaled: Scaled) -> None:
    scaled.register("scheduled", 1, 2, count=1)
    scaled.scaling.put_scheduled_action(
        **scaled.target("scheduled"),
        ScheduledActionName="now",
        Schedule=f"at({datetime.now(UTC):%Y-%m-%dT%H:%M:%S})",
        ScalableTargetAction={"MinCapacity": 5, "MaxCapacity": 6},
    )
    changed, moved = eventually(
        lambda: found if len(found := scaled.activities("scheduled")) == 2 else None
    )
    assert scaled.count("scheduled") == 5
    assert (moved["Description"], moved["Cause"]) == (
        "Setting min capacity to 5 and max capacity to 6",
        "scheduled action name now was triggered",
    )
    assert changed["Cause"] == "minimum capacity was set to 5"
    (target,) = scaled.scaling.describe_scalable_targets(
        ServiceNamespace="custom-resource", ResourceIds=["scheduled"]
    )["ScalableTargets"]
    assert (target["MinCapacity"], target["MaxCapacity"]) == (5, 6)


def test_what_cannot_be_changed_is_told_by_its_activity(scaled: Scaled) -> None:
    scaled.workers.refuses = True
    try:
        scaled.register("refused", 2, 4, count=1)
        (activity,) = eventually(lambda: scaled.activities("refused"))
    finally:
        scaled.workers.refuses = False
    assert activity["StatusCode"] == "Failed"
    assert activity["StatusMessage"] == "Failed to set desired workers to 2. Reason: no room"


def test_targets_activities_and_cooldowns_are_found_again(tmp_path: Path) -> None:
    workers = Workers()
    first = Scaled(tmp_path, workers, time_scale=1)
    first.register("kept", 1, 9, count=1)
    first.steps("kept", (0, None, 1))
    first.put("kept", 25)
    eventually(lambda: first.activities("kept"))
    workers.may_finish.clear()
    first.register("under-way", 2, 4, count=1)
    eventually(
        lambda: first.scaling.describe_scaling_activities(**first.target("under-way"))[
            "ScalingActivities"
        ]
    )
    first.gateway.stop()
    workers.may_finish.set()
    second = Scaled(tmp_path, workers, time_scale=1)
    try:
        assert [each["StatusCode"] for each in second.activities("kept")] == ["Successful"]
        (cut_off,) = second.activities("under-way")
        assert cut_off["StatusMessage"] == "The local AWS was stopped meanwhile."
        second.put("kept", 30)  # its alarm is on, but the cooldown is not over
        second.register("bounded", 2, 4, count=1)
        eventually(lambda: second.activities("bounded"))
        assert second.count("kept") == 2
    finally:
        second.gateway.stop()
