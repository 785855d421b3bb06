from __future__ import annotations

import json
from typing import Any

import pytest
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template

from sagemaker_serving.infra import (
    BatchTransform,
    Container,
    ContainerImage,
    Model,
    ModelData,
    S3Prefix,
)
from sagemaker_serving.spec import BatchTransform as Settings

TENSORFLOW = ContainerImage.from_catalog("tensorflow", "2.20")
OWN = ContainerImage.from_uri("111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1")


def template_of(
    bench: Any, *, key: bool = False, container: Container | None = None, **settings: Any
) -> Template:
    """A stack with a batch pipeline, its bucket under a key if wanted."""
    stack = bench.stack
    encryption_key = kms.Key(stack, "Key") if key else None
    bucket = s3.Bucket(stack, "Bucket", encryption_key=encryption_key)
    model = Model(
        stack,
        "Model",
        role=bench.role,
        containers=[
            container
            if container is not None
            else Container(image=TENSORFLOW, model_data=ModelData.from_path(bench.model_folder))
        ],
        instance_type="ml.m5.large",
    )
    BatchTransform(
        stack,
        "Batch",
        model=model,
        job_role=bench.role,
        settings=Settings.model_validate({"instance_type": "ml.m5.large", **settings}),
        inputs=S3Prefix(bucket=bucket, prefix="digits/in"),
        outputs=S3Prefix(bucket=bucket, prefix="digits/out"),
        work=S3Prefix(bucket=bucket, prefix="digits/work"),
        reports=S3Prefix(bucket=bucket, prefix="digits/reports"),
        retain_logs=False,
        encryption_key=encryption_key,
        topic=sns.Topic(stack, "Topic", master_key=encryption_key),
        topic_key=encryption_key,
    )
    return Template.from_stack(stack)


@pytest.fixture
def template(bench: Any) -> Template:
    return template_of(bench)


def plan_of(template: Template) -> dict[str, Any]:
    """The settings that the machine gives to its function, words in the place of references."""
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine").values()
    _, parts = machine["Properties"]["DefinitionString"]["Fn::Join"]
    text = "".join(part if isinstance(part, str) else "reference" for part in parts)
    definition: dict[str, Any] = json.loads(text)
    settings: dict[str, Any] = definition["States"]["Plan"]["Arguments"]["Payload"]["settings"]
    return settings


def actions_of(template: Template, role: str) -> dict[str, list[Any]]:
    """The resources of each action that a role is allowed, the role by its id's beginning."""
    found: dict[str, list[Any]] = {}
    for policy in template.find_resources("AWS::IAM::Policy").values():
        names = [each["Ref"] for each in policy["Properties"]["Roles"]]
        if not any(name.startswith(role) for name in names):
            continue
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            actions = statement["Action"]
            for action in [actions] if isinstance(actions, str) else actions:
                found.setdefault(action, []).append(statement["Resource"])
    return found


def test_every_option_reaches_the_jobs(bench: Any) -> None:
    settings = plan_of(
        template_of(
            bench,
            key=True,
            instance_count=2,
            content_type="application/jsonlines",
            accept="application/jsonlines",
            compression_type="Gzip",
            split_type="Line",
            assemble_with="Line",
            batch_strategy="MultiRecord",
            input_filter="$.x",
            output_filter="$.y",
            join_source="Input",
            max_payload_in_mb=1,
            max_concurrent_transforms=4,
            invocations_timeout_in_seconds=60,
            invocations_max_retries=0,
            environment={"SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "100"},
            tags={"team": "search"},
            max_objects_per_shard=7,
            max_input_objects=70,
            fail_on_quarantine=True,
        )
    )
    assert settings["job"] == {
        "ModelName": "reference",
        "TransformInput": {
            "ContentType": "application/jsonlines",
            "CompressionType": "Gzip",
            "SplitType": "Line",
        },
        "TransformOutput": {
            "Accept": "application/jsonlines",
            "AssembleWith": "Line",
            "KmsKeyId": "reference",
        },
        "TransformResources": {
            "InstanceType": "ml.m5.large",
            "InstanceCount": 2,
            "VolumeKmsKeyId": "reference",
        },
        "BatchStrategy": "MultiRecord",
        "MaxPayloadInMB": 1,
        "MaxConcurrentTransforms": 4,
        "ModelClientConfig": {"InvocationsTimeoutInSeconds": 60, "InvocationsMaxRetries": 0},
        "DataProcessing": {"InputFilter": "$.x", "OutputFilter": "$.y", "JoinSource": "Input"},
        "Environment": {"SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "100"},
        "Tags": [{"Key": "team", "Value": "search"}],
    }
    assert settings["limits"] == {
        "max_objects_per_shard": 7,
        "max_bytes_per_shard": 10 * 1024**3,
        "max_concurrent_jobs": 4,
        "max_concurrent_executions": 10,
        "max_input_objects": 70,
    }
    assert settings["fail_on_quarantine"] is True


@pytest.mark.parametrize(
    ("instance_type", "asked", "has_key"),
    [
        ("ml.m5.large", None, True),
        ("ml.m5.large", False, False),
        ("ml.g4dn.xlarge", None, False),
    ],
)
def test_volumes_have_the_key_where_instances_take_one(
    bench: Any, instance_type: str, asked: bool | None, has_key: bool
) -> None:
    template = template_of(bench, key=True, instance_type=instance_type, encrypt_volumes=asked)
    job = plan_of(template)["job"]
    assert ("VolumeKmsKeyId" in job["TransformResources"]) is has_key
    assert ("kms:CreateGrant" in actions_of(template, "Role")) is has_key


@pytest.mark.parametrize(
    ("image", "archive", "script", "alone"),
    [
        (TENSORFLOW, None, False, "always"),
        (TENSORFLOW, None, True, "never"),
        (TENSORFLOW, "s3://bucket/model.tar.gz", False, "perhaps"),
        (ContainerImage.from_catalog("pytorch", "2.6.0"), None, False, "never"),
        (OWN, None, False, "never"),
    ],
)
def test_the_pipeline_knows_whether_its_container_takes_whole_requests_one_by_one(
    bench: Any, image: ContainerImage, archive: str | None, script: bool, alone: str
) -> None:
    if script:
        bench.write("code/inference.py", "def handler(data, context): ...")
    data = ModelData.from_path(bench.model_folder)
    data = data if archive is None else ModelData.from_s3(archive)
    plan = plan_of(template_of(bench, container=Container(image=image, model_data=data)))
    assert plan["requests_alone"] == alone


@pytest.mark.parametrize(
    ("variables", "is_batching"),
    [
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}, True),
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "false"}, False),
        ({}, False),
    ],
)
def test_the_pipeline_knows_whether_its_model_batches_by_itself(
    bench: Any, variables: dict[str, str], is_batching: bool
) -> None:
    data = ModelData.from_path(bench.model_folder)
    container = Container(image=TENSORFLOW, model_data=data, environment=variables)
    assert plan_of(template_of(bench, container=container))["is_batching"] is is_batching


def test_the_machines_role_runs_jobs_and_passes_no_role(template: Template) -> None:
    actions = actions_of(template, "BatchRole")
    assert {action for action in actions if action.startswith("sagemaker:")} == {
        *("sagemaker:AddTags", "sagemaker:CreateTransformJob", "sagemaker:DescribeTransformJob"),
        "sagemaker:StopTransformJob",
    }
    assert "iam:PassRole" not in json.dumps(template.to_json())
    assert "FullAccess" not in json.dumps(template.to_json())
    (started,) = actions["states:StartExecution"]
    assert next(iter(started.values())).startswith("Batch")


def test_nothing_is_deleted_but_what_lies_below_the_reports(template: Template) -> None:
    every = [
        resource
        for role in ("BatchRole", "BatchFunctionRole", "Role")
        for resource in actions_of(template, role).get("s3:DeleteObject", ())
    ]
    assert [json.dumps(each) for each in every] != []
    assert all('"/digits/reports/*"' in json.dumps(each) for each in every)


def test_step_functions_may_tag_each_job_that_it_waits_for(template: Template) -> None:
    granted = actions_of(template, "BatchRole")
    assert granted["sagemaker:AddTags"] == granted["sagemaker:CreateTransformJob"]


def test_the_children_of_a_map_can_be_looked_at_stopped_and_redriven(template: Template) -> None:
    actions = actions_of(template, "BatchRole")
    (looked_at,) = actions["states:DescribeExecution"]
    assert actions["states:StopExecution"] == actions["states:RedriveExecution"] == [looked_at]


def test_executions_are_traced_and_logged(template: Template) -> None:
    template.has_resource_properties(
        "AWS::StepFunctions::StateMachine",
        {"TracingConfiguration": {"Enabled": True}, "LoggingConfiguration": {"Level": "ALL"}},
    )
    template.has_resource_properties(
        "AWS::Lambda::Function", {"TracingConfig": {"Mode": "Active"}, "Timeout": 900}
    )


def test_executions_are_logged_where_no_policy_grows(bench: Any) -> None:
    """CloudWatch Logs' resource policy takes 5,120 characters in all, and passes these over."""
    template = template_of(bench)
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine").values()
    (said,) = machine["Properties"]["LoggingConfiguration"]["Destinations"]
    group = said["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"][0]
    groups = template.find_resources("AWS::Logs::LogGroup")
    name = json.dumps(groups[group]["Properties"]["LogGroupName"])
    assert "/aws/vendedlogs/states/Stack-Batch-" in name
    assert "AWS::StackId" in name


def test_ends_that_the_machine_cannot_tell_of_are_told_by_a_role(bench: Any) -> None:
    """The role needs nothing of the topic's policy, and the key's lets in who its IAM lets."""
    template = template_of(bench, key=True)
    (rule,) = template.find_resources("AWS::Events::Rule").values()
    told = rule["Properties"]["EventPattern"]["detail"]
    assert told["$or"] == [
        {"status": ["ABORTED", "TIMED_OUT"]},
        {"status": ["FAILED"], "error": [{"prefix": "States."}]},
        {"told": [False]},
    ]
    (machine,) = template.find_resources("AWS::StepFunctions::StateMachine")
    assert told["stateMachineArn"] == [{"Ref": machine}]
    (target,) = rule["Properties"]["Targets"]
    assert target["RoleArn"]["Fn::GetAtt"][0].startswith("BatchNotificationRole")
    allowed = actions_of(template, "BatchNotificationRole")
    assert allowed.keys() == {"sns:Publish", "kms:Decrypt", "kms:GenerateDataKey"}
    assert allowed["sns:Publish"] == [target["Arn"]]
