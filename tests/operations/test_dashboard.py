"""A dashboard read back as data: lines with their points, alarms with their states."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from local_aws.gateway import Gateway
from sagemaker_serving.cli.dashboard import dashboard, plain
from sagemaker_serving.cli.schema import OUTPUT
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.dashboard import DashboardView, view_dashboard
from tests.local_aws.aws import REGION, client_of, shell_of

WIDGETS: list[dict[str, Any]] = [
    {
        "type": "metric",
        "properties": {
            "title": "Requests",
            "yAxis": {"left": {"label": "a minute"}},
            "period": 60,
            "stat": "Sum",
            "metrics": [
                ["AWS/SageMaker", "Invocations", "EndpointName", "e", "VariantName", "blue"],
                ["...", "green", {"label": "green"}],
                [".", "Nothing", ".", "e", ".", "blue"],
                [{"expression": "m1 + m2"}],
            ],
        },
    },
    {
        "type": "metric",
        "properties": {
            "title": "Latency",
            "metrics": [
                [
                    *("AWS/SageMaker", "ModelLatency", "EndpointName", "e", "VariantName", "blue"),
                    {"stat": "p99", "label": "blue p99"},
                ],
                ["...", {"stat": "p50", "label": "blue p50"}],
            ],
        },
    },
    {"type": "text", "properties": {"markdown": "hello"}},
    {
        "type": "alarm",
        "properties": {
            "alarms": [f"arn:aws:cloudwatch:{REGION}:123456789012:alarm:{name}" for name in "ab"]
        },
    },
]


@pytest.fixture(scope="module")
def view(gateway: Gateway) -> DashboardView:
    cloudwatch = gateway.context.client("cloudwatch", REGION)
    minute = datetime.now(UTC).replace(second=0, microsecond=0)
    for name, variant, value, ago in (
        ("Invocations", "blue", 3, 2),
        ("Invocations", "blue", 4, 2),
        ("Invocations", "blue", 5, 10),
        ("Invocations", "green", 7, 5),
        ("ModelLatency", "blue", 100, 5),
        ("ModelLatency", "blue", 300, 5),
    ):
        cloudwatch.put_metric_data(
            Namespace="AWS/SageMaker",
            MetricData=[
                {
                    "MetricName": name,
                    "Dimensions": [
                        {"Name": "EndpointName", "Value": "e"},
                        {"Name": "VariantName", "Value": variant},
                    ],
                    "Timestamp": minute - timedelta(minutes=ago),
                    "StatisticValues": {
                        "SampleCount": 1,
                        "Sum": value,
                        "Minimum": value,
                        "Maximum": value,
                    },
                }
            ],
        )
    cloudwatch.put_metric_alarm(
        AlarmName="a",
        Namespace="n",
        MetricName="m",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        Statistic="Sum",
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="breaching",  # the local AWS judges it, too, at any moment
    )
    cloudwatch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="test")
    cloudwatch.put_dashboard(DashboardName="page", DashboardBody=json.dumps({"widgets": WIDGETS}))
    return view_dashboard("page", client_of(gateway))


def test_a_line_has_the_sums_of_its_periods_in_their_order(view: DashboardView) -> None:
    requests, _ = view.graphs
    assert (requests.title, requests.unit, requests.note) == ("Requests", "a minute", "")
    blue, green, nothing = requests.lines
    assert blue.label == "Invocations Sum"
    assert sorted(value for _, value in blue.points) == [5, 7]
    assert blue.points == tuple(sorted(blue.points))
    assert (green.label, [value for _, value in green.points]) == ("green", [7])
    assert nothing.points == ()


def test_what_stands_for_percentiles_is_told(view: DashboardView) -> None:
    _, latency = view.graphs
    assert latency.note == "no percentiles are kept here: average and maximum"
    assert [(line.label, [value for _, value in line.points]) for line in latency.lines] == [
        ("blue average", [200.0]),
        ("blue maximum", [300.0]),
    ]


def test_alarms_have_their_states_and_those_that_are_gone_are_left_out(
    view: DashboardView,
) -> None:
    assert view.alarms == (("a", "ALARM"),)


def test_programs_get_every_point_in_the_documented_form(view: DashboardView) -> None:
    told = json.loads(json.dumps(plain(view)))
    Draft202012Validator({**OUTPUT, "anyOf": [{"$ref": "#/$defs/dashboard"}]}).validate(told)
    assert told["alarms"] == [{"alarm": "a", "state": "ALARM"}]
    blue = told["graphs"][0]["lines"][0]
    assert sorted(value for _, value in blue["points"]) == [5, 7]


def test_the_latest_value_of_every_line_is_printed(
    view: DashboardView, gateway: Gateway, tmp_path: Path
) -> None:
    file = tmp_path / "prod.yaml"
    file.write_text(
        f"name: prod\nregion: {REGION}\nmodels: {{digits: {{image_uri: x, monitoring: {{}}, "
        "variants: [{name: v, instance_type: ml.c5.large}]}}\n"
    )
    body = json.dumps({"widgets": WIDGETS})
    cloudwatch = gateway.context.client("cloudwatch", REGION)
    cloudwatch.put_dashboard(DashboardName=f"prod-digits-{REGION}", DashboardBody=body)
    ended = CliRunner().invoke(dashboard, [str(file), "digits", "--latest"], env=shell_of(gateway))
    assert ended.exit_code == 0, ended.output
    state, *lines = ended.stdout.splitlines()
    assert state.split() == ["ALARM", "a"]
    told = [line.split("\t")[:3] for line in lines]
    assert told == [
        ["Requests, a minute", "Invocations Sum", "7"],
        ["Requests, a minute", "green", "7"],
        ["Requests, a minute", "Nothing Sum", "no data"],
        ["Latency", "blue average", "200"],
        ["Latency", "blue maximum", "300"],
    ]


def test_a_dashboard_that_does_not_exist_is_the_callers_mistake(gateway: Gateway) -> None:
    with pytest.raises(NotFound, match=r"no dashboard 'none' in .*; give the model `monitoring"):
        view_dashboard("none", client_of(gateway))
