"""What watches an endpoint, deployed on the local AWS: seen, told of requests, and gone again."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk.assertions import Template

from sagemaker_serving.infra import AlarmThresholds, AlarmTopic, EndpointMonitoring, WatchedVariant
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.operations.dashboard import view_dashboard
from tests.local_aws.aws import REGION, client_of, eventually, service_in
from tests.local_aws.aws import Aws as LocalAws

GROUP = "/aws/sagemaker/Endpoints/digits"


def template(folder: Path) -> str:
    stack = cdk.Stack(
        cdk.App(outdir=str(folder)),
        "Watched",
        env=cdk.Environment(region=REGION, account="123456789012"),
        synthesizer=cdk.BootstraplessSynthesizer(),
    )
    topic = AlarmTopic(stack, "Topic", retain=False)
    EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="digits",
        variants=[WatchedVariant(name="blue", instance_type="ml.m5.large")],
        thresholds=AlarmThresholds(
            period_seconds=10, evaluation_periods=1, invocation_5xx_errors_percent=50
        ),
        topic=topic.topic,
        log_retention_days=30,
        retain_logs=False,
    )
    return json.dumps(Template.from_stack(stack).to_json())


def ended(cloudformation: Any, status: str) -> Callable[[], bool]:
    def look() -> bool:
        found = [
            one["StackStatus"]
            for one in cloudformation.list_stacks()["StackSummaries"]
            if one["StackName"] == "watched"
        ]
        assert not any("ROLLBACK" in one or one.endswith("FAILED") for one in found), found
        return found == [status]

    return look


def test_it_is_deployed_sees_requests_and_goes(aws: LocalAws, tmp_path: Path) -> None:
    cloudformation, logs = aws.client("cloudformation"), aws.client("logs")
    cloudformation.create_stack(
        StackName="watched", TemplateBody=template(tmp_path), Capabilities=["CAPABILITY_IAM"]
    )
    eventually(ended(cloudformation, "CREATE_COMPLETE"))
    (group,) = logs.describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"]
    assert group["retentionInDays"] == 30

    aws.endpoint("digits", aws.config("digits", {"blue": aws.model("digits")}))
    for body in (b"ab", b"fail"):
        try:
            aws.ask("digits", body)
        except aws.runtime.exceptions.ModelError:
            assert body == b"fail"
    service_in(aws.gateway, SageMaker).flush()
    view = view_dashboard(f"digits-{REGION}", client_of(aws.gateway), over=timedelta(minutes=5))
    assert dict(view.alarms).keys() >= {"digits-blue-invocation-5xx-errors"}
    seen = {
        (graph.title, line.label): sum(value for _, value in line.points)
        for graph in view.graphs
        for line in graph.lines
    }
    assert seen["Requests", "blue"] == 2
    assert seen["Errors", "blue 5XX"] == 1
    assert seen["Model latency", "blue maximum"] > 0
    assert [
        stream["logStreamName"]
        for stream in logs.describe_log_streams(logGroupName=GROUP)["logStreams"]
    ], "the containers write into the group that the stack made"

    aws.delete("digits")
    cloudformation.delete_stack(StackName="watched")
    eventually(ended(cloudformation, "DELETE_COMPLETE"))
    assert logs.describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"] == []
    assert aws.client("cloudwatch").describe_alarms()["MetricAlarms"] == []
