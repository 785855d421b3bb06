"""Every construct with every option it takes, in every region, in one template that holds."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template
from cdk_nag import AwsSolutionsChecks

from sagemaker_serving.infra import (
    AlarmThresholds,
    AlarmTopic,
    BatchTransform,
    ContainerImage,
    DataBucket,
    DataCapture,
    DeployGuard,
    Endpoint,
    EndpointConfig,
    EndpointMonitoring,
    ExecutionRole,
    ExistingEndpoint,
    Guardrails,
    InstanceVariant,
    Model,
    ModelData,
    PrivateVpc,
    S3Prefix,
    ScalingMetric,
    ScalingStep,
    WatchedVariant,
)
from sagemaker_serving.rules import check_template, template_of
from sagemaker_serving.spec import BatchTransform as BatchTransformSpec
from tests.today import TODAY

PREFIX = "batch/"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> cdk.Stack:
    folder = tmp_path_factory.mktemp("every")
    (folder / "model/digits/1").mkdir(parents=True)
    (folder / "model/digits/1/saved_model.pb").write_text("graph")
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stack = cdk.Stack(app, "Every", env=cdk.Environment(region="eu-west-1"))
    _fill(stack, folder / "model")
    app.synth()
    return stack


def _fill(stack: cdk.Stack, folder: Path) -> None:
    data = DataBucket(stack, "Data", retain=True, customer_key=True)
    DataBucket(stack, "Scratch", retain=False)
    private = PrivateVpc(stack, "Private", cidr="10.1.0.0/16")
    private.add_door(
        "Invoke", ec2.InterfaceVpcEndpointAwsService.SAGEMAKER_RUNTIME, private.security_group
    )
    role = ExecutionRole(stack, "Role")
    place = S3Prefix(bucket=data.bucket, prefix=PREFIX)
    place.grant_read(role, of="Data of batch jobs")
    place.grant_write(role, of="Data of batch jobs")
    packed = ModelData.from_path(folder)
    there = ModelData.from_s3("s3://models/digits.tar.gz", sha256="0" * 64, version_id="1")
    images = (
        ContainerImage.from_catalog("tensorflow", "2.20"),
        ContainerImage.from_uri("111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/server:7"),
    )
    models = [
        Model(
            stack,
            f"Model{number}",
            role=role,
            image=image,
            model_data=archive,
            instance_type="ml.c5.large",
            environment={
                "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
                "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "64",
            },
            network=private.network,
            network_isolation=True,
        )
        for number, (image, archive) in enumerate(zip(images, (packed, there), strict=True))
    ]
    config = EndpointConfig(
        stack,
        "Config",
        encryption_key=data.key,
        variants=[
            InstanceVariant(
                name="blue",
                model=models[0],
                instance_type="ml.c5.large",
                initial_instance_count=2,
                weight=0,
                volume_size_in_gb=64,
                model_data_download_timeout_in_seconds=900,
                container_startup_health_check_timeout_in_seconds=600,
                routing_strategy="LEAST_OUTSTANDING_REQUESTS",
            )
        ],
        data_capture=DataCapture(
            destination=S3Prefix(bucket=data.bucket, prefix="captured"),
            sampling_percent=10,
            capture=["Input"],
            json_content_types=["application/json"],
            csv_content_types=["text/csv"],
        ),
    )
    config.add_variant(InstanceVariant(name="green", model=models[1], instance_type="ml.c5.xlarge"))
    monitoring = EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name="every",
        endpoint_config_name=config.endpoint_config_name,
        variants=[
            WatchedVariant(name="blue", instance_type="ml.c5.large", multi_model=True),
        ],
        thresholds=AlarmThresholds(datapoints_to_alarm=1, evaluation_periods=5),
        topic=AlarmTopic(stack, "Pager", retain=True, encryption_key=data.key).topic,
        inference_components=["cats"],
        log_retention_days=365,
        encryption_key=data.key,
    )
    assert monitoring.alarms is not None
    taking_back = monitoring.alarms.rollback_alarm_names
    endpoint = Endpoint(
        stack,
        "Endpoint",
        endpoint_name="every",
        endpoint_config=config,
        keep_instance_counts=True,
        guardrails=Guardrails.linear(percent=20).watching(*taking_back),
    )
    DeployGuard(stack, "Guard", endpoint=endpoint, endpoint_config=config, encryption_key=data.key)
    ExistingEndpoint(
        stack,
        "Existing",
        endpoint_name="theirs",
        endpoint_config=config,
        keep_instance_counts=True,
        guardrails=Guardrails.canary().watching("theirs-errors"),
        encryption_key=data.key,
    )
    scaling = endpoint.scale_instances("blue", min_capacity=1, max_capacity=4)
    scaling.scale_on_invocations(70, scale_in_cooldown=600, scale_out_cooldown=60)
    scaling.scale_on_concurrent_requests(5)
    scaling.scale_to_track_metric(
        "Cpu", ScalingMetric(metric_name="CPUUtilization", namespace="/aws/sagemaker/Endpoints"), 70
    )
    scaling.scale_on_metric(
        "Slow", ScalingMetric(metric_name="ModelLatency"), [ScalingStep(lower=1e6, change=1)]
    )
    scaling.scale_on_schedule("night", "cron(0 20 * * ? *)", time_zone="UTC", max_capacity=1)
    caller = iam.Role(stack, "Caller", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    endpoint.grant_invoke(caller, with_bearer_token=True)
    Endpoint.from_endpoint_name(stack, "Theirs", "theirs").grant_invoke(caller)
    endpoint.metric_invocation_5xx_errors("blue").create_alarm(
        stack, "Alarm", threshold=1, evaluation_periods=1
    )
    endpoint.node.add_dependency(monitoring)
    EndpointMonitoring(
        stack,
        "OfOthers",
        endpoint_name="others",
        variants=[
            WatchedVariant(name="gpu", instance_type="ml.g4dn.xlarge", asynchronous=True),
            WatchedVariant(name="small"),
        ],
    )
    BatchTransform(
        stack,
        "Batch",
        model=models[0],
        job_role=role,
        settings=BatchTransformSpec(
            instance_type="ml.m5.large",
            instance_count=2,
            content_type="application/jsonlines",
            accept="application/jsonlines",
            compression_type="Gzip",
            split_type="Line",
            assemble_with="Line",
            batch_strategy="MultiRecord",
            input_filter="$.a",
            output_filter="$.b",
            join_source="Input",
            max_payload_in_mb=1,
            max_concurrent_transforms=2,
            invocations_timeout_in_seconds=60,
            invocations_max_retries=1,
            environment={"A": "1"},
            tags={"a": "b"},
        ),
        inputs=S3Prefix(bucket=data.bucket, prefix="batch/in"),
        outputs=S3Prefix(bucket=data.bucket, prefix="batch/out"),
        work=S3Prefix(bucket=data.bucket, prefix="batch/work"),
        reports=S3Prefix(bucket=data.bucket, prefix="batch/reports"),
        topic=sns.Topic(stack, "Ended", enforce_ssl=True, master_key=data.key),
        topic_key=data.key,
        retain_logs=True,
        encryption_key=data.key,
    )


def test_the_rules_find_nothing(stack: cdk.Stack) -> None:
    template = template_of(Template.from_stack(stack).to_json()["Resources"])
    assert [str(problem) for problem in check_template(template, "eu-west-1", today=TODAY)] == []


def test_cdk_nag_finds_nothing_unacknowledged(stack: cdk.Stack) -> None:
    found = AwsSolutionsChecks(stack.node.root).validate_scope(stack).violations
    assert [violation.rule_name for violation in found] == []
