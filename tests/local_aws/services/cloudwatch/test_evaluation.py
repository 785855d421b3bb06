"""Alarms move by themselves, and do what they were made for."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import REGION, Aws, eventually, gateway_of, policy, running


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)


def put_alarm(aws: Aws, name: str, **more: Any) -> None:
    wanted = {
        "AlarmName": name,
        "Namespace": "Own",
        "MetricName": name,
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 3,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
        **more,
    }
    if "ExtendedStatistic" in more:
        del wanted["Statistic"]
    aws.client("cloudwatch").put_metric_alarm(**wanted)


def put(aws: Aws, name: str, value: float, **more: Any) -> None:
    datum = {"MetricName": name, "Value": value, **more}
    aws.client("cloudwatch").put_metric_data(Namespace="Own", MetricData=[datum])


def state(aws: Aws, name: str) -> str:
    (found,) = aws.client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
    value: str = found["StateValue"]
    return value


def kept_state(gateway: Gateway, name: str) -> str:
    """An alarm's state as it is kept, without asking for it."""
    from moto.backends import get_backend

    value: str = get_backend("cloudwatch")["123456789012"][REGION].alarms[name].state_value
    return value


@contextmanager
def messages(aws: Aws, topic: str) -> Iterator[Any]:
    """A function that gives the messages that have come to a topic so far."""
    sns, sqs = aws.client("sns"), aws.client("sqs")
    arn = sns.create_topic(Name=topic)["TopicArn"]
    queue = sqs.create_queue(QueueName=topic)["QueueUrl"]
    queue_arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue_arn["Attributes"]["QueueArn"])
    found: list[Any] = []

    def look() -> list[Any]:
        answer = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
        for message in answer.get("Messages", []):
            found.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        return found

    yield look


def test_what_is_put_moves_an_alarm_that_nobody_asks_for(aws: Aws) -> None:
    put_alarm(aws, "unasked")

    def goes_off() -> bool:
        put(aws, "unasked", 9)  # again and again, as it counts for a second
        return kept_state(aws.gateway, "unasked") == "ALARM"

    eventually(goes_off)
    eventually(lambda: kept_state(aws.gateway, "unasked") == "OK")  # a second is its period


def test_who_asks_right_after_is_told_what_the_data_calls_for(aws: Aws) -> None:
    put_alarm(aws, "asked", Period=3600)
    assert state(aws, "asked") == "OK"
    put(aws, "asked", 9)
    assert state(aws, "asked") == "ALARM"


def test_an_alarm_begins_without_data_and_keeps_its_state_when_it_is_changed(aws: Aws) -> None:
    put_alarm(aws, "kept", ExtendedStatistic="p90")
    assert state(aws, "kept") == "INSUFFICIENT_DATA"
    aws.client("cloudwatch").set_alarm_state(
        AlarmName="kept", StateValue="ALARM", StateReason="by hand"
    )
    put_alarm(aws, "kept", ExtendedStatistic="p90", Threshold=4)
    assert state(aws, "kept") == "ALARM"


def test_only_data_of_the_very_same_dimensions_counts(aws: Aws) -> None:
    one, two = {"Name": "one", "Value": "1"}, {"Name": "two", "Value": "2"}
    put_alarm(aws, "dimensions", Dimensions=[one], Period=3600)
    put(aws, "dimensions", 9)
    put(aws, "dimensions", 9, Dimensions=[one, two])
    assert state(aws, "dimensions") == "OK"
    put(aws, "dimensions", 9, Dimensions=[one])
    assert state(aws, "dimensions") == "ALARM"


@pytest.mark.parametrize(
    ("statistic", "threshold"),
    [("Sum", 11), ("Average", 2.9), ("Minimum", 0.9), ("Maximum", 4.9), ("SampleCount", 3)],
)
def test_each_statistic_is_known_of_values_and_of_sets(
    aws: Aws, statistic: str, threshold: float
) -> None:
    name = f"of-{statistic}"
    put(aws, name, 1)
    together = {"SampleCount": 3, "Sum": 11, "Minimum": 2, "Maximum": 5}
    aws.client("cloudwatch").put_metric_data(
        Namespace="Own", MetricData=[{"MetricName": name, "StatisticValues": together}]
    )
    common = {"MetricName": name, "Statistic": statistic, "Period": 3600}
    put_alarm(aws, f"{name}-over", Threshold=threshold, **common)
    put_alarm(aws, f"{name}-under", Threshold=threshold + 1, **common)
    assert (state(aws, f"{name}-over"), state(aws, f"{name}-under")) == ("ALARM", "OK")


def test_a_state_that_was_set_by_hand_ends_with_the_next_look(aws: Aws) -> None:
    def set_by_hand() -> str:
        aws.client("cloudwatch").set_alarm_state(
            AlarmName="by-hand", StateValue="ALARM", StateReason="test"
        )
        return state(aws, "by-hand")

    put_alarm(aws, "by-hand")
    assert state(aws, "by-hand") == "OK"
    eventually(lambda: set_by_hand() == "ALARM")  # the next look may come before it is read
    eventually(lambda: state(aws, "by-hand") == "OK")


def test_a_topic_is_told_of_each_state_that_has_it_as_its_action(aws: Aws) -> None:
    with messages(aws, "alarms") as told:
        topic = "arn:aws:sns:eu-west-1:123456789012:alarms"
        actions = {"AlarmActions": [topic], "OKActions": [topic]}
        put_alarm(aws, "loud", Period=600, AlarmDescription="too loud", **actions)
        assert state(aws, "loud") == "OK"
        put(aws, "loud", 9)
        assert state(aws, "loud") == "ALARM"
        eventually(lambda: len(told()) >= 2)
        calm, alarm = told()
    assert calm["Subject"] == 'OK: "loud" in Europe (Ireland)'
    assert alarm["Subject"] == 'ALARM: "loud" in Europe (Ireland)'
    message = json.loads(alarm["Message"])
    changed = datetime.strptime(message.pop("StateChangeTime"), "%Y-%m-%dT%H:%M:%S.%f%z")
    assert abs((datetime.now(UTC) - changed).total_seconds()) < 600
    assert message == {
        "AlarmName": "loud",
        "AlarmDescription": "too loud",
        "AWSAccountId": "123456789012",
        "NewStateValue": "ALARM",
        "NewStateReason": "the last datapoints, newest first: 9",
        "Region": "Europe (Ireland)",
        "AlarmArn": "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:loud",
        "OldStateValue": "OK",
        "AlarmActions": [topic],
        "OKActions": [topic],
        "InsufficientDataActions": [],
        "Trigger": {
            "MetricName": "loud",
            "Namespace": "Own",
            "StatisticType": "Statistic",
            "Statistic": "SUM",
            "Unit": None,
            "Dimensions": [],
            "Period": 600,
            "EvaluationPeriods": 1,
            "ComparisonOperator": "GreaterThanThreshold",
            "Threshold": 3.0,
            "TreatMissingData": "notBreaching",
            "EvaluateLowSampleCountPercentile": "",
        },
    }


def test_disabled_actions_are_not_done_and_a_state_set_by_hand_does_them(aws: Aws) -> None:
    with messages(aws, "by-hand") as told:
        topic = "arn:aws:sns:eu-west-1:123456789012:by-hand"
        cloudwatch = aws.client("cloudwatch")
        for name, enabled in (("silent", False), ("telling", True)):
            put_alarm(
                aws,
                name,
                ExtendedStatistic="p90",
                AlarmActions=[topic],
                ActionsEnabled=enabled,
            )
            cloudwatch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="test")
        (message,) = eventually(told)
    assert json.loads(message["Message"])["AlarmName"] == "telling"


def test_a_topic_whose_policy_does_not_let_cloudwatch_in_is_told_nothing(aws: Aws) -> None:
    with messages(aws, "closed") as closed, messages(aws, "open") as opened:
        head = "arn:aws:sns:eu-west-1:123456789012"
        aws.client("sns").set_topic_attributes(
            TopicArn=f"{head}:closed",
            AttributeName="Policy",
            AttributeValue=policy(
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "events.amazonaws.com"},
                    "Action": "sns:Publish",
                    "Resource": f"{head}:closed",
                }
            ),
        )
        both = [f"{head}:closed", f"{head}:open"]
        put_alarm(aws, "refused", Period=3600, AlarmActions=both)
        put(aws, "refused", 9)
        eventually(opened)
        assert closed() == []


def test_whoever_takes_events_of_its_own_arns_is_called_by_alarms(aws: Aws) -> None:
    taken: list[Any] = []

    def take(arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None) -> bool:
        taken.append((arn, event, service, source_arn))
        return True

    arn = "arn:aws:own:eu-west-1:123456789012:thing"
    aws.gateway.context.targets.add("123456789012", "own", take)
    dimensions = [{"Name": "a", "Value": "b"}]
    put_alarm(aws, "calling", Period=3600, AlarmActions=[arn], Dimensions=dimensions)
    put(aws, "calling", 9, Dimensions=dimensions)
    ((target, event, service, source),) = eventually(lambda: taken)
    assert (target, service) == (arn, "lambda.alarms.cloudwatch.amazonaws.com")
    assert source == event["alarmArn"] == "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:calling"
    told = event["alarmData"]
    assert (told["alarmName"], told["state"]["value"]) == ("calling", "ALARM")
    assert json.loads(told["state"]["reasonData"])["recentDatapoints"] == [9.0]
    (metric,) = told["configuration"]["metrics"]
    assert metric["metricStat"] == {
        "metric": {"namespace": "Own", "name": "calling", "dimensions": {"a": "b"}},
        "period": 3600,
        "stat": "Sum",
    }


class Ninety:
    """Knows every percentile of one metric: it is ninety."""

    def knows(self, alarm: Mapping[str, Any]) -> bool:
        return alarm["MetricName"] == "ninety" and alarm["ExtendedStatistic"] is not None

    def percentile(
        self, region: str, alarm: Mapping[str, Any], start: float, end: float
    ) -> float | None:
        return 90.0


def test_percentiles_are_those_of_whoever_knows_them(aws: Aws) -> None:
    aws.gateway.context.percentiles.append(Ninety())
    put_alarm(aws, "ninety", ExtendedStatistic="p99", Threshold=89)
    put_alarm(aws, "nobodys", ExtendedStatistic="p99", Threshold=89)
    assert (state(aws, "ninety"), state(aws, "nobodys")) == ("ALARM", "INSUFFICIENT_DATA")


def test_a_region_without_alarms_costs_no_thread(tmp_path: Path) -> None:
    def clocks() -> int:
        return [thread.name for thread in threading.enumerate()].count("alarms")

    gateway = gateway_of(tmp_path)
    before = clocks()
    gateway.start()
    try:
        aws = Aws(gateway)
        put(aws, "nobody-watches", 1)
        assert clocks() == before
        put_alarm(aws, "watched")
        assert clocks() == before + 1
    finally:
        gateway.stop()
    assert clocks() == before


def test_an_alarm_that_is_found_again_is_looked_at_again(tmp_path: Path) -> None:
    first = gateway_of(tmp_path, settings=Settings(time_scale=60))
    first.start()
    aws = Aws(first)
    put_alarm(aws, "again")
    assert state(aws, "again") == "OK"
    aws.client("cloudwatch").set_alarm_state(
        AlarmName="again", StateValue="ALARM", StateReason="test"
    )
    first.stop()
    with running(tmp_path, settings=Settings(time_scale=60)) as second:
        eventually(lambda: kept_state(second, "again") == "OK")


def test_a_compressed_request_is_read(aws: Aws) -> None:
    """As botocore sends PutMetricData from 10 KB on, by its requestcompression."""
    names = [f"{'m' * 200}{number}" for number in range(100)]
    aws.client("cloudwatch").put_metric_data(
        Namespace="Large", MetricData=[{"MetricName": name, "Value": 1.0} for name in names]
    )
    found = aws.client("cloudwatch").list_metrics(Namespace="Large")["Metrics"]
    assert sorted(metric["MetricName"] for metric in found) == sorted(names)
