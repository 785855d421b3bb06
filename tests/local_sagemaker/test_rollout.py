"""Guardrails: traffic moves in steps, and back when an alarm goes off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, children, eventually
from tests.local_aws.load import Load
from tests.local_sagemaker.alarms import alarm_of_errors

HOUR = 3600


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "g" over config "old"; configs "new" and "bad"; alarm "errors" of its 5XX."""
    for name, environment in (
        ("old", {"VERSION": "old"}),
        ("new", {"VERSION": "new"}),
        ("bad", {"FAILS": "1"}),
        ("slow", {"VERSION": "slow", "SLEEP": "3"}),
    ):
        aws.config(name, {"v": aws.model(name, environment)})
    aws.endpoint("g", "old")
    alarm_of_errors(aws, "errors", "g")
    yield
    aws.delete("g")


def policy(kind: str, wait: int, *alarms: str, termination: int = 0, **size: int) -> dict[str, Any]:
    sizes = {name: {"Type": "CAPACITY_PERCENT", "Value": value} for name, value in size.items()}
    return {
        "BlueGreenUpdatePolicy": {
            "TrafficRoutingConfiguration": {
                "Type": kind,
                "WaitIntervalInSeconds": wait,
                **sizes,
            },
            "TerminationWaitInSeconds": termination,
            "MaximumExecutionTimeoutInSeconds": 28800,
        },
        **(
            {"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": name} for name in alarms]}}
            if alarms
            else {}
        ),
    }


def update(aws: Aws, config: str, deployment: dict[str, Any]) -> None:
    aws.sagemaker.update_endpoint(
        EndpointName="g", EndpointConfigName=config, DeploymentConfig=deployment
    )


def pending(aws: Aws, stage: str) -> Any:
    """The summary of the deployment that is under way, once it is at a stage."""

    def look() -> Any:
        described = aws.sagemaker.describe_endpoint(EndpointName="g")
        found = described.get("PendingDeploymentSummary")
        if found is None:
            return None
        (status,) = found["ProductionVariants"][0]["VariantStatus"]
        return described if status["Status"] == stage else None

    return eventually(look)


def test_a_canary_that_holds_gets_all_of_the_traffic(aws: Aws) -> None:
    with Load(aws, "g", per_second=40) as load:
        eventually(lambda: load.answers)
        update(aws, "new", policy("CANARY", 300, "errors", CanarySize=25))
        described = pending(aws, "Baking")
        assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("Updating", "old")
        summary = described["PendingDeploymentSummary"]
        assert summary["EndpointConfigName"] == "new"
        assert summary["ProductionVariants"][0]["InstanceType"] == "ml.m5.large"
        eventually(lambda: {b"old", b"new"} <= set(load.answers))
        settled = aws.settled("g")
    assert load.failures == []
    assert settled["EndpointConfigName"] == "new"
    assert "FailureReason" not in settled
    assert "PendingDeploymentSummary" not in settled
    assert set(load.answers[-3:]) == {b"new"}
    update(aws, "old", policy("ALL_AT_ONCE", 0))
    aws.settled("g")


def test_an_alarm_takes_the_traffic_back(aws: Aws) -> None:
    before = children()
    with Load(aws, "g", per_second=40) as load:
        update(aws, "bad", policy("CANARY", HOUR, "errors", CanarySize=25))
        settled = aws.settled("g")
        after = len(load.answers)
        eventually(lambda: len(load.answers) > after + 5)
    assert (settled["EndpointStatus"], settled["EndpointConfigName"]) == ("InService", "old")
    assert settled["FailureReason"] == (
        'The deployment was rolled back: CloudWatch alarm "errors" is in ALARM state.'
    )
    assert load.failures, "the canary was asked"
    assert set(load.answers) == {b"old"}
    eventually(lambda: children() <= before)
    eventually(lambda: _state(aws, "errors") == "OK")  # the errors are older than its period


def test_a_version_that_is_slow_is_rolled_back_by_a_percentile(aws: Aws) -> None:
    latency: Any = {"MetricName": "ModelLatency", "ExtendedStatistic": "p99", "Period": 300}
    alarm_of_errors(aws, "slow", "g", Threshold=2_900_000, **latency)
    # A busy machine may have made the old version slow, too, in the period before.
    eventually(lambda: aws.ask("g", b"which") == b"old" and _state(aws, "slow") == "OK")
    update(aws, "slow", policy("ALL_AT_ONCE", HOUR, "slow"))
    pending(aws, "Baking")
    eventually(lambda: aws.ask("g", b"which") == b"slow")
    settled = aws.settled("g")
    assert settled["EndpointConfigName"] == "old"
    assert 'alarm "slow" is in ALARM' in settled["FailureReason"]


def _state(aws: Aws, name: str) -> str:
    (found,) = aws.client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
    state: str = found["StateValue"]
    return state


def test_an_alarm_during_the_termination_wait_takes_it_back_too(aws: Aws) -> None:
    cloudwatch = aws.client("cloudwatch")
    cloudwatch.put_metric_alarm(
        AlarmName="by-hand",
        Namespace="Own",
        MetricName="M",
        ExtendedStatistic="p90",  # not evaluated here: it stays as it is set
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    cloudwatch.set_alarm_state(AlarmName="by-hand", StateValue="OK", StateReason="test")
    update(aws, "new", policy("ALL_AT_ONCE", 0, "by-hand", termination=HOUR))
    pending(aws, "Baking")
    eventually(lambda: aws.ask("g", b"which") == b"new")
    cloudwatch.set_alarm_state(AlarmName="by-hand", StateValue="ALARM", StateReason="test")
    assert aws.settled("g")["EndpointConfigName"] == "old"
    assert aws.ask("g", b"which") == b"old"


@pytest.mark.parametrize(
    ("deployment", "said"),
    [
        (policy("CANARY", 0, "nobody-knows", CanarySize=25), '"nobody-knows" is not found'),
        (
            {
                "BlueGreenUpdatePolicy": {
                    "TrafficRoutingConfiguration": {
                        "Type": "LINEAR",
                        "WaitIntervalInSeconds": HOUR,
                        "LinearStepSize": {"Type": "CAPACITY_PERCENT", "Value": 50},
                    },
                    "MaximumExecutionTimeoutInSeconds": 600,
                }
            },
            "it did not finish within its MaximumExecutionTimeoutInSeconds, 600",
        ),
    ],
)
def test_a_deployment_that_cannot_be_watched_or_finished_is_undone(
    aws: Aws, deployment: dict[str, Any], said: str
) -> None:
    update(aws, "new", deployment)
    settled = aws.settled("g")
    assert said in settled["FailureReason"]
    assert settled["EndpointConfigName"] == "old"


def test_a_role_that_may_not_see_the_alarms_cannot_deploy_with_them(aws: Aws) -> None:
    role = aws.role(
        "blind", "sagemaker", {"Effect": "Allow", "Action": ["s3:*", "ecr:*"], "Resource": "*"}
    )
    model = aws.sagemaker.describe_model(ModelName="new")["PrimaryContainer"]
    aws.sagemaker.create_model(ModelName="blind", ExecutionRoleArn=role, PrimaryContainer=model)
    aws.config("blind", {"v": "blind"})
    update(aws, "blind", policy("CANARY", 0, "errors", CanarySize=25))
    reason = aws.settled("g")["FailureReason"]
    assert "its alarms could not be described" in reason
    assert "cloudwatch:DescribeAlarms" in reason


def test_a_rolling_update_gets_there(aws: Aws) -> None:
    size = {"Type": "CAPACITY_PERCENT", "Value": 50}
    update(
        aws,
        "new",
        {"RollingUpdatePolicy": {"MaximumBatchSize": size, "WaitIntervalInSeconds": 30}},
    )
    assert aws.settled("g")["EndpointConfigName"] == "new"
    with pytest.raises(ClientError, match="LinearStepSize is missing"):
        update(aws, "old", policy("LINEAR", 0))
