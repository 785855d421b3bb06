"""The rules on what watches an endpoint: what each names, and the nearest that it lets pass."""

from __future__ import annotations

from typing import Any

Monitoring = dict[str, Any]
TOPIC = "arn:aws:sns:eu-west-1:111122223333:pager"


def thresholds(**values: float | None) -> Monitoring:
    return {"thresholds": values}


CASES: list[tuple[str, Monitoring, str, Monitoring]] = [
    # rule, what is wrong, what is said, the nearest that passes
    ("alarm-threshold", thresholds(cpu_utilization_percent=100),
     "cpu_utilization_percent is 100; an alarm goes off above it",
     thresholds(cpu_utilization_percent=99.9)),
    ("alarm-threshold", thresholds(invocation_5xx_errors_percent=-0.1),
     "use null for no such alarm", thresholds(invocation_5xx_errors_percent=0)),
    ("alarm-threshold", thresholds(model_latency_p99_milliseconds=0),
     "model_latency_p99_milliseconds is 0; every request takes longer",
     thresholds(model_latency_p99_milliseconds=None)),
    ("alarm-threshold", thresholds(oldest_request_seconds=-1), "oldest_request_seconds is -1",
     thresholds(oldest_request_seconds=1)),
    ("alarm-period", thresholds(period_seconds=45),
     "period_seconds is 45; CloudWatch takes 10, 20, 30 and multiples of 60; use 60",
     thresholds(period_seconds=30)),
    ("alarm-period", thresholds(period_seconds=150), "use 120", thresholds(period_seconds=120)),
    ("alarm-period", thresholds(period_seconds=300, evaluation_periods=289),
     "289 periods of 300 seconds are 86700 seconds; CloudWatch looks back 86400",
     thresholds(period_seconds=300, evaluation_periods=288)),
    ("alarm-period", thresholds(period_seconds=3600, evaluation_periods=169),
     "CloudWatch looks back 604800", thresholds(period_seconds=3600, evaluation_periods=168)),
    ("alarm-datapoints", thresholds(evaluation_periods=0),
     "evaluation_periods is 0; it must be at least 1", thresholds(evaluation_periods=1)),
    ("alarm-datapoints", thresholds(datapoints_to_alarm=4),
     "datapoints_to_alarm is 4; it must be 1 to 3; use 3", thresholds(datapoints_to_alarm=3)),
    ("alarm-topic", {"alarm_topic_arn": "pager"},
     "alarm_topic_arn is 'pager'; it must be the ARN of an SNS topic", {"alarm_topic_arn": TOPIC}),
    ("alarm-topic", {"alarm_topic_arn": TOPIC.replace("eu-west-1", "us-east-1")},
     "alarm_topic_arn is in us-east-1, the environment in eu-west-1", {"alarm_topic_arn": None}),
    ("log-retention", {"log_retention_days": 100},
     "log_retention_days is 100; CloudWatch keeps logs for 1, 3, 5,", {"log_retention_days": 120}),
    ("log-retention", {"log_retention_days": 4000}, "use 3653, or null to keep them for ever",
     {"log_retention_days": None}),
]  # fmt: skip
