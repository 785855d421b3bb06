"""What watches the shipped endpoints, and whom it tells."""

from __future__ import annotations

import json
from typing import Any


def found(synthesized: Any, environment: str, stack: str, kind: str) -> dict[str, Any]:
    resources: dict[str, Any] = synthesized.template(environment, stack).find_resources(kind)
    return resources


def test_production_alarms_tell_the_environments_own_topic(synthesized: Any) -> None:
    (topic,) = found(synthesized, "prod", "Storage", "AWS::SNS::Topic").values()
    assert "KmsMasterKeyId" in topic["Properties"]
    alarms = found(synthesized, "prod", "digits", "AWS::CloudWatch::Alarm").values()
    watched = [one for one in alarms if one["Properties"]["AlarmName"].startswith("prod-digits-")]
    assert len(watched) == 13 + 1, "the batches' own"
    for alarm in watched:
        assert "alarmtopicarn" in json.dumps(alarm["Properties"]["AlarmActions"])


def test_the_file_sets_thresholds_and_how_long_the_log_is_kept(synthesized: Any) -> None:
    (kept,) = found(synthesized, "prod", "digits", "Custom::LogRetention").values()
    group = kept["Properties"]
    assert group["LogGroupName"] == "/aws/sagemaker/Endpoints/prod-digits"
    assert (group["RetentionInDays"], group["Retain"]) == (365, True)
    assert "KmsKeyId" in group
    alarms = found(synthesized, "prod", "digits", "AWS::CloudWatch::Alarm").values()
    thresholds = {one["Properties"]["AlarmName"]: one["Properties"]["Threshold"] for one in alarms}
    assert thresholds["prod-digits-gpu-model-latency"] == 1_000_000


def test_the_log_group_comes_before_the_endpoint_that_would_make_it(synthesized: Any) -> None:
    (own,) = found(synthesized, "prod", "digits", "Custom::LogRetention")
    (endpoint,) = found(synthesized, "prod", "digits", "AWS::SageMaker::Endpoint").values()
    assert own in endpoint["DependsOn"]


def test_nothing_watches_where_nobody_asked(synthesized: Any) -> None:
    assert found(synthesized, "dev", "digits", "AWS::CloudWatch::Dashboard") == {}
    assert found(synthesized, "dev", "Storage", "AWS::SNS::TopicPolicy") == {}
