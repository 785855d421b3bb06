"""Our guards on an endpoint of aws-sagemaker-alpha's, and on a plain CfnEndpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aws_cdk as cdk
import aws_cdk.aws_sagemaker_alpha as alpha
import pytest
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk.assertions import Match, Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import GuardedEndpoint, Guardrails
from sagemaker_serving.rules import check_template, read_template
from tests.today import TODAY

pytestmark = pytest.mark.slow
ENDPOINT = "AWS::SageMaker::Endpoint"


def alphas(stack: cdk.Stack, folder: Path, name: str | None = "theirs") -> alpha.Endpoint:
    """A model, a config and an endpoint as alpha's README makes them."""
    archive = folder / "model.tar.gz"
    archive.write_bytes(b"")
    image = alpha.ContainerImage.from_ecr_repository(
        ecr.Repository.from_repository_name(stack, "Repository", "own"), "tag"
    )
    data = alpha.ModelData.from_asset(str(archive))
    container = alpha.ContainerDefinition(image=image, model_data=data)
    model = alpha.Model(stack, "Model", containers=[container])
    variant = alpha.InstanceProductionVariantProps(
        model=model, variant_name="v", instance_type=alpha.InstanceType.of("ml.m5.large")
    )
    config = alpha.EndpointConfig(stack, "Config", instance_production_variants=[variant])
    return alpha.Endpoint(stack, "Endpoint", endpoint_config=config, endpoint_name=name)


def test_alphas_endpoint_is_guarded_watched_and_keeps_its_counts(tmp_path: Path) -> None:
    stack = cdk.Stack(cdk.App(), "Theirs")
    alphas(stack, tmp_path).with_(GuardedEndpoint(guardrails=Guardrails.linear(percent=20)))

    template = Template.from_stack(stack)

    template.has_resource_properties(
        ENDPOINT,
        {
            "EndpointName": "theirs",
            "RetainAllVariantProperties": True,
            "DeploymentConfig": {
                "BlueGreenUpdatePolicy": {
                    "TrafficRoutingConfiguration": Match.object_like({"Type": "LINEAR"})
                },
                "AutoRollbackConfiguration": {
                    "Alarms": Match.array_with([{"AlarmName": {"Ref": Match.any_value()}}])
                },
            },
        },
    )
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm", {"AlarmName": "theirs-v-invocation-5xx-errors"}
    )
    template.has_resource_properties(
        "AWS::IAM::Policy",
        {
            "PolicyDocument": {
                "Statement": [Match.object_like({"Action": "cloudwatch:DescribeAlarms"})]
            }
        },
    )
    template.has_resource(
        ENDPOINT, {"DependsOn": [Match.string_like_regexp("EndpointGuardsRole0Policy.*")]}
    )


def test_what_it_adds_has_no_problem_of_its_own(tmp_path: Path) -> None:
    def problems(*, guarded: bool) -> list[str]:
        app = cdk.App()
        stack = cdk.Stack(app, "Theirs")
        endpoint = alphas(stack, tmp_path)
        if guarded:
            endpoint.with_(GuardedEndpoint())
        path = Path(app.synth().directory) / "Theirs.template.json"
        found = check_template(read_template(path), today=TODAY)
        return sorted(each.rule for each in found)

    assert set(problems(guarded=True)) <= set(problems(guarded=False))


def test_every_plain_endpoint_of_an_app_is_guarded_at_once() -> None:
    stack = cdk.Stack(cdk.App(), "Plain")
    for name in ("one", "two"):
        variant = {
            "variantName": "v",
            "modelName": "theirs",
            "initialInstanceCount": 1,
            "instancePools": [
                {"instanceType": "ml.m5.large", "priority": 2},
                {"instanceType": "ml.c5.large", "priority": 1},
            ],
        }
        config = sagemaker.CfnEndpointConfig(stack, f"C{name}", production_variants=[variant])
        sagemaker.CfnEndpoint(
            stack,
            name,
            endpoint_name=name,
            endpoint_config_name=config.attr_endpoint_config_name,
        )

    cdk.Mixins.of(stack).apply(GuardedEndpoint(keep_instance_counts=False))

    template = Template.from_stack(stack)
    guarded = {"DeploymentConfig": Match.any_value(), "RetainAllVariantProperties": Match.absent()}
    template.resource_properties_count_is(ENDPOINT, Match.object_like(guarded), 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"endpoint_name": None}, "Plain/Endpoint: the endpoint has no endpoint_name"),
        ({"endpoint_config_name": "elsewhere"}, "config is no CfnEndpointConfig of its stack"),
        ({"serverless": True}, "variant 'v' is serverless; SageMaker has guardrails for endpoints"),
    ],
)
def test_an_endpoint_that_cannot_be_guarded_is_named(change: dict[str, Any], said: str) -> None:
    stack = cdk.Stack(cdk.App(), "Plain")
    serverless = {"serverlessConfig": {"memorySizeInMb": 1024, "maxConcurrency": 1}}
    host = serverless if change.pop("serverless", False) else {"instanceType": "ml.m5.large"}
    config = sagemaker.CfnEndpointConfig(
        stack, "Config", production_variants=[{"variantName": "v", "modelName": "m", **host}]
    )
    given = {
        "endpoint_name": "plain",
        "endpoint_config_name": config.attr_endpoint_config_name,
        **change,
    }
    endpoint = sagemaker.CfnEndpoint(stack, "Endpoint", **given)

    with pytest.raises((Mistake, RuntimeError), match=said):
        endpoint.with_(GuardedEndpoint())
