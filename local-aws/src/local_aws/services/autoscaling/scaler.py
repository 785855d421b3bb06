"""Carries out what policies, schedules and bounds ask for: an activity each.

::

    CloudWatch's alarm ──> deliver ──> chosen ──┐
    the minute of a schedule ──> new bounds ────┼──> an activity: the capacity is changed
    RegisterScalableTarget ──> new bounds ──────┘    through the gateway, in a thread

Words of activities: user guide, "Scaling activities" and "Scheduled scaling"; those of SageMaker as
aws-samples recorded them.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.errors import Failure
from local_aws.scaling import ScalableDimension
from local_aws.scaling.decision import Bounds, Cooldowns, Policy, chosen
from local_aws.scaling.policies import StepScaling, TargetTracking
from local_aws.scaling.schedule import ScheduledAction
from local_aws.services.autoscaling.store import MOST_ACTIVITIES, Record, Region, Store, key_of

_CALL_LASTS_SECONDS = 150.0
_LEAST_LASTS_SECONDS = 3.0
"""How long an alarm's call counts: CloudWatch calls each minute while the alarm is on."""

_REFUSED = (ClientError, BotoCoreError, Failure)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Call:
    """An alarm has called a policy: the newest value of its metric, what it is held against."""

    alarm: str
    value: float
    threshold: float
    until: float


class Scaler:
    """Changes the capacity of targets whose dimension `LocalContext.scalable` has.

    One activity of a target at a time; ``changed`` is called as each begins and ends.
    """

    def __init__(self, context: LocalContext, store: Store, changed: Callable[[], None]) -> None:
        self._context = context
        self._store = store
        self._changed = changed
        self._calls: dict[str, _Call] = {}
        """By the policy's ARN."""
        self._busy: set[tuple[str, str]] = set()
        self._condition = threading.Condition()
        self._scheduler: threading.Thread | None = None
        self._closed = False

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> bool:
        """An alarm calls the policy ``arn``; without a datapoint there is nothing to go by."""
        told = json.loads(event["alarmData"]["state"].get("reasonData") or "{}")
        values = told.get("recentDatapoints") or []
        region = Arn.parse(arn).region
        kept = self._store.region(region)
        policy = next((each for each in kept.policies.values() if each["PolicyARN"] == arn), None)
        if policy is None or not values:
            _log.info("alarm %s has called %s: nothing to go by", source_arn, arn)
            return False
        lasts = max(self._context.seconds(_CALL_LASTS_SECONDS), _LEAST_LASTS_SECONDS)
        self._calls[arn] = _Call(
            alarm=event["alarmData"]["alarmName"],
            value=values[-1],
            threshold=told["threshold"],
            until=time.time() + lasts,
        )
        self._decide(region, kept, key_of(policy))
        return True

    def bring_into_bounds(self, region: str, key: str) -> None:
        """Begin to change the capacity of a target if it lies outside of its bounds."""
        self._in_background(self._bound, region, key)

    def follow_schedules(self) -> None:
        """Follow the scheduled actions that there are, from one thread, from now on."""
        with self._condition:
            if self._scheduler is None and not self._closed:
                self._scheduler = threading.Thread(
                    target=self._run_schedules, name="scheduled-scaling", daemon=True
                )
                self._scheduler.start()

    def close(self) -> None:
        """Begin no activity any more."""
        with self._condition:
            self._closed, scheduler = True, self._scheduler
            self._condition.notify_all()
        if scheduler is not None:
            scheduler.join()

    def _decide(self, region: str, kept: Region, key: str) -> None:
        """Grant the wish of one of a target's policies."""
        with self._store.lock:
            target = kept.targets.get(key)
            policies = [each for name, each in kept.policies.items() if name.startswith(f"{key}\t")]
        dimension = None if target is None else self._dimension(target)
        if target is None or dimension is None or (region, key) in self._busy:
            return
        try:
            capacity = dimension.capacity(region, target["ResourceId"])
        except _REFUSED as error:
            _log.warning("the capacity of %s is not known: %s", target["ResourceId"], error)
            return
        now = time.time()
        asked = [self._asked(policy, capacity, now) for policy in policies]
        cooldowns = self._cooldowns(kept, key)
        granted = chosen([(each, wish) for each, wish, _ in asked], capacity, cooldowns, now)
        if granted is None:
            return
        policy, wish = granted
        wanted = _bounds(target).clamped(wish)
        way = "Out" if wanted > capacity else "In"
        if wanted == capacity or target["SuspendedState"][f"DynamicScaling{way}Suspended"]:
            return
        alarm = next(alarm for each, _, alarm in asked if each is policy)
        cause = f"monitor alarm {alarm} in state ALARM triggered policy {policy.name}"
        cool_down = partial(self._cool_down, kept, key, policy, is_out=wanted > capacity)
        self._begin(region, target, wanted, cause, cool_down)

    def _asked(
        self, policy: Record, capacity: int, now: float
    ) -> tuple[Policy, int | None, str | None]:
        """A policy, what it wishes now, and which alarm has called it."""
        call = self._calls.get(policy["PolicyARN"])
        if call is not None and call.until < now:
            call = None
        if policy["PolicyType"] == "StepScaling":
            step = StepScaling.of(policy, call.threshold if call else 0.0)
            wish = None if call is None else step.scaled(call.value, capacity)
            return step, wish, None if call is None else call.alarm
        tracking = TargetTracking.of(policy)
        if call is None:
            return tracking, None, None
        is_out = call.threshold >= tracking.target
        return tracking, tracking.scaled(call.value, capacity, is_out=is_out), call.alarm

    def _cooldowns(self, kept: Region, key: str) -> Cooldowns:
        out_until, in_until = kept.cooldowns.get(key, (0.0, 0.0))
        return Cooldowns(
            out_until=out_until, in_until=in_until, time_scale=self._context.time_scale
        )

    def _cool_down(self, kept: Region, key: str, policy: Policy, *, is_out: bool) -> None:
        cooldowns = self._cooldowns(kept, key)
        cooldowns.begin(policy, time.time(), is_out=is_out)
        kept.cooldowns[key] = (cooldowns.out_until, cooldowns.in_until)
        for name, each in list(kept.policies.items()):
            if name.startswith(f"{key}\t"):  # what was called for was of the capacity before
                self._calls.pop(each["PolicyARN"], None)

    def _bound(self, region: str, key: str) -> None:
        target = self._store.region(region).targets.get(key)
        dimension = None if target is None else self._dimension(target)
        if target is None or dimension is None:
            return
        try:
            capacity = dimension.capacity(region, target["ResourceId"])
        except _REFUSED as error:
            _log.info("%s is not there to be scaled: %s", target["ResourceId"], error)
            return
        wanted = _bounds(target).clamped(capacity)
        if wanted != capacity:
            bound = "minimum" if wanted > capacity else "maximum"
            self._begin(region, target, wanted, f"{bound} capacity was set to {wanted}")

    def _begin(
        self,
        region: str,
        target: Record,
        capacity: int,
        cause: str,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin an activity, unless one of the target is under way; ``done`` if it succeeds."""
        place, dimension = (region, key_of(target)), self._dimension(target)
        assert dimension is not None
        with self._store.lock:
            if place in self._busy or self._closed:
                return
            self._busy.add(place)
            activity = self._add(
                region, target, f"Setting {dimension.noun} to {capacity}.", cause, "InProgress"
            )
            activity["StatusMessage"] = (
                f"Successfully set {dimension.noun} to {capacity}. Waiting for change to be "
                f"fulfilled by {target['ServiceNamespace']}."
            )

        def carry_out() -> None:
            what = f"{dimension.noun} to {capacity}"
            try:
                dimension.change(region, target["ResourceId"], capacity)
            except _REFUSED as error:
                status, message = "Failed", f"Failed to set {what}. Reason: {error}"
            else:
                status = "Successful"
                message = (
                    f"Successfully set {what}. Change successfully fulfilled by "
                    f"{target['ServiceNamespace']}."
                )
                done()
            with self._store.lock:
                activity.update(StatusCode=status, StatusMessage=message, EndTime=time.time())
                self._busy.discard(place)
            self._changed()
            if status == "Successful":  # the bounds may have moved meanwhile
                self._bound(*place)

        self._changed()
        self._in_background(carry_out)

    def _add(
        self, region: str, target: Record, description: str, cause: str, status: str
    ) -> Record:
        activity: Record = {
            "ActivityId": str(uuid4()),
            "ServiceNamespace": target["ServiceNamespace"],
            "ResourceId": target["ResourceId"],
            "ScalableDimension": target["ScalableDimension"],
            "Description": description,
            "Cause": cause,
            "StartTime": time.time(),
            "StatusCode": status,
        }
        with self._store.lock:
            activities = self._store.region(region).activities
            activities.insert(0, activity)
            del activities[MOST_ACTIVITIES:]
        return activity

    def _run_schedules(self) -> None:
        """Each minute, as long as there are scheduled actions."""
        looked = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=1)
        while True:
            now = datetime.now(UTC)
            while looked + timedelta(minutes=1) <= now:
                looked += timedelta(minutes=1)
                for region, key, action in self._due(looked):
                    self._move_bounds(region, key, action)
            with self._condition:
                if not any(region.scheduled for region in self._store.regions().values()):
                    self._scheduler = None
                if self._closed or self._scheduler is None:
                    return
                left = (looked + timedelta(minutes=1) - datetime.now(UTC)).total_seconds()
                self._condition.wait(max(left, 0.0))

    def _due(self, minute: datetime) -> Iterator[tuple[str, str, ScheduledAction]]:
        for name, region in self._store.regions().items():
            for kept in list(region.scheduled.values()):
                since = datetime.fromtimestamp(kept["CreationTime"], UTC).replace(
                    second=0, microsecond=0
                )
                begins, ends = kept.get("StartTime"), kept.get("EndTime")
                within = (begins is None or begins <= minute.timestamp()) and (
                    ends is None or minute.timestamp() <= ends
                )
                action = ScheduledAction.of({"ScalableTargetAction": {}, **kept})
                if within and minute >= since and action.schedule.is_due(minute, since):
                    yield name, key_of(kept), action

    def _move_bounds(self, region: str, key: str, action: ScheduledAction) -> None:
        with self._store.lock:
            target = self._store.region(region).targets.get(key)
            if target is None or target["SuspendedState"]["ScheduledScalingSuspended"]:
                return
            moved = {"MinCapacity": action.minimum, "MaxCapacity": action.maximum}
            target.update({name: value for name, value in moved.items() if value is not None})
            told = [
                f"{name} capacity to {value}"
                for name, value in (("min", action.minimum), ("max", action.maximum))
                if value is not None
            ]
            what = " and ".join(told)
            activity = self._add(
                region,
                target,
                f"Setting {what}",
                f"scheduled action name {action.name} was triggered",
                "Successful",
            )
            activity.update(StatusMessage=f"Successfully set {what}", EndTime=time.time())
        self._changed()
        self._bound(region, key)

    def _dimension(self, target: Record) -> ScalableDimension | None:
        return self._context.scalable.get(target["ScalableDimension"])

    @staticmethod
    def _in_background(work: Callable[..., None], *arguments: Any) -> None:
        threading.Thread(target=work, args=arguments, name="scaling", daemon=True).start()


def _bounds(target: Record) -> Bounds:
    return Bounds(minimum=target["MinCapacity"], maximum=target["MaxCapacity"])
