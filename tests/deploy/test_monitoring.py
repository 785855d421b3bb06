"""What watches an endpoint, deployed on the local AWS: seen, told of requests, and gone again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from sagemaker_serving.infra import AlarmThresholds, AlarmTopic, EndpointMonitoring, WatchedVariant
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.operations.dashboard import view_dashboard
from tests.deploy.assemblies import ACCOUNT, Cdk
from tests.local_aws.aws import REGION, client_of, service_in
from tests.local_aws.aws import Aws as LocalAws

pytestmark = [pytest.mark.slow, pytest.mark.long]

GROUP = "/aws/sagemaker/Endpoints/digits"


def assembly(folder: Path) -> Path:
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stack = cdk.Stack(app, "watched", env=cdk.Environment(region=REGION, account=ACCOUNT))
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
    cdk.Tags.of(app).add("team", "search")
    return Path(app.synth().directory)


@pytest.fixture(scope="module")
def cli(aws: LocalAws, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    cli = Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))
    assert cli.bootstrap().status == 0
    return cli


def run(cli: Cdk, command: str, assembly: Path) -> None:
    option = {"deploy": "--require-approval=never", "destroy": "--force"}[command]
    ended = cli.of_app(command, assembly, option)
    assert ended.status == 0, ended.printed


def groups(aws: LocalAws) -> list[dict[str, Any]]:
    found = aws.client("logs").describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"]
    return [dict(one) for one in found]


def test_it_is_deployed_sees_requests_and_goes(aws: LocalAws, cli: Cdk, tmp_path: Path) -> None:
    logs, watched = aws.client("logs"), assembly(tmp_path)
    run(cli, "deploy", watched)
    (group,) = groups(aws)
    assert group["retentionInDays"] == 30
    tags = logs.list_tags_for_resource(resourceArn=group["logGroupArn"])["tags"]
    assert tags["team"] == "search"

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
    run(cli, "destroy", watched)
    assert groups(aws) == []
    assert aws.client("cloudwatch").describe_alarms()["MetricAlarms"] == []
