"""A pipeline in five lines, and one as a task of somebody's own state machine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk.assertions import Match, Template
from cdk_nag import AwsSolutionsChecks

from sagemaker_serving.infra import (
    AlarmTopic,
    BatchTransform,
    BatchTransformSettings,
    ContainerImage,
    Model,
    ModelData,
    S3Prefix,
)

IMAGE = ContainerImage.from_catalog("tensorflow", "2.20")


@pytest.fixture
def model(bench: Any) -> Model:
    data = ModelData.from_path(bench.model_folder)
    return Model(bench.stack, "Model", image=IMAGE, model_data=data, instance_type="ml.m5.large")


def pipeline(bench: Any, model: Model, **more: Any) -> BatchTransform:
    settings = BatchTransformSettings(instance_type="ml.m5.large")
    return BatchTransform(bench.stack, "Batch", model=model, settings=settings, **more)


def machine_of(bench: Any, *states: sfn.IChainable) -> Template:
    sfn.StateMachine(
        bench.stack,
        "Own",
        definition_body=sfn.DefinitionBody.from_chainable(sfn.Chain.start(states[0])),
        tracing_enabled=True,
    )
    return Template.from_stack(bench.stack)


def definition(template: Template, beginning: str) -> Any:
    """Of the machine whose logical id begins so, words in the place of references."""
    machines = template.find_resources("AWS::StepFunctions::StateMachine")
    (machine,) = (each for name, each in machines.items() if name.startswith(beginning))
    _, parts = machine["Properties"]["DefinitionString"]["Fn::Join"]
    return json.loads("".join(part if isinstance(part, str) else "aws" for part in parts))


def test_a_model_and_settings_are_enough(bench: Any, model: Model) -> None:
    batch = pipeline(bench, model)
    template = Template.from_stack(bench.stack)
    template.has_resource(
        "AWS::S3::Bucket",
        {
            "DeletionPolicy": "Retain",
            "Properties": {
                "LifecycleConfiguration": {
                    "Rules": Match.array_with(
                        [Match.object_like({"Prefix": "Stack/Batch/work/", "ExpirationInDays": 30})]
                    )
                }
            },
        },
    )
    assert batch.inputs.prefix == "Stack/Batch/input"
    found = AwsSolutionsChecks(bench.app).validate_scope(bench.stack).violations
    assert [violation.rule_name for violation in found] == []


@pytest.mark.parametrize(
    ("arrivals", "pattern", "input_type"),
    [
        ("objects", "Stack/Batch/input/arriving/*", "S3Prefix"),
        ("manifests", "Stack/Batch/input/arriving/*.manifest", "ManifestFile"),
    ],
)
def test_what_arrives_starts_an_execution_and_the_bucket_tells_of_it(
    bench: Any, model: Model, arrivals: Any, pattern: str, input_type: str
) -> None:
    pipeline(bench, model).start_on_arrivals(bench.stack, "Arrivals", arrivals)
    template = Template.from_stack(bench.stack)
    told = {"NotificationConfiguration": {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}}
    template.has_resource_properties("AWS::S3::Bucket", told)
    (rule,) = (each["Properties"] for each in template.find_resources("AWS::Events::Rule").values())
    assert rule["EventPattern"]["detail"]["object"]["key"] == [{"wildcard": pattern}]
    (target,) = rule["Targets"]
    assert target["InputTransformer"]["InputPathsMap"] == {"key": "$.detail.object.key"}
    assert f'"input_type\\":\\"{input_type}' in json.dumps(target)


def test_a_bucket_of_another_app_is_not_changed_for_arrivals(bench: Any, model: Model) -> None:
    theirs = s3.Bucket.from_bucket_name(bench.stack, "Theirs", "theirs")
    batch = pipeline(bench, model, bucket=theirs)
    batch.start_on_arrivals(bench.stack, "Arrivals", "objects")
    template = Template.from_stack(bench.stack)
    template.resource_count_is("AWS::S3::Bucket", 0)
    template.resource_count_is("Custom::S3BucketNotifications", 0)


def test_a_schedule_transforms_what_is_new_and_may_start_nothing_else(
    bench: Any, model: Model
) -> None:
    pipeline(bench, model).start_on_schedule(bench.stack, "Night", "rate(1 day)")
    template = Template.from_stack(bench.stack)
    (rule,) = (each["Properties"] for each in template.find_resources("AWS::Events::Rule").values())
    assert rule["ScheduleExpression"] == "rate(1 day)"
    assert "Stack/Batch/output/scheduled/" in json.dumps(rule["Targets"])
    policies = template.find_resources("AWS::IAM::Policy").items()
    (policy,) = (each for name, each in policies if name.startswith("NightRole"))
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == "states:StartExecution"


def test_alarms_tell_of_batches_that_fail_and_of_ends_that_nobody_was_told_of(
    bench: Any, model: Model
) -> None:
    own = sns.Topic(bench.stack, "Ends")
    pager = AlarmTopic(bench.stack, "Pager", retain=False).topic
    pipeline(bench, model, topic=own).add_alarms(
        bench.stack, "Digits", topic=pager, alarm_name="digits-batch"
    )
    alarms = Template.from_stack(bench.stack).find_resources("AWS::CloudWatch::Alarm").values()
    assert {each["Properties"]["AlarmName"] for each in alarms} == {
        *("digits-batch-failures", "digits-batch-untold")
    }
    for each in alarms:
        (told,) = each["Properties"]["AlarmActions"]
        assert told["Ref"].startswith("Pager")
        assert each["Properties"]["AlarmDescription"].startswith("Stack/Batch: a batch ")


def test_the_model_of_an_execution_that_runs_outlives_the_deploy_that_replaces_it(
    bench: Any, model: Model
) -> None:
    pipeline(bench, model)
    kept = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
    Template.from_stack(bench.stack).has_resource("AWS::SageMaker::Model", kept)


def test_who_is_let_start_executions_may_start_these(bench: Any, model: Model) -> None:
    caller = iam.Role(bench.stack, "Caller", assumed_by=iam.AnyPrincipal())
    pipeline(bench, model).grant_start(caller)
    policies = Template.from_stack(bench.stack).find_resources("AWS::IAM::Policy")
    (own,) = (each for name, each in policies.items() if name.startswith("Caller"))
    (statement,) = own["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == "states:StartExecution"
    assert statement["Resource"]["Ref"].startswith("Batch")


def test_a_bucket_of_the_apps_has_what_is_not_placed_elsewhere(bench: Any, model: Model) -> None:
    bucket = s3.Bucket(bench.stack, "Bucket")
    inputs = S3Prefix(bucket=s3.Bucket.from_bucket_name(bench.stack, "In", "theirs"), prefix="june")
    batch = pipeline(bench, model, bucket=bucket, inputs=inputs)
    assert batch.inputs.uri == "s3://theirs/june"
    assert [batch.outputs.bucket, batch.reports.bucket] == [bucket, bucket]
    Template.from_stack(bench.stack).resource_count_is("AWS::S3::Bucket", 1)


def test_a_task_waits_for_an_execution_and_its_machine_may_do_that_alone(
    bench: Any, model: Model
) -> None:
    batch = pipeline(bench, model)
    task = batch.as_task(
        bench.stack,
        "Transform",
        input=sfn.JsonPath.string_at("$.input"),
        fields={"content_type": "text/csv"},
        result_path="$.batch",
    )
    template = machine_of(bench, task.add_retry(max_attempts=1))
    state = definition(template, "Own")["States"]["Transform"]
    assert state["Resource"] == "arn:aws:states:::states:startExecution.sync:2"
    assert state["ResultPath"] == "$.batch"
    assert state["Parameters"]["Input"] == {
        "input.$": "$.input",
        "output": "s3://aws/Stack/Batch/output/",
        "content_type": "text/csv",
        "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID.$": "$$.Execution.Id",
    }
    (policy,) = (
        each["Properties"]["PolicyDocument"]["Statement"]
        for name, each in template.find_resources("AWS::IAM::Policy").items()
        if name.startswith("OwnRole")
    )
    granted = {str(each["Action"]): json.dumps(each["Resource"]) for each in policy}
    assert granted.keys() == {
        "states:StartExecution",
        "['states:DescribeExecution', 'states:StopExecution']",
        "['events:PutTargets', 'events:PutRule', 'events:DescribeRule']",
        "['xray:PutTraceSegments', 'xray:PutTelemetryRecords', "
        "'xray:GetSamplingRules', 'xray:GetSamplingTargets']",
    }
    seen = granted["['states:DescribeExecution', 'states:StopExecution']"]
    assert seen.endswith('"Name"]}, ":*"]]}'), "of no machine whose name only begins so"


def test_a_task_in_jsonata(bench: Any, model: Model) -> None:
    batch = pipeline(bench, model)
    task = batch.as_task(
        bench.stack,
        "Transform",
        input="{% $states.input.place %}",
        query_language=sfn.QueryLanguage.JSONATA,
    )
    state = definition(machine_of(bench, task), "Own")["States"]["Transform"]
    given = state["Arguments"]["Input"]
    assert given["input"] == "{% $states.input.place %}"
    parent = given["AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID"]
    assert parent == "{% $states.context.Execution.Id %}"


def test_scanners_accept_the_executions_of_a_task(bench: Any, model: Model) -> None:
    batch = pipeline(bench, model)
    machine_of(bench, batch.as_task(bench.stack, "Transform"))
    found = AwsSolutionsChecks(bench.app).validate_scope(bench.stack).violations
    assert not [each.rule_name for each in found if "execution" in each.rule_name]


def test_a_metric_counts_what_executions_of_this_pipeline_did(bench: Any, model: Model) -> None:
    batch = pipeline(bench, model)
    batch.metric("QuarantinedRecords").create_alarm(
        bench.stack, "Alarm", threshold=1, evaluation_periods=1
    )
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "Namespace": "SageMakerServing/BatchTransform",
            "Statistic": "Sum",
            "Dimensions": [
                {
                    "Name": "StateMachine",
                    "Value": {"Fn::GetAtt": [Match.string_like_regexp("^Batch"), "Name"]},
                }
            ],
        },
    )
