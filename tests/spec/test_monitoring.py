"""What watches an endpoint: whose word counts, and what stands where nobody says a word."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.spec import AlarmThresholds, Environment, Monitoring


def environment(common: Any = None, own: Any = None, *, production: bool = False) -> Environment:
    return Environment.model_validate(
        {
            "name": "prod",
            "region": "eu-west-1",
            "production": production,
            "monitoring": common,
            "models": {
                "digits": {
                    "variants": [{"name": "v", "instance_type": "ml.c5.large"}],
                    "monitoring": own,
                },
                "batch-only": {},
            },
        }
    )


def test_nothing_watches_unless_asked_to() -> None:
    assert environment().monitoring_of("digits") is None
    assert not environment().needs_alarm_topic


def test_production_is_watched_by_everything() -> None:
    watched = environment(production=True)
    assert watched.monitoring_of("digits") == Monitoring()
    assert watched.needs_alarm_topic


def test_a_model_without_an_endpoint_has_nothing_to_watch() -> None:
    assert environment({}, production=True).monitoring_of("batch-only") is None


def test_a_model_lays_its_fields_over_its_environments_one_by_one() -> None:
    found = environment(
        {"log_retention_days": 30, "thresholds": {"cpu_utilization_percent": 50.0}},
        {"dashboard": False, "thresholds": {"memory_utilization_percent": None}},
    ).monitoring_of("digits")
    assert found == Monitoring(
        log_retention_days=30,
        dashboard=False,
        thresholds=AlarmThresholds(cpu_utilization_percent=50, memory_utilization_percent=None),
    )


def test_null_over_a_number_switches_it_off() -> None:
    found = environment({"log_retention_days": 30}, {"log_retention_days": None})
    watched = found.monitoring_of("digits")
    assert watched is not None
    assert watched.log_retention_days is None


@pytest.mark.parametrize("block", [{"alarm_topic_arn": "arn"}, {"alarms": False}])
def test_no_topic_is_made_when_no_alarm_would_tell_it(block: dict[str, Any]) -> None:
    assert not environment(block).needs_alarm_topic


@pytest.mark.parametrize(
    ("periods", "given", "datapoints"), [(3, None, 2), (1, None, 1), (5, 4, 4)]
)
def test_datapoints_left_out_are_two_or_all(
    periods: int, given: int | None, datapoints: int
) -> None:
    limits = AlarmThresholds(evaluation_periods=periods, datapoints_to_alarm=given)
    assert limits.datapoints == datapoints
