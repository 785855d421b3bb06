"""The rules on what watches an endpoint: what each names, and the nearest that it lets pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment

Monitoring = dict[str, Any]
TOPIC = "arn:aws:sns:eu-west-1:111122223333:pager"


def thresholds(**values: float | None) -> Monitoring:
    return {"thresholds": values}


CASES: list[tuple[str, Monitoring, str, Monitoring]] = [
    # rule, what is wrong, what is said, the nearest that passes
    (
        "alarm-threshold",
        thresholds(cpu_utilization_percent=100),
        "cpu_utilization_percent is 100; an alarm goes off above it",
        thresholds(cpu_utilization_percent=99.9),
    ),
    (
        "alarm-threshold",
        thresholds(invocation_5xx_errors_percent=-0.1),
        "use null for no such alarm",
        thresholds(invocation_5xx_errors_percent=0),
    ),
    (
        "alarm-threshold",
        thresholds(model_latency_p99_milliseconds=0),
        "model_latency_p99_milliseconds is 0; every request takes longer",
        thresholds(model_latency_p99_milliseconds=None),
    ),
    (
        "alarm-threshold",
        thresholds(oldest_request_seconds=-1),
        "oldest_request_seconds is -1",
        thresholds(oldest_request_seconds=1),
    ),
    (
        "alarm-period",
        thresholds(period_seconds=45),
        "period_seconds is 45; CloudWatch takes 10, 20, 30 and multiples of 60; use 60",
        thresholds(period_seconds=30),
    ),
    (
        "alarm-period",
        thresholds(period_seconds=150),
        "use 120",
        thresholds(period_seconds=120),
    ),
    (
        "alarm-period",
        thresholds(period_seconds=300, evaluation_periods=289),
        "289 periods of 300 seconds are 86700 seconds; CloudWatch looks back 86400",
        thresholds(period_seconds=300, evaluation_periods=288),
    ),
    (
        "alarm-period",
        thresholds(period_seconds=3600, evaluation_periods=169),
        "CloudWatch looks back 604800",
        thresholds(period_seconds=3600, evaluation_periods=168),
    ),
    (
        "alarm-datapoints",
        thresholds(evaluation_periods=0),
        "evaluation_periods is 0; it must be at least 1",
        thresholds(evaluation_periods=1),
    ),
    (
        "alarm-datapoints",
        thresholds(datapoints_to_alarm=4),
        "datapoints_to_alarm is 4; it must be 1 to 3; use 3",
        thresholds(datapoints_to_alarm=3),
    ),
    (
        "alarm-topic",
        {"alarm_topic_arn": "pager"},
        "alarm_topic_arn is 'pager'; it must be the ARN of an SNS topic",
        {"alarm_topic_arn": TOPIC},
    ),
    (
        "alarm-topic",
        {"alarm_topic_arn": TOPIC.replace("eu-west-1", "us-east-1")},
        "alarm_topic_arn is in us-east-1, the environment in eu-west-1",
        {"alarm_topic_arn": None},
    ),
    (
        "log-retention",
        {"log_retention_days": 100},
        "log_retention_days is 100; CloudWatch keeps logs for 1, 3, 5,",
        {"log_retention_days": 120},
    ),
    (
        "log-retention",
        {"log_retention_days": 4000},
        "use 3653, or null to keep them for ever",
        {"log_retention_days": None},
    ),
]


def problems(folder: Path, own: Any, common: Any = None) -> list[Problem]:
    """What is said of an environment of one model with these two blocks."""
    model = {"image_uri": "x", "variants": [{"name": "v", "instance_type": "ml.c5.large"}]}
    data = {
        "name": "prod",
        "region": "eu-west-1",
        "monitoring": common,
        "models": {"digits": {**model, "monitoring": own}},
    }
    path = folder / "prod.yaml"
    path.write_text(yaml.safe_dump(data))
    return check_environment(read_environment(path))


@pytest.mark.parametrize(("rule", "wrong", "said", "right"), CASES)
@pytest.mark.parametrize("place", ["environment", "model"])
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    tmp_path: Path, place: str, rule: str, wrong: Monitoring, said: str, right: Monitoring
) -> None:
    def found(monitoring: Monitoring) -> list[Problem]:
        blocks = (monitoring, None) if place == "model" else (None, monitoring)
        return [problem for problem in problems(tmp_path, *blocks) if problem.rule == rule]

    (problem,) = found(wrong)
    assert said in problem.message
    assert problem.where.line is not None
    assert found(right) == []


def test_a_model_is_judged_with_what_its_environment_says(tmp_path: Path) -> None:
    own, common = thresholds(datapoints_to_alarm=4), thresholds(evaluation_periods=5)
    rules = {problem.rule for problem in problems(tmp_path, own, common)}
    assert "alarm-datapoints" not in rules


@pytest.mark.parametrize("junk", [3, "text", [], [1], {"thresholds": 3}, True, 1e400])
def test_junk_is_a_problem_and_never_a_crash(tmp_path: Path, junk: Any) -> None:
    for field in ("period_seconds", "evaluation_periods", "datapoints_to_alarm"):
        assert problems(tmp_path, junk)
        assert problems(tmp_path, {"thresholds": {field: junk}})
