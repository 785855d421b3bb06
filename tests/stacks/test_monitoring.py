"""What watches the shipped endpoints, and whom it tells."""

from __future__ import annotations

import json
from typing import Any


def found(synthesized: Any, environment: str, stack: str, kind: str) -> dict[str, Any]:
    resources: dict[str, Any] = synthesized.template(environment, stack).find_resources(kind)
    return resources


def alarms_of(synthesized: Any) -> tuple[dict[str, Any], list[Any]]:
    """The properties of prod-digits' alarms by name, and of those of the instances of one config,
    whose name is known at the deploy."""
    every = found(synthesized, "prod", "digits", "AWS::CloudWatch::Alarm").values()
    named = [one["Properties"] for one in every]
    of_config = [one for one in named if isinstance(one["AlarmName"], dict)]
    return {one["AlarmName"]: one for one in named if one not in of_config}, of_config


def test_production_alarms_tell_the_environments_own_topic(synthesized: Any) -> None:
    (topic,) = found(synthesized, "prod", "Storage", "AWS::SNS::Topic").values()
    assert "KmsMasterKeyId" in topic["Properties"]
    alarms, of_config = alarms_of(synthesized)
    watched = [alarm for name, alarm in alarms.items() if name.startswith("prod-digits-")]
    assert len(watched) == 13 + 2, "the batches' own"
    for alarm in watched:
        assert "alarmtopicarn" in json.dumps(alarm["AlarmActions"])
    assert of_config
    assert not any("AlarmActions" in alarm for alarm in of_config), "they take an update back"


def test_the_file_sets_thresholds_and_how_long_the_log_is_kept(synthesized: Any) -> None:
    (kept,) = found(synthesized, "prod", "digits", "Custom::LogRetention").values()
    group = kept["Properties"]
    assert group["LogGroupName"] == "/aws/sagemaker/Endpoints/prod-digits"
    assert (group["RetentionInDays"], group["Retain"]) == (365, True)
    assert "KmsKeyId" in group
    alarms, of_config = alarms_of(synthesized)
    assert alarms["prod-digits-gpu-model-latency"]["Threshold"] == 1_000_000
    latencies = [one["Threshold"] for one in of_config if one["MetricName"] == "ModelLatency"]
    assert set(latencies) == {1_000_000}


def test_the_log_group_comes_before_the_endpoint_that_would_make_it(synthesized: Any) -> None:
    (own,) = found(synthesized, "prod", "digits", "Custom::LogRetention")
    (endpoint,) = found(synthesized, "prod", "digits", "AWS::SageMaker::Endpoint").values()
    assert own in endpoint["DependsOn"]


def test_nothing_watches_where_nobody_asked(synthesized: Any) -> None:
    assert found(synthesized, "dev", "digits", "AWS::CloudWatch::Dashboard") == {}
    assert found(synthesized, "dev", "Storage", "AWS::SNS::TopicPolicy") == {}
