"""What is no schedule is none of a rule's, nor of EventBridge Scheduler's; what is one:
`tests/local_aws/test_schedules.py`."""

from __future__ import annotations

from tests.local_aws.aws import Aws
from tests.local_aws.permissions.callers import refusal


def test_a_rule_has_a_schedule_or_none(aws: Aws) -> None:
    put = aws.client("events").put_rule
    refused = refusal(put, Name="r", ScheduleExpression="rate(1 minutes)")
    assert refused == (400, "ValidationException", "Parameter ScheduleExpression is not valid.")
    assert put(Name="r", ScheduleExpression="cron(0 12 ? * MON-FRI *)")["RuleArn"]


def test_a_schedulers_schedule_is_one(aws: Aws) -> None:
    role = "arn:aws:iam::123456789012:role/scheduled"
    refused = refusal(
        aws.client("scheduler").create_schedule,
        Name="s",
        ScheduleExpression="rate(1 fortnight)",
        FlexibleTimeWindow={"Mode": "OFF"},
        Target={"Arn": "arn:aws:sqs:eu-west-1:123456789012:q", "RoleArn": role},
    )
    assert refused[:2] == (400, "ValidationException")
