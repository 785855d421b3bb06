"""What is no schedule is none of a rule's, nor of EventBridge Scheduler's."""

from __future__ import annotations

import pytest

from tests.local_aws.aws import Aws
from tests.local_aws.permissions.callers import refusal

NONE = [
    "rate(0 minutes)",
    "rate(-1 days)",
    "rate(1 fortnight)",
    "rate(1.5 hours)",
    "cron(* *)",
    "x",
]


@pytest.mark.parametrize("schedule", [*NONE, "rate(5 minute)", "rate(1 minutes)"])
def test_a_rule_has_a_schedule_or_none(aws: Aws, schedule: str) -> None:
    put = aws.client("events").put_rule
    refused = refusal(put, Name="r", ScheduleExpression=schedule)
    assert refused == (400, "ValidationException", "Parameter ScheduleExpression is not valid.")


@pytest.mark.parametrize(
    "schedule", ["rate(1 minute)", "rate(10 days)", "cron(0 12 ? * MON-FRI *)"]
)
def test_a_schedule_is_a_rules(aws: Aws, schedule: str) -> None:
    assert aws.client("events").put_rule(Name="r", ScheduleExpression=schedule)["RuleArn"]


@pytest.mark.parametrize("schedule", NONE)
def test_a_schedulers_schedule_is_one(aws: Aws, schedule: str) -> None:
    role = "arn:aws:iam::123456789012:role/scheduled"
    refused = refusal(
        aws.client("scheduler").create_schedule,
        Name="s",
        ScheduleExpression=schedule,
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": "arn:aws:sqs:eu-west-1:123456789012:q", "RoleArn": role},
    )
    assert refused[:2] == (400, "ValidationException")
