"""The alarms of an endpoint: which kind of variant has which, and when each goes off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template
from cdk_nag import NIST80053R5Checks

from sagemaker_serving.catalog.instances import UnknownInstanceType
from sagemaker_serving.infra import (
    AlarmThresholds,
    EndpointAlarms,
    WatchedVariant,
)

CPU = WatchedVariant(name="cpu", instance_type="ml.c5.xlarge")
GPU = WatchedVariant(name="gpu", instance_type="ml.g4dn.12xlarge")
SERVERLESS = WatchedVariant(name="small")
ASYNCHRONOUS = WatchedVariant(name="slow", instance_type="ml.m5.large", asynchronous=True)


NewStack = Callable[[], cdk.Stack]


def alarms_of(new_stack: NewStack, *variants: WatchedVariant, **options: Any) -> dict[str, Any]:
    """The properties of each alarm, by its name without the endpoint's."""
    stack = new_stack()
    EndpointAlarms(stack, "Alarms", endpoint_name="prod-digits", variants=variants, **options)
    found = Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values()
    return {
        alarm["Properties"]["AlarmName"].removeprefix("prod-digits-"): alarm["Properties"]
        for alarm in found
    }


def dimensions(alarm: Any) -> dict[str, str]:
    return {found["Name"]: found["Value"] for found in alarm["Dimensions"]}


EVERY_KIND = ("invocation-5xx-errors", "memory-utilization")
KINDS: list[tuple[WatchedVariant, set[str]]] = [
    (CPU, {"model-latency", "overhead-latency", "cpu-utilization", "disk-utilization"}),
    (
        GPU,
        {
            "model-latency",
            "overhead-latency",
            "cpu-utilization",
            "disk-utilization",
            "gpu-utilization",
        },
    ),
    (SERVERLESS, {"model-latency", "serverless-concurrency"}),
    (ASYNCHRONOUS, {"cpu-utilization", "disk-utilization"}),
]


@pytest.mark.parametrize(("variant", "kinds"), KINDS, ids=lambda value: getattr(value, "name", ""))
def test_a_variant_has_alarms_on_what_its_kind_publishes(
    new_stack: NewStack, variant: WatchedVariant, kinds: set[str]
) -> None:
    expected = {f"{variant.name}-{kind}" for kind in {*EVERY_KIND, *kinds}}
    assert set(alarms_of(new_stack, variant)) - {"oldest-request"} == expected


def test_every_alarm_names_endpoint_and_variant_and_takes_silence_for_good(
    new_stack: NewStack,
) -> None:
    for name, alarm in alarms_of(new_stack, CPU, SERVERLESS).items():
        variant = name.partition("-")[0]
        assert dimensions(alarm) == {"EndpointName": "prod-digits", "VariantName": variant}
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
        assert (alarm["Period"], alarm["EvaluationPeriods"], alarm["DatapointsToAlarm"]) == (
            60,
            3,
            2,
        )


THRESHOLDS = [
    ("gpu-invocation-5xx-errors", "Invocation5XXErrors", "Average", 0.01),
    ("gpu-model-latency", "ModelLatency", "p99", 5_000_000),
    ("gpu-overhead-latency", "OverheadLatency", "p99", 1_000_000),
    ("gpu-cpu-utilization", "CPUUtilization", "Average", 48 * 90),
    ("gpu-gpu-utilization", "GPUUtilization", "Average", 4 * 95),
    ("gpu-memory-utilization", "MemoryUtilization", "Average", 90),
    ("gpu-disk-utilization", "DiskUtilization", "Average", 90),
    ("small-serverless-concurrency", "ServerlessConcurrentExecutionsUtilization", "Maximum", 0.9),
]


@pytest.fixture(scope="module")
def by_default(new_stack: NewStack) -> dict[str, Any]:
    return alarms_of(new_stack, GPU, SERVERLESS, ASYNCHRONOUS)


@pytest.mark.parametrize(("name", "metric", "statistic", "threshold"), THRESHOLDS)
def test_a_threshold_is_in_the_metrics_own_unit(
    by_default: dict[str, Any], name: str, metric: str, statistic: str, threshold: float
) -> None:
    alarm = by_default[name]
    assert alarm["MetricName"] == metric
    assert alarm.get("Statistic", alarm.get("ExtendedStatistic")) == statistic
    assert alarm["Threshold"] == threshold


def test_the_backlog_is_the_endpoints_not_a_variants(by_default: dict[str, Any]) -> None:
    alarm = by_default["oldest-request"]
    assert dimensions(alarm) == {"EndpointName": "prod-digits"}
    assert alarm["MetricName"] == "ApproximateAgeOfOldestRequest"
    assert alarm["Threshold"] == 3600


def test_a_threshold_of_null_is_no_alarm_and_zero_is_one(new_stack: NewStack) -> None:
    limits = AlarmThresholds(
        invocation_5xx_errors_percent=0, model_latency_p99_milliseconds=None, period_seconds=10
    )
    alarms = alarms_of(new_stack, CPU, thresholds=limits)
    assert alarms["cpu-invocation-5xx-errors"]["Threshold"] == 0
    assert alarms["cpu-invocation-5xx-errors"]["Period"] == 10
    assert "cpu-model-latency" not in alarms


@pytest.mark.parametrize(("config", "suffix"), [(None, ""), ("new", "-of-new")])
def test_a_rollback_watches_errors_and_latencies_of_the_new_instances(
    new_stack: NewStack, config: str | None, suffix: str
) -> None:
    stack = new_stack()
    topic = sns.Topic.from_topic_arn(stack, "Topic", "arn:aws:sns:eu-west-1:111122223333:pager")
    alarms = EndpointAlarms(
        stack,
        "Alarms",
        endpoint_name="e",
        endpoint_config_name=config,
        variants=[WatchedVariant(name=f"v{n}", instance_type="ml.c5.large") for n in range(4)],
        topic=topic,
    )
    made = Template.from_stack(stack).to_json()["Resources"]
    watched = [
        made[stack.resolve(name)["Ref"]]["Properties"] for name in alarms.rollback_alarm_names
    ]
    names = [alarm["AlarmName"] for alarm in watched]
    assert len(names) == 10
    assert len(alarms.alarm_names) == 24
    assert {
        f"e-v{n}-{kind}{suffix}"
        for n in range(4)
        for kind in ("invocation-5xx-errors", "model-latency")
    } <= set(names)
    assert all("overhead-latency" in name for name in names[8:])
    assert {dimensions(alarm).get("EndpointConfigName") for alarm in watched} == {config}
    assert all(("AlarmActions" in alarm) is (config is None) for alarm in watched)


def test_a_topic_is_told_of_the_alarm_and_of_its_end(new_stack: NewStack) -> None:
    stack = new_stack()
    topic = sns.Topic.from_topic_arn(stack, "Topic", "arn:aws:sns:eu-west-1:111122223333:pager")
    EndpointAlarms(stack, "Alarms", endpoint_name="e", variants=[CPU], topic=topic)
    for alarm in Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values():
        assert alarm["Properties"]["AlarmActions"] == [topic.topic_arn]
        assert alarm["Properties"]["OKActions"] == [topic.topic_arn]


def test_alarms_without_a_topic_are_answered_to_the_scanners(new_stack: NewStack) -> None:
    stack = new_stack()
    EndpointAlarms(stack, "Alarms", endpoint_name="e", variants=[CPU])
    assert NIST80053R5Checks(stack.node.root).validate_scope(stack).violations == []


def test_a_misspelt_instance_type_is_named(new_stack: NewStack) -> None:
    with pytest.raises(UnknownInstanceType, match=r"did you mean ml\.c5\.xlarge"):
        alarms_of(new_stack, WatchedVariant(name="v", instance_type="ml.c5.xlage"))
