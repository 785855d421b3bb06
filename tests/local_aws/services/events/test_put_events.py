"""What EventBridge takes: events, which reach a rule's target, and schedules (their grammar:
`tests/local_aws/test_schedules.py`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import Aws, eventually
from tests.local_aws.permissions.callers import refusal
from tests.local_aws.services.stepfunctions.machines import run, task

QUEUE = "events"


@pytest.fixture(scope="module", autouse=True)
def rule(aws: Aws) -> None:
    aws.client("sqs").create_queue(QueueName=QUEUE)
    arn = f"arn:aws:sqs:eu-west-1:123456789012:{QUEUE}"
    events = aws.client("events")
    events.put_rule(Name="all", EventPattern=json.dumps({"source": ["own"]}))
    events.put_targets(Rule="all", Targets=[{"Id": "queue", "Arn": arn}])


def entry(detail: Any) -> dict[str, Any]:
    return {"Source": "own", "DetailType": 'a "quoted" type', "Detail": detail}


def taken(aws: Aws) -> Any:
    queue = aws.client("sqs").get_queue_url(QueueName=QUEUE)["QueueUrl"]

    def look() -> Any:
        found = aws.client("sqs").receive_message(QueueUrl=queue).get("Messages", [])
        for message in found:
            aws.client("sqs").delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
            return json.loads(message["Body"])
        return None

    return eventually(look)


def test_a_target_gets_the_whole_event(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2024."""
    (put,) = aws.client("events").put_events(Entries=[entry('{"a": 1}')])["Entries"]
    event = taken(aws)
    assert event.pop("time").endswith("Z")
    assert list(event.items()) == [
        ("version", "0"),
        ("id", put["EventId"]),
        ("detail-type", 'a "quoted" type'),
        ("source", "own"),
        ("account", "123456789012"),
        ("region", "eu-west-1"),
        ("resources", []),
        ("detail", {"a": 1}),
    ]


@pytest.mark.parametrize("detail", ['"text"', "[1]", "1", "{", "text"])
def test_a_detail_that_is_no_json_object_is_malformed_and_the_others_are_sent(
    aws: Aws, detail: str
) -> None:
    """Recorded by LocalStack's suite, 2024."""
    answer = aws.client("events").put_events(Entries=[entry(detail), entry('{"b": 1}')])
    assert answer["FailedEntryCount"] == 1
    malformed, put = answer["Entries"]
    assert malformed == {
        "ErrorCode": "MalformedDetail",
        "ErrorMessage": "Detail is malformed.",
    }
    assert taken(aws)["id"] == put["EventId"]


def test_a_task_whose_event_is_refused_fails_with_the_answer_as_its_cause(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2024."""
    ended = run(aws, {"Put": task("events:putEvents", {"Entries": [entry("text")]})})
    assert ended["error"] == "EventBridge.FailedEntry"
    assert json.loads(ended["cause"]) == {
        "Entries": [{"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}],
        "FailedEntryCount": 1,
    }


def test_a_rule_has_a_schedule_or_none(aws: Aws) -> None:
    put = aws.client("events").put_rule
    refused = refusal(put, Name="r", ScheduleExpression="rate(1 minutes)")
    assert refused == (400, "ValidationException", "Parameter ScheduleExpression is not valid.")
    assert put(Name="r", ScheduleExpression="cron(0 12 ? * MON-FRI *)")["RuleArn"]


def test_no_event_is_for_a_rule_that_has_a_schedule_alone(aws: Aws) -> None:
    arn = f"arn:aws:sqs:eu-west-1:123456789012:{QUEUE}"
    events = aws.client("events")
    events.put_rule(Name="nightly", ScheduleExpression="cron(0 1 * * ? *)")
    target = {"Id": "queue", "Arn": arn, "Input": '{"by": "the schedule"}'}
    events.put_targets(Rule="nightly", Targets=[target])
    for number in (1, 2):
        events.put_events(Entries=[entry(f'{{"a": {number}}}')])
    assert [taken(aws).get("detail") for _ in range(2)] == [{"a": 1}, {"a": 2}]
    events.remove_targets(Rule="nightly", Ids=["queue"])


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
