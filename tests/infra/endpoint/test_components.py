"""Inference components: what each value renders, what is granted, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from aws_cdk import aws_iam as iam
from aws_cdk.assertions import Match, Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    ComponentSize,
    ContainerImage,
    Endpoint,
    EndpointConfig,
    Guardrails,
    InferenceComponent,
    InstanceVariant,
    ManagedInstanceScaling,
    Model,
    Network,
)
from tests.infra.endpoint.test_kinds import (
    CONFIG,
    add_model,
    below,
    granted,
    logs,
    namespaces,
    rendered,
)

NETWORK = Network(subnet_ids=["subnet-1"], security_group_ids=["sg-1"])
SIZE = ComponentSize(min_memory_in_mb=512)


def add_component(
    bench: Any, *, host_type: str = "ml.c5.large", model: Model | None = None, **changes: Any
) -> InferenceComponent:
    host = InstanceVariant(
        name="host",
        model=None,
        instance_type=host_type,
        managed_instance_scaling=ManagedInstanceScaling(max_instance_count=2),
    )
    config = EndpointConfig(
        bench.stack,
        "Config",
        variants=[host],
        execution_role=bench.role,
        network=NETWORK,
        network_isolation=True,
    )
    endpoint = Endpoint(bench.stack, "Endpoint", endpoint_name="e", endpoint_config=config)
    return InferenceComponent(
        bench.stack,
        "Component",
        component_name="e-half",
        endpoint=endpoint,
        variant_name="host",
        model=add_model(bench) if model is None else model,
        **{"size": SIZE, **changes},
    )


def test_an_endpoint_of_components_says_itself_where_it_stands(bench: Any) -> None:
    add_component(bench)
    said = rendered(bench, CONFIG)
    assert said["VpcConfig"] == {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
    assert said["EnableNetworkIsolation"] is True
    assert "ModelName" not in said["ProductionVariants"][0]
    assert granted(bench, "ec2:CreateNetworkInterface")


def test_hosts_of_components_get_what_their_images_need(bench: Any) -> None:
    image = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.27.1-gpu-py312-cu130-mine"
    model = add_model(bench, image=ContainerImage.from_uri(image), instance_type="ml.g5.xlarge")
    add_component(bench, host_type="ml.g5.xlarge", model=model)
    (variant,) = rendered(bench, CONFIG)["ProductionVariants"]
    assert variant["InferenceAmiVersion"] == "al2023-ami-sagemaker-inference-gpu-4-1"


def test_an_endpoint_of_components_waits_for_its_roles_policy(bench: Any) -> None:
    add_component(bench)
    template = Template.from_stack(bench.stack)
    (policy,) = template.find_resources("AWS::IAM::Policy")
    template.has_resource(CONFIG, {"DependsOn": Match.array_with([policy])})


def test_every_option_of_a_component_is_rendered(bench: Any) -> None:
    add_component(
        bench,
        copy_count=0,
        size=ComponentSize(
            min_memory_in_mb=512,
            max_memory_in_mb=1024,
            number_of_cpu_cores=0.5,
            number_of_accelerator_devices=1,
        ),
        model_data_download_timeout_in_seconds=60,
        container_startup_health_check_timeout_in_seconds=90,
        guardrails=Guardrails.rolling(percent=25, rollback_percent=100).watching("errors"),
    )
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::SageMaker::InferenceComponent",
        {
            "InferenceComponentName": "e-half",
            "EndpointName": Match.any_value(),
            "VariantName": "host",
            "RuntimeConfig": {"CopyCount": 0},
            "DeploymentConfig": {
                "RollingUpdatePolicy": {
                    "MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 25},
                    "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 100},
                    "WaitIntervalInSeconds": 300,
                },
                "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "errors"}]},
            },
            "Specification": {
                "ModelName": Match.any_value(),
                "ComputeResourceRequirements": {
                    "MinMemoryRequiredInMb": 512,
                    "MaxMemoryRequiredInMb": 1024,
                    "NumberOfCpuCoresRequired": 0.5,
                    "NumberOfAcceleratorDevicesRequired": 1,
                },
                "StartupParameters": {
                    "ModelDataDownloadTimeoutInSeconds": 60,
                    "ContainerStartupHealthCheckTimeoutInSeconds": 90,
                },
            },
        },
    )


def test_an_update_keeps_the_copies_that_scaling_made(bench: Any) -> None:
    add_component(bench).scale_copies(min_capacity=2, max_capacity=4)
    assert "RuntimeConfig" not in rendered(bench, "AWS::SageMaker::InferenceComponent")


def test_a_scaled_component_has_no_count_of_its_own(bench: Any) -> None:
    component = add_component(bench, copy_count=3)
    with pytest.raises(Mistake, match="copy_count is 3, and copies are scaled from 1 to 4"):
        component.scale_copies(min_capacity=1, max_capacity=4)


def test_several_specifications_stand_in_the_place_of_the_one(bench: Any) -> None:
    """SageMaker takes one of both (botocore, CreateInferenceComponent)."""
    several = [{"InstanceType": "ml.c5.large", "ModelName": "large"}]
    add_component(bench, extra={"Specifications": several})
    made = rendered(bench, "AWS::SageMaker::InferenceComponent")
    assert made["Specifications"] == several
    assert "Specification" not in made


def test_a_component_is_replaced_in_rolling_batches_only(bench: Any) -> None:
    with pytest.raises(Mistake, match="are CANARY; its copies are replaced batch by batch"):
        add_component(bench, guardrails=Guardrails.canary())


def test_a_component_lets_its_models_role_write_its_log_and_metrics(bench: Any) -> None:
    add_component(bench)
    assert ":log-group:/aws/sagemaker/InferenceComponents/e-half*" in logs(bench)
    assert set(namespaces(bench)) == {
        "/aws/sagemaker/Endpoints",
        "/aws/sagemaker/InferenceComponents",
    }


def test_who_may_call_a_component_may_call_its_endpoint_and_no_other(bench: Any) -> None:
    component = add_component(bench)
    caller = iam.Role(
        bench.stack, "Caller", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
    )
    component.grant_invoke(caller, with_bearer_token=True)
    assert granted(bench, "sagemaker:CallWithBearerToken") == ["*"]
    ((endpoint, half),) = granted(bench, "sagemaker:InvokeEndpoint")
    assert below(endpoint) == ":endpoint/e"
    assert below(half) == ":inference-component/e-half"
