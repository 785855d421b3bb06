"""CloudWatch's own clock: alarms are looked at as time passes, and soon after data was put."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from local_aws.context import LocalContext
from local_aws.percentiles import Percentiles

from . import moto
from .actions import act, repeat
from .alarms import Alarm, has_fixed_threshold, judge, reason, reason_data

_MINUTE_SECONDS = 60.0
"""An alarm with a period of a minute or more is evaluated every minute, and an action of Auto
Scaling is done again each minute that the alarm stays in ALARM (CloudWatch user guide, "Alarm
evaluation" and "Alarm actions")."""

_LOOKS = 6
"""How often alarms are looked at within their shortest period, or a minute: periods are not those
of the clock's minutes here."""

_LEAST_LOOK_SECONDS = 0.25
_LEAST_PERIOD_SECONDS = 1.0
_AHEAD_SECONDS = 1.0
"""How far the clock of whoever puts data may be ahead."""

_BETWEEN_SECONDS = 0.1
"""Between two looks, however much data is put."""

_log = logging.getLogger(__name__)


class Evaluation:
    """Looks at the alarms of each region that has any, from one thread that begins with the first.

    Alarms over one metric with a fixed threshold, and a plain statistic or a percentile that
    `LocalContext.percentiles` know; others (metric math, other percentiles, anomaly detection,
    composite) stay as they are. Periods and waits pass by `LocalContext.time_scale`; a period is
    never shorter than a second. ``changed`` is called when an alarm has moved.
    """

    def __init__(self, context: LocalContext, changed: Callable[[], None]) -> None:
        self._context = context
        self._changed = changed
        self._due: dict[str, float] = {}
        self._written: set[str] = set()
        self._repeated: dict[tuple[str, str], float] = {}
        self._condition = threading.Condition()
        self._looking = threading.RLock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._actions = ThreadPoolExecutor(max_workers=1, thread_name_prefix="alarm-actions")

    def watch(self, region: str) -> None:
        """Look at a region soon, and from now on as long as it has alarms."""
        with self._condition:
            self._written.add(region)
            self._due[region] = time.monotonic()
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def wrote(self, region: str) -> None:
        """Look at a region soon, if it has alarms."""
        with self._condition:
            if region in self._due:
                self._written.add(region)
                self._due[region] = min(self._due[region], time.monotonic())
                self._condition.notify_all()

    def changed(self, region: str, alarm: Alarm, previous: Alarm) -> None:
        """Carry out what an alarm does in the state that it has now."""
        self._changed()
        if alarm["StateValue"] != previous["StateValue"]:
            self._do(act, region, alarm, previous)
        self._repeated[region, alarm["AlarmName"]] = time.monotonic()

    def settle(self, region: str) -> None:
        """Have the alarms of a region say what all that was put until now calls for."""
        if region in self._written:
            self._look(region)

    def close(self) -> None:
        """Look no more; actions that did not begin yet are not done."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._actions.shutdown(cancel_futures=True)

    def _run(self) -> None:
        while (region := self._next()) is not None:
            try:
                seconds = self._look(region)
            except Exception:
                _log.exception("the alarms of %s were not evaluated", region)
                seconds = _MINUTE_SECONDS
            with self._condition:
                if self._due[region] == math.inf:  # nothing was put meanwhile
                    if seconds is None:
                        del self._due[region]
                    else:
                        self._due[region] = time.monotonic() + seconds
                self._condition.wait_for(lambda: self._closed, _BETWEEN_SECONDS)

    def _next(self) -> str | None:
        """The region that is due, once one is; None when it is over."""
        with self._condition:
            while not self._closed:
                now = time.monotonic()
                region = min(self._due, key=self._due.__getitem__, default=None)
                if region is not None and self._due[region] <= now:
                    self._due[region] = math.inf
                    return region
                self._condition.wait(None if region is None else self._due[region] - now)
        return None

    def _look(self, region: str) -> float | None:
        """Evaluate a region's alarms; how long until the next time, None without any."""
        with self._looking:
            self._written.discard(region)
            judged = [
                (alarm, percentiles)
                for alarm in moto.alarms_of(self._context.account_id, region)
                if has_fixed_threshold(alarm)
                for percentiles in [self._percentiles(alarm)]
                if alarm["Statistic"] or percentiles is not None
            ]
            if not judged:
                return None
            now = time.time()
            since = min(min(self._periods(alarm, now))[0] for alarm, _ in judged)
            metrics = {_metric(alarm) for alarm, _ in judged}
            data = moto.data_of(self._context.account_id, region, metrics, since)
            for alarm, percentiles in judged:
                if percentiles is None:
                    found = data.get(_metric(alarm), moto.Datapoints())
                    factor = self._sum_factor(alarm)
                    values = [
                        None if value is None else value * factor
                        for times in self._periods(alarm, now)
                        for value in [found.statistic(alarm["Statistic"], *times)]
                    ]
                else:
                    values = [
                        percentiles.percentile(region, alarm, *times)
                        for times in self._periods(alarm, now)
                    ]
                self._move(region, alarm, values, now)
        shortest = min(alarm["Period"] for alarm, _ in judged)
        between = self._context.seconds(min(shortest, _MINUTE_SECONDS) / _LOOKS)
        return max(between, _LEAST_LOOK_SECONDS)

    def _move(self, region: str, alarm: Alarm, values: list[float | None], now: float) -> None:
        name, state = alarm["AlarmName"], judge(alarm, values)
        why = reason_data(alarm, values, now)
        if state is not None and state != alarm["StateValue"]:
            with self._context.write_lock.change():
                moto.set_state(
                    self._context.account_id,
                    region,
                    name,
                    state=state,
                    reason=reason(values),
                    reason_data=why,
                )
        elif alarm["StateValue"] == "ALARM" and self._is_time_again(region, name):
            self._do(repeat, region, {**alarm, "StateReasonData": why}, alarm)

    def _is_time_again(self, region: str, name: str) -> bool:
        now = time.monotonic()
        pause = max(self._context.seconds(_MINUTE_SECONDS), _LEAST_PERIOD_SECONDS)
        if now < self._repeated.get((region, name), 0.0) + pause:
            return False
        self._repeated[region, name] = now
        return True

    def _percentiles(self, alarm: Alarm) -> Percentiles | None:
        return next((each for each in self._context.percentiles if each.knows(alarm)), None)

    def _periods(self, alarm: Alarm, now: float) -> Iterator[tuple[float, float]]:
        """When the periods that count begin and end, the newest first."""
        seconds = self._period_seconds(alarm)
        for number in range(alarm["EvaluationPeriods"]):
            end = now - number * seconds
            yield end - seconds, end if number else end + _AHEAD_SECONDS

    def _period_seconds(self, alarm: Alarm) -> float:
        return max(self._context.seconds(alarm["Period"]), _LEAST_PERIOD_SECONDS)

    def _sum_factor(self, alarm: Alarm) -> float:
        """How many times as much would have been counted in a period that does not pass faster.

        1 but for sums of AWS's own metrics that call a scaling policy: ten requests a second are
        600 a minute, also where a minute is a second.
        """
        calls = (":scalingPolicy:" in each for each in alarm["AlarmActions"])
        is_sum = alarm["Statistic"] in ("Sum", "SampleCount")
        if not (is_sum and alarm["Namespace"].startswith("AWS/") and any(calls)):
            return 1.0
        factor: float = alarm["Period"] / self._period_seconds(alarm)
        return factor

    def _do(self, action: Callable[..., None], *given: Any) -> None:
        with self._condition:
            if not self._closed:
                self._actions.submit(action, self._context, *given)


def _metric(alarm: Alarm) -> moto.Metric:
    dimensions = frozenset((each["Name"], each["Value"]) for each in alarm["Dimensions"])
    return alarm["Namespace"], alarm["MetricName"], dimensions
