"""What the default bus is told of executions, and how a rule brings that to a topic."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.local_aws.aws import Aws, eventually
from tests.local_aws.services.stepfunctions.machines import PASS, begin, create, of, result, stop

ACCOUNT = "123456789012"
HOLD = {"Hold": {"Type": "Wait", "Seconds": 600, "End": True}}
LETS_EVENTS_IN = {
    "Effect": "Allow",
    "Principal": {"Service": "events.amazonaws.com"},
    "Action": "sns:Publish",
    "Resource": "*",
}

OTHER = {"Effect": "Allow", "Action": "sns:Subscribe", "Resource": "*"}


class Told:
    """A rule on one machine, its topic, and the queue that takes what it is told."""

    def __init__(self, aws: Aws, name: str, machine: str, **target: str) -> None:
        self._aws = aws
        sns, sqs, events = (aws.client(each) for each in ("sns", "sqs", "events"))
        self._queue = sqs.create_queue(QueueName=name)["QueueUrl"]
        self.topic = sns.create_topic(Name=name)["TopicArn"]
        arn = f"arn:aws:sqs:eu-west-1:{ACCOUNT}:{name}"
        raw = {"RawMessageDelivery": "true"}
        sns.subscribe(TopicArn=self.topic, Protocol="sqs", Endpoint=arn, Attributes=raw)
        pattern = {"source": ["aws.states"], "detail": {"stateMachineArn": [machine]}}
        events.put_rule(Name=name, EventPattern=json.dumps(pattern))
        events.put_targets(Rule=name, Targets=[{"Id": "topic", "Arn": self.topic, **target}])

    def by_policy(self, *statements: Any) -> None:
        self._aws.client("sns").set_topic_attributes(
            TopicArn=self.topic,
            AttributeName="Policy",
            AttributeValue=json.dumps({"Version": "2012-10-17", "Statement": statements}),
        )

    def next(self) -> Any:
        sqs = self._aws.client("sqs")

        def look() -> Any:
            for message in sqs.receive_message(QueueUrl=self._queue).get("Messages", []):
                handle = message["ReceiptHandle"]
                sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=handle)
                return json.loads(message["Body"])
            return None

        return eventually(look)

    def has_none(self) -> bool:
        return "Messages" not in self._aws.client("sqs").receive_message(QueueUrl=self._queue)


@pytest.fixture(scope="module")
def machine(aws: Aws) -> str:
    return create(aws, of(HOLD))


def test_a_start_and_an_end_are_told_with_what_describe_execution_says(aws: Aws) -> None:
    """Step Functions developer guide, "Automating event delivery with EventBridge"."""
    machine = create(aws, PASS)
    told = Told(aws, "whole", machine)
    told.by_policy(LETS_EVENTS_IN)
    execution = begin(aws, machine, name="one", input='{"a": 1}')
    began, ended = told.next(), told.next()
    described = result(aws, execution)
    assert began["detail"]["status"] == "RUNNING"
    assert began["detail"]["stopDate"] is began["detail"]["outputDetails"] is None
    assert (ended["source"], ended["detail-type"], ended["resources"]) == (
        "aws.states",
        "Step Functions Execution Status Change",
        [execution],
    )
    milliseconds = {
        name: round(described[name].timestamp() * 1000) for name in ("startDate", "stopDate")
    }
    assert ended["detail"] == {
        "executionArn": execution,
        "stateMachineArn": machine,
        "name": "one",
        "status": "SUCCEEDED",
        **milliseconds,
        "input": '{"a": 1}',
        "inputDetails": {"included": True},
        "output": described["output"],
        "outputDetails": {"included": True},
        "error": None,
        "cause": None,
    }


def test_a_text_that_no_event_holds_is_left_out(aws: Aws) -> None:
    machine = create(aws, PASS)
    told = Told(aws, "long", machine)
    told.by_policy(LETS_EVENTS_IN)
    begin(aws, machine, input=json.dumps("x" * 130_000))
    assert told.next()["detail"]["inputDetails"] == {"included": True}
    ended = told.next()["detail"]
    assert (ended["input"], ended["inputDetails"]) == (None, {"included": False})
    assert len(ended["output"]) == 130_002


@pytest.fixture
def stopped(aws: Aws, machine: str) -> str:
    return begin(aws, machine)


def test_a_target_s_role_publishes_whatever_the_topic_s_policy_says(
    aws: Aws, machine: str, stopped: str
) -> None:
    allowed = {"Effect": "Allow", "Action": "sns:Publish", "Resource": "*"}
    role = aws.role("publishes", "events", allowed)
    told = Told(aws, "by-role", machine, RoleArn=role)
    stop(aws, stopped, error="Mine", cause="too dear")
    detail = told.next()["detail"]
    assert [detail[name] for name in ("status", "error", "cause")] == [
        *("ABORTED", "Mine", "too dear"),
    ]


@pytest.mark.parametrize("by", ["role", "policy"])
def test_nothing_is_published_that_nothing_allows(
    aws: Aws, machine: str, stopped: str, by: str
) -> None:
    role = {"RoleArn": aws.role("idle", "events", OTHER)} if by == "role" else {}
    told = Told(aws, f"no-{by}", machine, **role)
    stop(aws, stopped)
    assert told.has_none()
    failed = {"Namespace": "AWS/Events", "MetricName": "FailedInvocations", "Period": 300}
    of_rule = [{"Name": "RuleName", "Value": f"no-{by}"}]
    begun = datetime.now(UTC) - timedelta(minutes=5)
    during = {"StartTime": begun, "EndTime": begun + timedelta(minutes=10), "Statistics": ["Sum"]}
    (counted,) = eventually(
        lambda: aws.client("cloudwatch").get_metric_statistics(
            **failed, **during, Dimensions=of_rule
        )["Datapoints"]
    )
    assert counted["Sum"] >= 1
