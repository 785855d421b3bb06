"""Calls of every protocol, right ones and wrong ones, in one order that always says the same."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.local_aws.aws import IMAGE, policy

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/model"
STATES_ROLE = f"arn:aws:iam::{ACCOUNT}:role/states"
MACHINE = f"arn:aws:states:eu-west-1:{ACCOUNT}:stateMachine:first"
EXECUTION = f"arn:aws:states:eu-west-1:{ACCOUNT}:execution:first:one"
QUEUE = f"https://sqs.eu-west-1.amazonaws.com/{ACCOUNT}/first"
TOPIC = f"arn:aws:sns:eu-west-1:{ACCOUNT}:first"
FUNCTION = f"arn:aws:lambda:eu-west-1:{ACCOUNT}:function:first"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One call through boto3; with ``wait`` until a member of its answer is one of some values."""

    service: str
    operation: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    wait: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, kw_only=True)
class Raw:
    """One request that no client would send, signed for a service."""

    service: str
    method: str = "POST"
    path: str = "/"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def steps() -> Iterator[Step | Raw]:
    """All of them."""
    yield from _sagemaker()
    yield from _endpoints()
    yield from _lambda()
    yield from _states()
    yield from _cloudformation()
    yield from _emulated()
    yield from _malformed()


def _calls(service: str, *calls: tuple[Any, ...]) -> Iterator[Step]:
    for operation, parameters, *wait in calls:
        yield Step(
            service=service,
            operation=operation,
            parameters=parameters,
            wait=(wait[0], tuple(wait[1:])) if wait else None,
        )


def _variant(model: str, **more: Any) -> dict[str, Any]:
    return {
        "VariantName": "a",
        "ModelName": model,
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
        "InitialVariantWeight": 1.0,
        **more,
    }


def _sagemaker() -> Iterator[Step]:
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}
    model = {"ModelName": "first", "ExecutionRoleArn": ROLE, "PrimaryContainer": container}
    tags = [{"Key": "team", "Value": "search"}]
    arn = f"arn:aws:sagemaker:eu-west-1:{ACCOUNT}:model/first"
    job = {
        "TransformJobName": "job",
        "ModelName": "first",
        "TransformInput": {
            "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/in/"}},
            "ContentType": "text/csv",
            "SplitType": "Line",
        },
        "TransformOutput": {"S3OutputPath": "s3://models/out/"},
        "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
    }
    yield from _calls("s3", ("put_object", {"Bucket": "models", "Key": "in/a", "Body": b"1\n2\n"}))
    yield from _calls(
        "sagemaker",
        ("list_models", {}),
        ("create_model", {**model, "Tags": tags}),
        ("create_model", model),
        ("create_model", {**model, "ModelName": "under_score"}),
        ("create_model", {**model, "ModelName": "x", "ExecutionRoleArn": "arn:aws:iam::1:role/x"}),
        (
            "create_model",
            {**model, "ModelName": "x", "PrimaryContainer": {"Image": IMAGE, "Mode": "Other"}},
        ),
        ("describe_model", {"ModelName": "first"}),
        ("describe_model", {"ModelName": "nobody"}),
        ("list_models", {"NameContains": "fir", "MaxResults": 1}),
        ("list_models", {"MaxResults": 0}),
        ("list_tags", {"ResourceArn": arn}),
        ("add_tags", {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]}),
        ("delete_tags", {"ResourceArn": arn, "TagKeys": ["team"]}),
        ("list_tags", {"ResourceArn": arn}),
        ("list_tags", {"ResourceArn": "arn"}),
        (
            "create_endpoint_config",
            {"EndpointConfigName": "first", "ProductionVariants": [_variant("first")]},
        ),
        (
            "create_endpoint_config",
            {"EndpointConfigName": "first", "ProductionVariants": [_variant("first")]},
        ),
        (
            "create_endpoint_config",
            {"EndpointConfigName": "second", "ProductionVariants": [_variant("nobody")]},
        ),
        (
            "create_endpoint_config",
            {
                "EndpointConfigName": "second",
                "ProductionVariants": [_variant("first", InitialInstanceCount=-1)],
            },
        ),
        (
            "create_endpoint_config",
            {
                "EndpointConfigName": "second",
                "ProductionVariants": [_variant("first", InstanceType="ml.none")],
            },
        ),
        ("describe_endpoint_config", {"EndpointConfigName": "first"}),
        ("describe_endpoint_config", {"EndpointConfigName": "nobody"}),
        ("list_endpoint_configs", {"SortBy": "Name", "SortOrder": "Ascending"}),
        ("create_transform_job", job),
        ("create_transform_job", job),
        ("create_transform_job", {**job, "TransformJobName": "two", "ModelName": "nobody"}),
        (
            "describe_transform_job",
            {"TransformJobName": "job"},
            "TransformJobStatus",
            "Completed",
            "Failed",
        ),
        ("describe_transform_job", {"TransformJobName": "nobody"}),
        ("list_transform_jobs", {"NameContains": "jo"}),
        ("stop_transform_job", {"TransformJobName": "job"}),
        ("create_model_package_group", {"ModelPackageGroupName": "group"}),
        ("create_model_package_group", {"ModelPackageGroupName": "group"}),
        (
            "create_model_package",
            {
                "ModelPackageGroupName": "group",
                "InferenceSpecification": {
                    "Containers": [container],
                    "SupportedContentTypes": ["text/csv"],
                    "SupportedResponseMIMETypes": ["text/csv"],
                },
                "ModelApprovalStatus": "Approved",
            },
        ),
        ("list_model_packages", {"ModelPackageGroupName": "group"}),
        (
            "describe_model_package",
            {
                "ModelPackageName": f"arn:aws:sagemaker:eu-west-1:{ACCOUNT}:model-package/group/1",
            },
        ),
        ("describe_model_package_group", {"ModelPackageGroupName": "nobody"}),
        ("list_training_jobs", {}),
        ("create_notebook_instance_lifecycle_config", {"NotebookInstanceLifecycleConfigName": "x"}),
    )


def _endpoints() -> Iterator[Step]:
    yield from _calls(
        "sagemaker",
        ("create_endpoint", {"EndpointName": "first", "EndpointConfigName": "first"}),
        ("create_endpoint", {"EndpointName": "first", "EndpointConfigName": "first"}),
        ("create_endpoint", {"EndpointName": "second", "EndpointConfigName": "nobody"}),
        ("describe_endpoint", {"EndpointName": "first"}, "EndpointStatus", "InService", "Failed"),
        ("describe_endpoint", {"EndpointName": "nobody"}),
        ("list_endpoints", {"StatusEquals": "InService"}),
        ("update_endpoint", {"EndpointName": "nobody", "EndpointConfigName": "first"}),
        (
            "update_endpoint_weights_and_capacities",
            {
                "EndpointName": "first",
                "DesiredWeightsAndCapacities": [{"VariantName": "b", "DesiredWeight": 1.0}],
            },
        ),
        ("delete_endpoint_config", {"EndpointConfigName": "nobody"}),
        ("delete_model", {"ModelName": "nobody"}),
    )
    yield from _calls(
        "sagemaker-runtime",
        (
            "invoke_endpoint",
            {"EndpointName": "first", "Body": b"abc", "ContentType": "text/csv"},
        ),
        (
            "invoke_endpoint",
            {
                "EndpointName": "first",
                "Body": b"abc",
                "ContentType": "text/csv",
                "CustomAttributes": "trace=1",
                "TargetVariant": "a",
            },
        ),
        ("invoke_endpoint", {"EndpointName": "first", "Body": b"refuse"}),
        ("invoke_endpoint", {"EndpointName": "first", "Body": b"fail"}),
        ("invoke_endpoint", {"EndpointName": "first", "Body": b"x", "TargetVariant": "b"}),
        ("invoke_endpoint", {"EndpointName": "nobody", "Body": b"x"}),
        (
            "invoke_endpoint_async",
            {"EndpointName": "first", "InputLocation": "s3://models/in/a"},
        ),
    )
    yield from _calls(
        "sagemaker",
        ("delete_endpoint", {"EndpointName": "first"}),
        ("delete_endpoint", {"EndpointName": "nobody"}),
    )


def _zipped(text: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("index.py", (2026, 1, 1, 0, 0, 0)), text)
    return packed.getvalue()


HANDLER = """
def handler(event, context):
    if event == "fail":
        raise ValueError("no")
    return {"event": event, "version": context.function_version}
"""


def _lambda() -> Iterator[Step]:
    function = {
        "FunctionName": "first",
        "Runtime": "python3.11",
        "Role": STATES_ROLE,
        "Handler": "index.handler",
        "Code": {"ZipFile": _zipped(HANDLER)},
        "MemorySize": 256,
        "Environment": {"Variables": {"STAGE": "b"}},
        "Tags": {"team": "search"},
    }
    grant = {
        "FunctionName": "first",
        "StatementId": "s3",
        "Action": "lambda:InvokeFunction",
        "Principal": "s3.amazonaws.com",
    }
    yield from _calls(
        "iam",
        (
            "update_assume_role_policy",
            {
                "RoleName": "states",
                "PolicyDocument": policy(
                    {
                        "Effect": "Allow",
                        "Principal": {"Service": ["states.amazonaws.com", "lambda.amazonaws.com"]},
                        "Action": "sts:AssumeRole",
                    }
                ),
            },
        ),
    )
    yield from _calls(
        "lambda",
        ("list_functions", {}),
        ("create_function", function),
        ("create_function", function),
        ("create_function", {**function, "FunctionName": "x", "Runtime": "python2.7"}),
        ("create_function", {**function, "FunctionName": "x", "Handler": "a b"}),
        ("create_function", {**function, "FunctionName": "x", "MemorySize": 64}),
        ("create_function", {**function, "FunctionName": "x", "Code": {"ZipFile": b"no"}}),
        ("get_function", {"FunctionName": "first"}),
        ("get_function", {"FunctionName": "nobody"}),
        ("get_function_configuration", {"FunctionName": FUNCTION}),
        ("list_functions", {"MaxItems": 1}),
        ("invoke", {"FunctionName": "first", "Payload": b'{"a": 1}'}),
        ("invoke", {"FunctionName": "first", "Payload": b'"fail"'}),
        ("invoke", {"FunctionName": "first", "Payload": b"{"}),
        ("invoke", {"FunctionName": "first", "InvocationType": "DryRun"}),
        ("invoke", {"FunctionName": "first", "InvocationType": "Event", "Payload": b"1"}),
        ("invoke", {"FunctionName": "nobody"}),
        ("update_function_configuration", {"FunctionName": "first", "Timeout": 5}),
        ("update_function_configuration", {"FunctionName": "first", "Timeout": 1000}),
        ("publish_version", {"FunctionName": "first", "Description": "one"}),
        ("list_versions_by_function", {"FunctionName": "first"}),
        ("create_alias", {"FunctionName": "first", "Name": "live", "FunctionVersion": "1"}),
        ("get_alias", {"FunctionName": "first", "Name": "live"}),
        ("get_alias", {"FunctionName": "first", "Name": "dead"}),
        ("invoke", {"FunctionName": "first", "Qualifier": "live", "Payload": b"2"}),
        ("add_permission", grant),
        ("add_permission", grant),
        ("get_policy", {"FunctionName": "first"}),
        ("remove_permission", {"FunctionName": "first", "StatementId": "s3"}),
        ("get_policy", {"FunctionName": "first"}),
        ("list_tags", {"Resource": FUNCTION}),
        ("tag_resource", {"Resource": FUNCTION, "Tags": {"x": "y"}}),
        ("untag_resource", {"Resource": FUNCTION, "TagKeys": ["team"]}),
        (
            "put_function_concurrency",
            {"FunctionName": "first", "ReservedConcurrentExecutions": 2},
        ),
        ("get_function_concurrency", {"FunctionName": "first"}),
        ("delete_function_concurrency", {"FunctionName": "first"}),
        ("get_account_settings", {}),
        ("list_layers", {}),
        ("delete_function", {"FunctionName": "first", "Qualifier": "1"}),
        ("delete_alias", {"FunctionName": "first", "Name": "live"}),
        ("delete_function", {"FunctionName": "nobody"}),
    )


def _states() -> Iterator[Step]:
    passes = json.dumps({"StartAt": "P", "States": {"P": {"Type": "Pass", "End": True}}})
    fails = {"StartAt": "F", "States": {"F": {"Type": "Fail", "Error": "E", "Cause": "why"}}}
    machine = {"name": "first", "definition": passes, "roleArn": STATES_ROLE}
    yield from _calls(
        "stepfunctions",
        ("list_state_machines", {}),
        ("create_state_machine", machine),
        ("create_state_machine", machine),
        ("create_state_machine", {**machine, "name": "a b"}),
        ("create_state_machine", {**machine, "name": "x", "definition": "{"}),
        ("create_state_machine", {**machine, "name": "x", "definition": '{"States": {}}'}),
        ("create_state_machine", {**machine, "name": "fails", "definition": json.dumps(fails)}),
        ("create_state_machine", {**machine, "name": "express", "type": "EXPRESS"}),
        ("describe_state_machine", {"stateMachineArn": MACHINE}),
        ("describe_state_machine", {"stateMachineArn": f"{MACHINE}x"}),
        ("describe_state_machine", {"stateMachineArn": "no"}),
        (
            "start_execution",
            {"stateMachineArn": MACHINE, "name": "one", "input": '{"a": "\\u00e9"}'},
        ),
        ("start_execution", {"stateMachineArn": MACHINE, "name": "one", "input": "1"}),
        ("start_execution", {"stateMachineArn": MACHINE, "name": "a b"}),
        ("start_execution", {"stateMachineArn": MACHINE, "name": "two", "input": "{"}),
        ("start_execution", {"stateMachineArn": f"{MACHINE}x"}),
        ("describe_execution", {"executionArn": EXECUTION}, "status", "SUCCEEDED", "FAILED"),
        ("describe_execution", {"executionArn": f"{EXECUTION}x"}),
        ("describe_state_machine_for_execution", {"executionArn": EXECUTION}),
        ("get_execution_history", {"executionArn": EXECUTION}),
        ("get_execution_history", {"executionArn": EXECUTION, "reverseOrder": True}),
        ("start_execution", {"stateMachineArn": MACHINE.replace("first", "fails"), "name": "one"}),
        (
            "describe_execution",
            {"executionArn": EXECUTION.replace("first", "fails")},
            "status",
            "FAILED",
        ),
        ("list_executions", {"stateMachineArn": MACHINE}),
        ("list_executions", {"stateMachineArn": MACHINE, "statusFilter": "FAILED"}),
        ("stop_execution", {"executionArn": f"{EXECUTION}x"}),
        (
            "start_sync_execution",
            {"stateMachineArn": MACHINE.replace("first", "express"), "input": "7"},
        ),
        ("start_sync_execution", {"stateMachineArn": MACHINE}),
        ("validate_state_machine_definition", {"definition": passes}),
        ("validate_state_machine_definition", {"definition": '{"StartAt": "x", "States": {}}'}),
        ("list_map_runs", {"executionArn": EXECUTION}),
        ("describe_map_run", {"mapRunArn": "arn:aws:states:eu-west-1:1:mapRun:a/b:c"}),
        ("send_task_success", {"taskToken": "no", "output": "1"}),
        ("update_state_machine", {"stateMachineArn": MACHINE, "definition": json.dumps(fails)}),
        ("redrive_execution", {"executionArn": EXECUTION}),
        ("list_tags_for_resource", {"resourceArn": MACHINE}),
        ("create_activity", {"name": "activity"}),
        ("delete_state_machine", {"stateMachineArn": MACHINE}),
    )


TEMPLATE = {
    "Description": "a queue & its <name>",
    "Parameters": {"Name": {"Type": "String", "Default": "made", "NoEcho": False}},
    "Resources": {
        "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": {"Ref": "Name"}}}
    },
    "Outputs": {
        "Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}, "Export": {"Name": "queue-arn"}}
    },
}


def _cloudformation() -> Iterator[Step]:
    body = json.dumps(TEMPLATE)
    other = json.dumps({**TEMPLATE, "Description": "another"})
    queue = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "no blanks here"}}
    failing = json.dumps({"Resources": {"No": queue}})
    over = ("StackStatus", "CREATE_COMPLETE", "ROLLBACK_COMPLETE", "UPDATE_COMPLETE")
    named = {"StackName": "first"}
    yield from _calls(
        "cloudformation",
        ("list_stacks", {}),
        ("describe_stacks", {}),
        ("describe_stacks", {"StackName": "nobody"}),
        ("create_stack", {**named, "TemplateBody": body, "Tags": [{"Key": "a", "Value": "b"}]}),
        ("create_stack", {**named, "TemplateBody": body}),
        ("create_stack", {"StackName": "a_b", "TemplateBody": body}),
        ("create_stack", {"StackName": "x", "TemplateBody": "{"}),
        ("create_stack", {"StackName": "x", "TemplateBody": "{}"}),
        ("create_stack", {"StackName": "x"}),
        (
            "create_stack",
            {
                "StackName": "x",
                "TemplateBody": body,
                "Parameters": [{"ParameterKey": "Other", "ParameterValue": "1"}],
            },
        ),
        ("describe_stacks", named, "Stacks", *over),
        ("describe_stack_events", named),
        ("describe_stack_resources", named),
        ("describe_stack_resource", {**named, "LogicalResourceId": "Queue"}),
        ("describe_stack_resource", {**named, "LogicalResourceId": "None"}),
        ("list_stack_resources", named),
        ("get_template", named),
        ("get_template_summary", {"TemplateBody": body}),
        ("get_template_summary", named),
        ("validate_template", {"TemplateBody": body}),
        ("validate_template", {"TemplateBody": "["}),
        ("list_exports", {}),
        ("list_imports", {"ExportName": "queue-arn"}),
        ("update_stack", {**named, "TemplateBody": body}),
        (
            "create_change_set",
            {**named, "ChangeSetName": "change", "TemplateBody": other, "ChangeSetType": "UPDATE"},
        ),
        (
            "describe_change_set",
            {**named, "ChangeSetName": "change"},
            "Status",
            "CREATE_COMPLETE",
            "FAILED",
        ),
        ("describe_change_set", {**named, "ChangeSetName": "nobody"}),
        ("list_change_sets", named),
        ("get_template", {**named, "ChangeSetName": "change"}),
        ("delete_change_set", {**named, "ChangeSetName": "change"}),
        ("create_stack", {"StackName": "fails", "TemplateBody": failing}),
        ("describe_stacks", {"StackName": "fails"}, "Stacks", "ROLLBACK_COMPLETE"),
        ("describe_stack_events", {"StackName": "fails"}),
        ("list_stacks", {"StackStatusFilter": ["CREATE_COMPLETE"]}),
        (
            "update_termination_protection",
            {**named, "EnableTerminationProtection": True},
        ),
        ("delete_stack", named),
        ("get_stack_policy", named),
        ("continue_update_rollback", named),
        ("list_stack_sets", {}),
        ("detect_stack_drift", named),
        ("describe_type", {"Type": "RESOURCE", "TypeName": "AWS::SQS::Queue"}),
    )


def _emulated() -> Iterator[Step]:
    yield from _calls(
        "sts",
        ("get_caller_identity", {}),
        ("assume_role", {"RoleArn": STATES_ROLE, "RoleSessionName": "x"}),
    )
    yield from _calls(
        "iam",
        ("get_role", {"RoleName": "model"}),
        ("get_role", {"RoleName": "nobody"}),
        ("create_role", {"RoleName": "bad", "AssumeRolePolicyDocument": "{}"}),
        ("list_role_policies", {"RoleName": "model"}),
        ("create_user", {"UserName": "user"}),
        ("create_user", {"UserName": "user"}),
    )
    yield from _calls(
        "s3",
        ("list_buckets", {}),
        ("head_object", {"Bucket": "models", "Key": "nobody"}),
        ("get_object", {"Bucket": "models", "Key": "nobody"}),
        ("get_object", {"Bucket": "models", "Key": "in/a"}),
        ("list_objects_v2", {"Bucket": "models", "Prefix": "in/"}),
        ("list_objects_v2", {"Bucket": "nobody"}),
        ("get_bucket_policy", {"Bucket": "models"}),
    )
    yield from _calls(
        "sqs",
        ("create_queue", {"QueueName": "first"}),
        ("get_queue_url", {"QueueName": "nobody"}),
        ("send_message", {"QueueUrl": QUEUE, "MessageBody": "hello"}),
        ("get_queue_attributes", {"QueueUrl": QUEUE, "AttributeNames": ["QueueArn"]}),
    )
    yield from _calls(
        "sns",
        ("create_topic", {"Name": "first"}),
        ("publish", {"TopicArn": TOPIC, "Message": "hello"}),
        ("publish", {"TopicArn": f"{TOPIC}x", "Message": "hello"}),
        ("list_topics", {}),
    )
    yield from _calls(
        "ssm",
        ("put_parameter", {"Name": "/a", "Value": "1", "Type": "String"}),
        ("get_parameter", {"Name": "/a"}),
        ("get_parameter", {"Name": "/b"}),
    )
    yield from _calls("kms", ("describe_key", {"KeyId": "alias/nobody"}), ("list_keys", {}))
    yield from _calls(
        "logs",
        ("create_log_group", {"logGroupName": "group"}),
        ("create_log_group", {"logGroupName": "group"}),
        ("describe_log_streams", {"logGroupName": "nobody"}),
    )
    yield from _calls(
        "cloudwatch",
        (
            "put_metric_alarm",
            {
                "AlarmName": "alarm",
                "Namespace": "N",
                "MetricName": "M",
                "Statistic": "Sum",
                "Period": 60,
                "EvaluationPeriods": 1,
                "Threshold": 1.0,
                "ComparisonOperator": "GreaterThanThreshold",
            },
        ),
        ("describe_alarms", {"AlarmNames": ["alarm"]}),
        ("put_metric_data", {"Namespace": "N", "MetricData": [{"MetricName": "M", "Value": 1.0}]}),
        ("list_metrics", {"Namespace": "N"}),
    )
    yield from _calls(
        "events",
        ("put_rule", {"Name": "rule", "EventPattern": '{"source": ["aws.s3"]}'}),
        ("describe_rule", {"Name": "nobody"}),
        ("put_events", {"Entries": [{"Source": "s", "DetailType": "d", "Detail": "{}"}]}),
    )
    yield from _calls(
        "application-autoscaling",
        ("describe_scalable_targets", {"ServiceNamespace": "sagemaker"}),
        (
            "register_scalable_target",
            {
                "ServiceNamespace": "sagemaker",
                "ResourceId": "endpoint/nobody/variant/a",
                "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
                "MinCapacity": 1,
                "MaxCapacity": 2,
            },
        ),
    )
    yield from _calls("ecr", ("describe_repositories", {"repositoryNames": ["nobody"]}))
    yield from _calls("cloudtrail", ("lookup_events", {}))


_JSON_10 = {"Content-Type": "application/x-amz-json-1.0"}
_JSON_11 = {"Content-Type": "application/x-amz-json-1.1"}
_FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}


def _malformed() -> Iterator[Raw]:
    for body in (b"", b"{", b"[]", b"1", b'{"ModelName": 1}', b"\xff"):
        target = {"X-Amz-Target": "SageMaker.DescribeModel"}
        yield Raw(service="sagemaker", headers={**_JSON_11, **target}, body=body)
    for action in ("None", "ListModels2", ""):
        target = {"X-Amz-Target": f"SageMaker.{action}"}
        yield Raw(service="sagemaker", headers={**_JSON_11, **target}, body=b"{}")
    for body in (b"", b"{", b"[]", b'{"executionArn": 1}', b'{"executionArn": null}'):
        target = {"X-Amz-Target": "AWSStepFunctions.DescribeExecution"}
        yield Raw(service="states", headers={**_JSON_10, **target}, body=body)
    yield Raw(
        service="states",
        headers={**_JSON_10, "X-Amz-Target": "AWSStepFunctions.None"},
        body=b"{}",
    )
    for body in (
        b"",
        b"Action=None",
        b"Action=CreateStack",
        b"Action=CreateStack&StackName=x&StackName.y=1",
        b"Action=CreateStack&StackName=x&TimeoutInMinutes=many",
        b"Action=DescribeStacks&StackName=%FF",
        b"Action=ListStacks&StackStatusFilter.member.1=None",
    ):
        yield Raw(service="cloudformation", headers=_FORM, body=body)
    yield Raw(service="cloudformation", method="GET", path="/?Action=ListStacks")
    for method, path, body in (
        ("GET", "/2015-03-31/functions/first/none", b""),
        ("POST", "/2015-03-31/functions", b"{"),
        ("POST", "/2015-03-31/functions", b"[]"),
        ("POST", "/2015-03-31/functions", b"{}"),
        ("GET", "/2015-03-31/functions?MaxItems=many", b""),
        ("GET", "/2015-03-31/functions/", b""),
        ("PUT", "/1999-01-01/functions", b""),
    ):
        yield Raw(
            service="lambda",
            method=method,
            path=path,
            headers={"Content-Type": "application/json"},
            body=body,
        )
    yield Raw(service="sagemaker", path="/endpoints/first/none", body=b"x")
    yield Raw(service="sagemaker", path="/endpoints/first/invocations-response-stream", body=b"x")
    yield Raw(service="sagemaker", method="GET", path="/")
    yield Raw(service="none", headers=_JSON_11, body=b"{}")
