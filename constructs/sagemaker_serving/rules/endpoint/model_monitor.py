"""Model Monitor: when it looks, and that there is something to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.resources import MonitorFacts


@rule(
    source="botocore ScheduleConfig.ScheduleExpression, MonitoringStoppingCondition; "
    "aws/sagemaker-python-sdk#2177",
    example="ScheduleExpression: cron(0 0 ? * MON *)",
)
def monitor_schedule(monitor: MonitorFacts) -> Iterator[Finding]:
    """Model Monitor looks each hour, each day, or every so many hours, and ends before the next.

    Its cron has the minute 0 and no days. CreateMonitoringSchedule refuses other expressions.
    """
    when, seconds = monitor.schedule, monitor.runtime.number
    if seconds is not None and seconds > 3600 and "cron(0 * ?" in (when.text or ""):
        yield monitor.runtime.says(
            f"is {monitor.runtime.value}, and the schedule is hourly; use at most 3600"
        )
    found = _CRON.fullmatch((when.text or "").strip())
    if when.text is None or (
        found is not None and all(int(hour or 0) < 24 for hour in found.groups())
    ):
        return
    yield when.says(
        f"is {when.text!r}; Model Monitor takes cron(0 * ? * * *) for each hour, cron(0 12 ? * * "
        "*) for each day, cron(0 0/6 ? * * *) for every six hours, and NOW"
    )


_CRON = re.compile(
    r"NOW|(?:[A-Z][a-z]+: *)?"
    r"cron\(0 (?:\*(?:/[0-9]{1,2})?|([0-9]{1,2})(?:/[0-9]{1,2})?) \? \* \* \*\)"
)
"""What the API's page has. It writes ``Hourly:`` before one of them, and has no ``*/6``; neither is
known to be refused."""


@warning(
    source="SageMaker developer guide, schedule monitoring jobs; aws/sagemaker-python-sdk#2634",
    example="a MonitoringSchedule of an endpoint whose config has no DataCaptureConfig",
)
def monitor_capture(monitor: MonitorFacts) -> Iterator[Finding]:
    """An endpoint that Model Monitor looks at captures its requests.

    There is nothing to look at otherwise: each execution fails with "Job inputs had no data".
    """
    if monitor.captures is False:
        yield monitor.endpoint.says(
            f"is {monitor.named}, whose configuration captures nothing; give it a "
            "DataCaptureConfig with EnableCapture: true"
        )
