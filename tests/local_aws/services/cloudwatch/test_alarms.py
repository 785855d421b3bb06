"""Alarms look at their metrics and change their state; dashboards are kept as they are given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from local_aws.services.cloudwatch.alarms import judge
from tests.local_aws.aws import Aws

MISSING = None
OVER, UNDER = 9.0, 1.0


def alarm(periods: int, needed: int | None = None, treat: str = "missing") -> dict[str, Any]:
    return {
        "EvaluationPeriods": periods,
        "DatapointsToAlarm": needed,
        "Threshold": 5.0,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": treat,
    }


JUDGED: list[tuple[dict[str, Any], list[float | None], str | None]] = [
    (alarm(1), [OVER], "ALARM"),
    (alarm(1), [UNDER], "OK"),
    (alarm(1), [5.0], "OK"),
    (alarm(3), [OVER, OVER, OVER], "ALARM"),
    (alarm(3), [OVER, OVER, UNDER], "OK"),
    (alarm(3, 2), [OVER, UNDER, OVER], "ALARM"),
    (alarm(3, 1), [UNDER, UNDER, OVER], "ALARM"),
    (alarm(2), [MISSING, MISSING], "INSUFFICIENT_DATA"),
    (alarm(2, treat="ignore"), [MISSING, MISSING], None),
    (alarm(2, treat="breaching"), [MISSING, MISSING], "ALARM"),
    (alarm(2, treat="notBreaching"), [MISSING, MISSING], "OK"),
    (alarm(2, treat="breaching"), [MISSING, UNDER], "OK"),
    (alarm(2, treat="notBreaching"), [MISSING, OVER], "OK"),
    (alarm(2), [OVER, MISSING], None),
    (alarm(2), [UNDER, MISSING], "OK"),
    (alarm(2, 1), [MISSING, OVER], "ALARM"),
]


@pytest.mark.parametrize(("of", "values", "state"), JUDGED, ids=str)
def test_datapoints_call_for_a_state(
    of: dict[str, Any], values: list[float | None], state: str | None
) -> None:
    assert judge(of, values) == state


def test_an_alarm_goes_off_and_comes_back(aws: Aws) -> None:
    cloudwatch = aws.client("cloudwatch")
    dimensions = [{"Name": "EndpointName", "Value": "e"}]
    cloudwatch.put_metric_alarm(
        AlarmName="errors",
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Dimensions=dimensions,
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=2,
        DatapointsToAlarm=1,
        Threshold=3,
        ComparisonOperator="GreaterThanOrEqualToThreshold",
    )

    def state() -> Any:
        (found,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
        return found["StateValue"], found["StateReason"]

    def put(value: float, *, seconds_ago: float, endpoint: str = "e") -> None:
        cloudwatch.put_metric_data(
            Namespace="AWS/SageMaker",
            MetricData=[
                {
                    "MetricName": "Invocation5XXErrors",
                    "Dimensions": [{"Name": "EndpointName", "Value": endpoint}],
                    "Value": value,
                    "Timestamp": datetime.now(UTC) - timedelta(seconds=seconds_ago),
                }
            ],
        )

    assert state()[0] == "INSUFFICIENT_DATA"
    (new,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
    assert new.keys().isdisjoint({"Metrics", "StateReasonData"})
    assert new["StateTransitionedTimestamp"] == new["StateUpdatedTimestamp"]
    put(9, seconds_ago=1, endpoint="another")
    put(9, seconds_ago=600)
    assert state()[0] == "INSUFFICIENT_DATA"
    put(2, seconds_ago=90)
    assert state()[0] == "OK"
    put(1, seconds_ago=2)
    put(2, seconds_ago=1)
    assert state() == ("ALARM", "the last datapoints, newest first: 3, 2")


def test_each_combination_of_dimensions_is_a_metric_of_its_own(aws: Aws) -> None:
    cloudwatch, now = aws.client("cloudwatch"), datetime.now(UTC)
    all_three = [{"Name": name, "Value": "1"} for name in ("a", "b", "c")]
    for value, count in enumerate((0, 2, 3), start=1):
        datum = {"MetricName": "m", "Dimensions": all_three[:count], "Value": value}
        cloudwatch.put_metric_data(Namespace="Own", MetricData=[datum])

    def found(dimensions: list[dict[str, str]]) -> list[float]:
        answer = cloudwatch.get_metric_statistics(
            Namespace="Own",
            MetricName="m",
            Dimensions=dimensions,
            StartTime=now - timedelta(hours=1),
            EndTime=now + timedelta(minutes=1),
            Period=7200,
            Statistics=["Sum"],
        )
        return [each["Sum"] for each in answer["Datapoints"]]

    assert found(all_three[:2][::-1]) == [2]
    assert found(all_three) == [3]
    assert found([]) == [1]
    assert found(all_three[:1]) == []


def test_a_dashboard_has_the_tags_that_it_was_made_with(aws: Aws) -> None:
    """CloudWatch API reference, PutDashboard: tags of one that is there already are ignored."""
    cloudwatch = aws.client("cloudwatch")

    def put(name: str, value: str) -> Any:
        tags = [{"Key": "team", "Value": value}]
        cloudwatch.put_dashboard(DashboardName=name, DashboardBody="{}", Tags=tags)
        arn = cloudwatch.get_dashboard(DashboardName=name)["DashboardArn"]
        return cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"]

    assert put("tagged", "a") == [{"Key": "team", "Value": "a"}]
    assert put("tagged", "b") == [{"Key": "team", "Value": "a"}]
    cloudwatch.delete_dashboards(DashboardNames=["tagged"])
    assert put("tagged", "b") == [{"Key": "team", "Value": "b"}]
