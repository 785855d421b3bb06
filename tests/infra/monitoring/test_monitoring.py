"""The dashboard, the log group and the topic of an endpoint, and what scanners say of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import aws_cdk as cdk
import cdk_nag
import pytest
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Match, Template

from sagemaker_serving.infra import AlarmTopic, DataBucket, EndpointMonitoring, WatchedVariant

NewStack = Callable[[], cdk.Stack]

CPU = WatchedVariant(name="cpu", instance_type="ml.c5.xlarge")
GPU = WatchedVariant(name="gpu", instance_type="ml.g4dn.xlarge")
ENHANCED = WatchedVariant(name="told", instance_type="ml.g4dn.xlarge", enhanced=True)
SERVERLESS = WatchedVariant(name="small")
ASYNCHRONOUS = WatchedVariant(name="slow", instance_type="ml.m5.large", asynchronous=True)
MULTI_MODEL = WatchedVariant(name="many", instance_type="ml.m5.large", multi_model=True)

ALWAYS = {"Errors", "Model latency", "Memory"}
ON_INSTANCES = {"CPU", "Disk"}
AT_ONCE = {"Requests", "Overhead latency"}
GRAPHS: list[tuple[WatchedVariant, set[str]]] = [
    (CPU, ON_INSTANCES | AT_ONCE | {"Requests at once"}),
    (GPU, ON_INSTANCES | AT_ONCE | {"Requests at once", "GPU"}),
    (
        ENHANCED,
        ON_INSTANCES
        | AT_ONCE
        | {"Requests at once", "GPU"}
        | {f"{what} of each instance" for what in ("CPU", "Memory", "GPUs")},
    ),
    (SERVERLESS, AT_ONCE | {"Cold starts", "Concurrency in use"}),
    (ASYNCHRONOUS, ON_INSTANCES | {"Requests worked on", "Backlog", "Oldest request"}),
    (
        MULTI_MODEL,
        ON_INSTANCES
        | AT_ONCE
        | {"Requests at once", "Models in memory", "Model was in memory", "Waiting for a model"},
    ),
]


def page_of(new_stack: NewStack, *variants: WatchedVariant, **options: Any) -> dict[str, Any]:
    """The widgets of the dashboard, by their titles."""
    stack = new_stack()
    EndpointMonitoring(
        stack, "Monitoring", endpoint_name="prod-digits", variants=variants, **options
    )
    (found,) = Template.from_stack(stack).find_resources("AWS::CloudWatch::Dashboard").values()
    assert found["Properties"]["DashboardName"] == "prod-digits-eu-west-1"
    body = found["Properties"]["DashboardBody"]
    text = body if isinstance(body, str) else "".join(map(_plain, body["Fn::Join"][1]))
    return {widget["properties"]["title"]: widget for widget in json.loads(text)["widgets"]}


def _plain(part: Any) -> str:
    return part if isinstance(part, str) else "token"


@pytest.mark.parametrize(
    ("variant", "titles"), GRAPHS, ids=lambda value: getattr(value, "name", "")
)
def test_a_page_shows_what_the_kind_publishes(
    new_stack: NewStack, variant: WatchedVariant, titles: set[str]
) -> None:
    page = page_of(new_stack, variant)
    assert page.keys() == {*ALWAYS, *titles, "Alarms", "Errors in the log"}


def test_a_graph_has_a_line_for_each_variant(new_stack: NewStack) -> None:
    graph = page_of(new_stack, CPU, GPU)["Model latency"]["properties"]
    assert [line[-1]["label"] for line in graph["metrics"]] == [
        f"{variant} {statistic}"
        for variant in ("cpu", "gpu")
        for statistic in ("p50", "p90", "p99")
    ]
    namespace, name, *dimensions, options = graph["metrics"][-1]
    assert (namespace, name) == ("AWS/SageMaker", "ModelLatency")
    assert dimensions == ["EndpointName", "prod-digits", "VariantName", "gpu"]
    assert options["stat"] == "p99"


def test_components_have_graphs_of_their_own(new_stack: NewStack) -> None:
    page = page_of(new_stack, CPU, inference_components=["cats", "dogs"])
    (cats, dogs) = page["Components: requests"]["properties"]["metrics"]
    assert cats[2:4] == ["InferenceComponentName", "cats"]
    assert dogs[2:4] == ["InferenceComponentName", "dogs"]


def test_each_part_can_be_left_out(new_stack: NewStack) -> None:
    stack = new_stack()
    monitoring = EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="e",
        variants=[CPU],
        alarms=False,
        dashboard=False,
        log_retention_days=None,
    )
    assert (monitoring.alarms, monitoring.dashboard, monitoring.log_groups) == (None, None, [])
    assert "Resources" not in Template.from_stack(stack).to_json()


@pytest.mark.parametrize("retain", [True, False])
def test_the_log_has_an_end_and_a_key(new_stack: NewStack, retain: bool) -> None:
    stack = new_stack()
    EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="prod-digits",
        variants=[CPU],
        log_retention_days=30,
        retain_logs=retain,
        encryption_key=kms.Key(stack, "Key"),
    )
    (group,) = kept_groups(stack)
    assert group["LogGroupName"] == "/aws/sagemaker/Endpoints/prod-digits"
    assert (group["RetentionInDays"], group["Retain"]) == (30, retain)
    assert "KmsKeyId" in group


def test_no_group_is_declared_that_sagemaker_may_have_made(new_stack: NewStack) -> None:
    """CloudFormation fails where it is."""
    stack = new_stack()
    EndpointMonitoring(stack, "Monitoring", endpoint_name="e", variants=[CPU])
    groups = Template.from_stack(stack).find_resources("AWS::Logs::LogGroup").values()
    assert ["LogGroupName" in group["Properties"] for group in groups] == [False]


def test_a_component_has_a_log_with_the_same_end_and_key(new_stack: NewStack) -> None:
    stack = new_stack()
    EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="prod-digits",
        variants=[CPU],
        inference_components=["cats"],
        encryption_key=kms.Key(stack, "Key"),
    )
    of_endpoint, of_component = kept_groups(stack)
    assert of_endpoint.pop("LogGroupName") == "/aws/sagemaker/Endpoints/prod-digits"
    assert of_component.pop("LogGroupName") == "/aws/sagemaker/InferenceComponents/cats"
    assert of_component.pop("LogGroupArn") != of_endpoint.pop("LogGroupArn")
    assert of_component == of_endpoint


def test_its_tags_are_the_apps(new_stack: NewStack) -> None:
    stack = new_stack()
    EndpointMonitoring(stack, "Monitoring", endpoint_name="e", variants=[CPU])
    cdk.Tags.of(stack).add("team", "search")
    assert [group["Tags"] for group in kept_groups(stack)] == [{"team": "search"}]


def kept_groups(stack: cdk.Stack) -> list[dict[str, Any]]:
    found = Template.from_stack(stack).find_resources("Custom::LogRetention").values()
    return [group["Properties"] for group in found]


def test_alarms_of_the_account_may_publish_and_nobody_without_tls(new_stack: NewStack) -> None:
    stack = new_stack()
    data = DataBucket(stack, "Data", retain=False, customer_key=True)
    AlarmTopic(stack, "Topic", retain=True, encryption_key=data.key)
    template = Template.from_stack(stack)
    (policy,) = template.find_resources("AWS::SNS::TopicPolicy").values()
    by_effect = {one["Effect"]: one for one in policy["Properties"]["PolicyDocument"]["Statement"]}
    assert by_effect["Deny"]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert by_effect["Allow"]["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert by_effect["Allow"]["Condition"] == {
        "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    }
    template.has_resource_properties(
        "AWS::KMS::Key",
        {
            "KeyPolicy": {
                "Statement": Match.array_with(
                    [
                        Match.object_like(
                            {
                                "Principal": {"Service": "cloudwatch.amazonaws.com"},
                                "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
                            }
                        )
                    ]
                )
            }
        },
    )
    template.has_resource("AWS::SNS::Topic", {"DeletionPolicy": "Retain"})


PACKS = ("AwsSolutionsChecks", "NIST80053R5Checks", "PCIDSS321Checks", "HIPAASecurityChecks")


@pytest.fixture(scope="module")
def watched(new_stack: NewStack) -> cdk.Stack:
    """Without a key; tests/scanners has the shipped environments, which have one."""
    stack = new_stack()
    EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="e",
        variants=[CPU, SERVERLESS],
        topic=AlarmTopic(stack, "Topic", retain=True).topic,
    )
    return stack


@pytest.mark.parametrize("pack", PACKS)
def test_scanners_find_nothing_unacknowledged(watched: cdk.Stack, pack: str) -> None:
    checks = getattr(cdk_nag, pack)(watched.node.root)
    assert [found.rule_name for found in checks.validate_scope(watched).violations] == []


def test_each_instance_has_a_line_of_its_own(new_stack: NewStack) -> None:
    graph = page_of(new_stack, ENHANCED)["CPU of each instance"]["properties"]
    ((line,),) = graph["metrics"]
    assert line["expression"] == (
        'SEARCH(\'MetricName="CPUUtilization" EndpointName="prod-digits" VariantName="told" '
        "InstanceId', 'Average', 60)"
    )
