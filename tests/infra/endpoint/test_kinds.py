"""What each value of an endpoint renders, what replaces what, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    AsyncInference,
    Container,
    ContainerImage,
    DataCapture,
    Endpoint,
    EndpointConfig,
    ExecutionRole,
    Guardrails,
    InstanceVariant,
    Model,
    ModelData,
    ModelPackage,
    MultiModelContainer,
    S3Prefix,
    ServerlessVariant,
)

TENSORFLOW = ContainerImage.from_catalog("tensorflow", "2.20")
CONFIG = "AWS::SageMaker::EndpointConfig"


def add_model(bench: Any, construct_id: str = "Model", **changes: Any) -> Model:
    given: dict[str, Any] = {"instance_type": "ml.c5.large", **changes}
    if "containers" not in changes and "image" not in changes:
        given |= {"image": TENSORFLOW, "model_data": ModelData.from_path(bench.model_folder)}
    return Model(bench.stack, construct_id, role=bench.role, **given)


def add_config(bench: Any, **changes: Any) -> EndpointConfig:
    variant = InstanceVariant(
        name="blue", model=add_model(bench), instance_type="ml.c5.large", routing_strategy="RANDOM"
    )
    return EndpointConfig(bench.stack, "Config", **{"variants": [variant], **changes})


def bucket(bench: Any, *, key: bool = False) -> s3.Bucket:
    encryption_key = kms.Key(bench.stack, "Key") if key else None
    return s3.Bucket(bench.stack, "Data", encryption_key=encryption_key)


def capture(bench: Any, **changes: Any) -> DataCapture:
    place = S3Prefix(bucket=bucket(bench), prefix="captured/")
    return DataCapture(**{"destination": place, "sampling_percent": 5, **changes})


def queue(bench: Any, **changes: Any) -> AsyncInference:
    data = bucket(bench, key=True)
    places = {name: S3Prefix(bucket=data, prefix=name) for name in ("inputs", "output", "failure")}
    return AsyncInference(**{**places, **changes})


def rendered(bench: Any, kind: str) -> Any:
    (resource,) = Template.from_stack(bench.stack).find_resources(kind).values()
    return resource["Properties"]


def granted(bench: Any, action: str) -> list[Any]:
    """The resources that any role may do ``action`` on."""
    policies = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    return [
        statement["Resource"]
        for policy in policies
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if action in (statement["Action"], *statement["Action"])
    ]


def test_a_variant_on_gpus_gets_the_host_that_its_image_needs(bench: Any) -> None:
    image = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:0.27.1-gpu-py312-cu130-mine"
    own = ContainerImage.from_uri(image)
    model = add_model(bench, "OnGpus", image=own, instance_type="ml.g5.xlarge")
    given: dict[str, Any] = {"model": model, "instance_type": "ml.g5.xlarge"}
    add_config(
        bench,
        variants=[
            InstanceVariant(name="left", **given),
            InstanceVariant(name="said", inference_ami_version="mine", **given),
        ],
    )
    left, said = rendered(bench, CONFIG)["ProductionVariants"]
    assert left["InferenceAmiVersion"] == "al2023-ami-sagemaker-inference-gpu-4-1"
    assert said["InferenceAmiVersion"] == "mine"


@pytest.mark.parametrize(
    ("guardrails", "said"),
    [
        (Guardrails.linear(percent=20, wait_seconds=60, termination_wait_seconds=0),
         {"BlueGreenUpdatePolicy": {"TerminationWaitInSeconds": 0,
          "TrafficRoutingConfiguration": {"Type": "LINEAR",
          "LinearStepSize": {"Type": "CAPACITY_PERCENT", "Value": 20},
          "WaitIntervalInSeconds": 60}}}),
        (Guardrails.rolling(percent=20, wait_seconds=0, rollback_percent=50).watching("a", "b"),
         {"RollingUpdatePolicy": {"MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 20},
          "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 50},
          "WaitIntervalInSeconds": 0},
          "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "a"}, {"AlarmName": "b"}]}}),
        (Guardrails.all_at_once(termination_wait_seconds=5),
         {"BlueGreenUpdatePolicy": {"TerminationWaitInSeconds": 5,
          "TrafficRoutingConfiguration": {"Type": "ALL_AT_ONCE", "WaitIntervalInSeconds": 0}}}),
    ],
    ids=["linear", "rolling", "all at once"],
)  # fmt: skip
def test_each_way_of_updating_is_rendered(
    bench: Any, guardrails: Guardrails, said: dict[str, Any]
) -> None:
    Endpoint(
        bench.stack,
        "Endpoint",
        endpoint_name="e",
        endpoint_config=add_config(bench),
        guardrails=guardrails,
    )
    assert rendered(bench, "AWS::SageMaker::Endpoint")["DeploymentConfig"] == said


def test_without_guardrails_none_are_rendered(bench: Any) -> None:
    Endpoint(bench.stack, "Endpoint", endpoint_name="e", endpoint_config=add_config(bench))
    assert "DeploymentConfig" not in rendered(bench, "AWS::SageMaker::Endpoint")


Change = Callable[[Any], dict[str, Any]]


@pytest.mark.parametrize(
    "change",
    [
        lambda bench: {"data_capture": capture(bench)},
        lambda bench: {"async_inference": queue(bench)},
        lambda bench: {
            "shadow_variants": [
                InstanceVariant(
                    name="next", model=add_model(bench, "Next"), instance_type="ml.c5.large"
                )
            ]
        },
    ],
    ids=["capture", "asynchronous", "shadow"],
)
def test_what_is_said_of_all_variants_replaces_the_config(
    new_bench: Callable[[], Any], change: Change
) -> None:
    before, after = new_bench(), new_bench()
    add_config(before)
    add_config(after, **change(after))
    ids = [set(Template.from_stack(b.stack).find_resources(CONFIG)) for b in (before, after)]
    assert ids[0].isdisjoint(ids[1])


def test_the_role_may_write_core_dumps_where_they_go(bench: Any) -> None:
    dumps = S3Prefix(bucket=bucket(bench, key=True), prefix="dumps")
    variant = InstanceVariant(
        name="blue", model=add_model(bench), instance_type="ml.c5.large", core_dump=dumps
    )
    EndpointConfig(bench.stack, "Config", variants=[variant])
    (written,) = granted(bench, "s3:PutObject")
    assert written["Fn::Join"][1][-1] == "/dumps/*"
    assert granted(bench, "kms:GenerateDataKey")


def test_another_sampling_replaces_the_config(new_bench: Callable[[], Any]) -> None:
    ids = []
    for percent in (5, 6):
        bench = new_bench()
        add_config(bench, data_capture=capture(bench, sampling_percent=percent))
        ids += list(Template.from_stack(bench.stack).find_resources(CONFIG))
    assert len(set(ids)) == 2


def test_zero_percent_is_kept_and_the_prefix_has_no_slash_at_its_end(bench: Any) -> None:
    add_config(bench, data_capture=capture(bench, sampling_percent=0, json_content_types=()))
    said = rendered(bench, CONFIG)["DataCaptureConfig"]
    assert said["InitialSamplingPercentage"] == 0
    assert said["DestinationS3Uri"]["Fn::Join"][1][-1] == "/captured"
    assert said["CaptureContentTypeHeader"] == {"CsvContentTypes": ["text/csv"]}


def test_a_destination_of_a_router_reads_its_requests_and_writes_where_it_says(bench: Any) -> None:
    place = S3Prefix(bucket=s3.Bucket(bench.stack, "Routed"), prefix="all/slow")
    add_config(bench, async_inference=queue(bench, routed=(place,)))
    read, written = (str(granted(bench, f"s3:{action}")) for action in ("GetObject", "PutObject"))
    assert "/all/slow/input/*" in read
    assert "/all/slow/input/*" not in written
    assert all(f"/all/slow/{below}/*" in written for below in ("output", "failed"))


def test_answers_are_encrypted_with_the_buckets_key_which_the_role_may_use(bench: Any) -> None:
    add_config(bench, async_inference=queue(bench))
    output = rendered(bench, CONFIG)["AsyncInferenceConfig"]["OutputConfig"]
    keys = granted(bench, "kms:GenerateDataKey")
    assert keys
    assert all(key == output["KmsKeyId"] for key in keys)


def test_a_topic_of_ones_own_key_is_granted_with_it(bench: Any) -> None:
    key = kms.Key(bench.stack, "TopicKey")
    topic = sns.Topic(bench.stack, "Topic", master_key=key)
    asked = queue(
        bench,
        error_topic=topic,
        topic_key=key,
        include_inference_response_in=["ERROR_NOTIFICATION_TOPIC"],
    )
    add_config(bench, async_inference=asked)
    (published,) = granted(bench, "sns:Publish")
    assert published["Ref"].startswith("Topic")
    notifications = rendered(bench, CONFIG)["AsyncInferenceConfig"]["OutputConfig"]
    assert notifications["NotificationConfig"]["IncludeInferenceResponseIn"] == [
        "ERROR_NOTIFICATION_TOPIC"
    ]
    (topic_key,) = (
        name
        for name in Template.from_stack(bench.stack).find_resources("AWS::KMS::Key")
        if name.startswith("TopicKey")
    )
    assert {"Fn::GetAtt": [topic_key, "Arn"]} in granted(bench, "kms:GenerateDataKey")


def test_without_topics_nothing_may_be_published(bench: Any) -> None:
    add_config(bench, async_inference=queue(bench, failure=None))
    output = rendered(bench, CONFIG)["AsyncInferenceConfig"]["OutputConfig"]
    assert not {"NotificationConfig", "S3FailurePath"} & set(output)
    assert "sns:Publish" not in str(Template.from_stack(bench.stack).to_json())


def test_serverless_takes_the_key_and_no_type(bench: Any) -> None:
    model = add_model(bench, instance_type=None)
    variant = ServerlessVariant(name="all", model=model, memory_size_in_mb=1024, max_concurrency=1)
    EndpointConfig(
        bench.stack, "Config", variants=[variant], encryption_key=kms.Key(bench.stack, "Key")
    )
    said = rendered(bench, CONFIG)
    assert said["KmsKeyId"]
    assert said["ProductionVariants"][0]["ServerlessConfig"] == {
        "MemorySizeInMB": 1024,
        "MaxConcurrency": 1,
    }


@pytest.mark.parametrize(
    ("types", "given"), [(["ml.g4dn.xlarge", "ml.c5.large"], True), (["ml.g4dn.xlarge"], False)]
)
def test_a_key_encrypts_every_volume_that_is_not_local_storage(
    bench: Any, types: list[str], given: bool
) -> None:
    model = add_model(bench)
    variants = [
        InstanceVariant(name=f"v{number}", model=model, instance_type=kind)
        for number, kind in enumerate(types)
    ]
    EndpointConfig(
        bench.stack, "Config", variants=variants, encryption_key=kms.Key(bench.stack, "Key")
    )
    assert ("KmsKeyId" in rendered(bench, CONFIG)) == given


def test_a_cache_that_is_off_is_said(bench: Any) -> None:
    archives = S3Prefix(bucket=bucket(bench), prefix="models")
    many = MultiModelContainer(
        image=TENSORFLOW, archives=archives, model_cache_setting="Disabled", safe_port_range=""
    )
    add_model(bench, containers=[many])
    container = rendered(bench, "AWS::SageMaker::Model")["PrimaryContainer"]
    assert container["MultiModelConfig"] == {"ModelCacheSetting": "Disabled"}
    assert container["Environment"] == {}


def test_a_package_is_given_variables_beside_its_own(bench: Any) -> None:
    add_model(bench, containers=[ModelPackage(name="arn:package", environment={"LEVEL": "2"})])
    container = rendered(bench, "AWS::SageMaker::Model")["PrimaryContainer"]
    assert container == {"ModelPackageName": "arn:package", "Environment": {"LEVEL": "2"}}


def test_a_package_of_the_marketplace_is_granted_nothing(bench: Any) -> None:
    add_model(bench, containers=[ModelPackage(name="arn:package")])
    assert Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy") == {}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"containers": []}, "neither of image and containers is given"),
        ({"containers": [1], "image": TENSORFLOW}, "both of image and containers is given"),
        ({"environment": {"LEVEL": "2"}}, "image is missing; give the one that serves the model"),
    ],
)
def test_a_model_says_its_containers_in_one_way(
    bench: Any, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(Mistake, match=said):
        Model(bench.stack, "Model", role=bench.role, instance_type="ml.c5.large", **changes)


def test_an_image_that_fetches_its_model_names_no_archive_and_its_role_reads_none(
    bench: Any,
) -> None:
    Model(
        bench.stack,
        "Model",
        role=bench.role,
        instance_type="ml.g5.xlarge",
        image=ContainerImage.from_uri("763104351884.dkr.ecr.eu-west-1.amazonaws.com/vllm:1"),
        environment={"SM_VLLM_MODEL": "openai/gpt-oss-20b"},
    )
    container = rendered(bench, "AWS::SageMaker::Model")["PrimaryContainer"]
    (model,) = Template.from_stack(bench.stack).find_resources("AWS::SageMaker::Model").values()
    assert any("Policy" in waited for waited in model["DependsOn"])
    assert container.keys() == {"Image", "Environment"}
    assert "s3:" not in json.dumps(rendered(bench, "AWS::IAM::Policy"))


def test_a_pipeline_has_at_most_fifteen_containers(bench: Any) -> None:
    part = Container(image=TENSORFLOW, model_data=ModelData.from_path(bench.model_folder))
    add_model(bench, "Fifteen", containers=[part] * 15)
    with pytest.raises(Mistake, match="there are 16 containers; a model takes 1 to 15"):
        add_model(bench, "Sixteen", containers=[part] * 16)


def test_a_shadow_needs_exactly_one_production_variant(bench: Any) -> None:
    model = add_model(bench)
    names = ("blue", "green", "next")
    blue, green, shadow = (
        InstanceVariant(name=name, model=model, instance_type="ml.c5.large") for name in names
    )
    with pytest.raises(Mistake, match="2 production and 1 shadow variants"):
        EndpointConfig(bench.stack, "Config", variants=[blue, green], shadow_variants=[shadow])


def logs(bench: Any) -> str:
    """What the log groups are called that any role may write to."""
    return json.dumps(granted(bench, "logs:PutLogEvents"))


def namespaces(bench: Any) -> list[str]:
    """What metrics any role may put."""
    policies = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy").values()
    return [
        statement["Condition"]["StringEquals"]["cloudwatch:namespace"]
        for policy in policies
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == "cloudwatch:PutMetricData"
    ]


def test_an_endpoint_lets_its_roles_write_its_log_and_metrics(bench: Any) -> None:
    config = add_config(bench)
    Endpoint(bench.stack, "Endpoint", endpoint_name="e", endpoint_config=config)
    assert ":log-group:/aws/sagemaker/Endpoints/e*" in logs(bench)
    assert granted(bench, "logs:DescribeLogStreams") == granted(bench, "logs:PutLogEvents")
    assert namespaces(bench) == ["/aws/sagemaker/Endpoints"]


def test_a_variant_that_comes_later_may_do_what_the_others_may(bench: Any) -> None:
    config = add_config(bench)
    guardrails = Guardrails.canary().watching("errors")
    Endpoint(
        bench.stack, "Endpoint", endpoint_name="e", endpoint_config=config, guardrails=guardrails
    )
    bench.role = ExecutionRole(bench.stack, "Later")
    model = add_model(bench, "LaterModel")
    config.add_variant(InstanceVariant(name="green", model=model, instance_type="ml.c5.large"))
    for action in ("logs:PutLogEvents", "cloudwatch:PutMetricData", "cloudwatch:DescribeAlarms"):
        assert len(granted(bench, action)) == 2


def below(arn: Any) -> str:
    """The last literal part of a joined ARN."""
    last = arn["Fn::Join"][1][-1]
    assert isinstance(last, str)
    return last
