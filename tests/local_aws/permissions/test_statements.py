"""The statement that a call needs: refused without it in the service's words, let pass with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal


def error_of(call: Callable[..., Any], parameters: dict[str, Any]) -> str:
    """What a call fails with; "" when it does not. What it is about need not be there."""
    try:
        call(**parameters)
    except ClientError as error:
        return str(error)
    return ""


CALLS: list[tuple[str, str, dict[str, Any], str, str, int, str]] = [
    ("sagemaker", "create_transform_job",
     {"TransformJobName": "Job", "ModelName": "m",
      "TransformInput": {"DataSource": {"S3DataSource": {"S3DataType": "S3Prefix",
      "S3Uri": "s3://a/b"}}}, "TransformOutput": {"S3OutputPath": "s3://a/b"},
      "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1}},
     "sagemaker:CreateTransformJob", f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:transform-job/job", 400,
     "AccessDeniedException"),
    ("sagemaker-runtime", "invoke_endpoint", {"EndpointName": "E", "Body": b"x"},
     "sagemaker:InvokeEndpoint", f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/e", 403,
     "AccessDeniedException"),
    ("stepfunctions", "start_execution",
     {"stateMachineArn": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:m"},
     "states:StartExecution", f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:m", 400,
     "AccessDeniedException"),
    ("lambda", "invoke", {"FunctionName": "f"}, "lambda:InvokeFunction",
     f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:f", 403, "AccessDeniedException"),
    ("sns", "publish", {"TopicArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:t", "Message": "m"},
     "sns:Publish", f"arn:aws:sns:{REGION}:{ACCOUNT}:t", 403, "AuthorizationError"),
    ("sqs", "send_message", {"QueueUrl": f"http://localhost/{ACCOUNT}/q", "MessageBody": "m"},
     "sqs:SendMessage", f"arn:aws:sqs:{REGION}:{ACCOUNT}:q", 403, "AccessDenied"),
    ("logs", "put_log_events",
     {"logGroupName": "/g", "logStreamName": "s", "logEvents": [{"timestamp": 1, "message": "m"}]},
     "logs:PutLogEvents", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/g:log-stream:s", 400,
     "AccessDeniedException"),
    ("cloudwatch", "put_metric_data",
     {"Namespace": "n", "MetricData": [{"MetricName": "m", "Value": 1}]},
     "cloudwatch:PutMetricData", "*", 403, "AccessDenied"),
    ("cloudwatch", "describe_alarms", {"AlarmNames": ["prod-digits-errors"]},
     "cloudwatch:DescribeAlarms", f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:*", 403,
     "AccessDenied"),
    ("ssm", "get_parameter", {"Name": "/a/b"}, "ssm:GetParameter",
     f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter/a/b", 400, "AccessDeniedException"),
    ("events", "put_rule", {"Name": "r", "ScheduleExpression": "rate(1 day)"}, "events:PutRule",
     f"arn:aws:events:{REGION}:{ACCOUNT}:rule/r", 400, "AccessDeniedException"),
    ("scheduler", "get_schedule", {"Name": "s", "GroupName": "g"}, "scheduler:GetSchedule",
     f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/g/s", 403, "AccessDeniedException"),
    ("ecr", "batch_get_image", {"repositoryName": "own", "imageIds": [{"imageTag": "t"}]},
     "ecr:BatchGetImage", f"arn:aws:ecr:{REGION}:{ACCOUNT}:repository/own", 400,
     "AccessDeniedException"),
    ("dynamodb", "get_item", {"TableName": "t", "Key": {"k": {"S": "v"}}}, "dynamodb:GetItem",
     f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/t", 400, "AccessDeniedException"),
    ("ec2", "describe_vpcs", {}, "ec2:DescribeVpcs", "*", 403, "UnauthorizedOperation"),
    ("iam", "get_role", {"RoleName": "r"}, "iam:GetRole", f"arn:aws:iam::{ACCOUNT}:role/r", 403,
     "AccessDenied"),
    ("cloudformation", "describe_stacks", {"StackName": "s"}, "cloudformation:DescribeStacks",
     f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/s/*", 403, "AccessDenied"),
]  # fmt: skip


each_call = pytest.mark.parametrize(
    ("service", "operation", "parameters", "action", "resource", "status", "code"),
    CALLS,
    ids=[call[3] for call in CALLS],
)


@each_call
def test_a_call_without_a_statement_is_refused_in_the_services_words(
    nobody: Caller,
    service: str,
    operation: str,
    parameters: dict[str, Any],
    action: str,
    resource: str,
    status: int,
    code: str,
) -> None:
    assert refusal(getattr(nobody.client(service), operation), **parameters) == (
        status,
        code,
        f"User: {nobody.session.arn} is not authorized to perform: {action} on resource: "
        f"{resource} because no identity-based policy allows the {action} action",
    )


@each_call
def test_the_statement_for_it_lets_the_call_pass(
    aws: Aws,
    service: str,
    operation: str,
    parameters: dict[str, Any],
    action: str,
    resource: str,
    status: int,
    code: str,
) -> None:
    caller = Caller(aws, allow(action, resource))
    assert "not authorized" not in error_of(getattr(caller.client(service), operation), parameters)


S3_CALLS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("get_object", {"Key": "model.tar.gz"}, {"s3:GetObject": "/model.tar.gz"}),
    ("put_object", {"Key": "k"}, {"s3:PutObject": "/k"}),
    ("put_object", {"Key": "k", "Tagging": "a=b"},
     {"s3:PutObject": "/k", "s3:PutObjectTagging": "/k"}),
    ("delete_object", {"Key": "k"}, {"s3:DeleteObject": "/k"}),
    ("list_objects_v2", {"Prefix": "x"}, {"s3:ListBucket": ""}),
    ("list_objects", {}, {"s3:ListBucket": ""}),
    ("list_object_versions", {}, {"s3:ListBucketVersions": ""}),
    ("get_bucket_location", {}, {"s3:GetBucketLocation": ""}),
    ("get_bucket_encryption", {}, {"s3:GetEncryptionConfiguration": ""}),
    ("create_multipart_upload", {"Key": "k"}, {"s3:PutObject": "/k"}),
    ("list_multipart_uploads", {}, {"s3:ListBucketMultipartUploads": ""}),
    ("copy_object", {"Key": "copy", "CopySource": "models/model.tar.gz"},
     {"s3:PutObject": "/copy", "s3:GetObject": "/model.tar.gz"}),
    ("delete_objects", {"Delete": {"Objects": [{"Key": "one"}, {"Key": "two/a b"}]}},
     {"s3:DeleteObject": "/*"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "parameters", "needed"),
    S3_CALLS,
    ids=[f"{call[0]}-{number}" for number, call in enumerate(S3_CALLS)],
)
def test_s3_needs_each_of_its_actions(
    aws: Aws, operation: str, parameters: dict[str, Any], needed: dict[str, str]
) -> None:
    statements = [allow(action, f"arn:aws:s3:::models{key}") for action, key in needed.items()]
    for missing, (action, key) in enumerate(needed.items()):
        caller = Caller(aws, *(statements[:missing] + statements[missing + 1 :]))
        status, code, message = refusal(
            getattr(caller.client("s3"), operation), Bucket="models", **parameters
        )
        assert (status, code) == (403, "AccessDenied")
        assert f"is not authorized to perform: {action} on resource: " in message
        assert f'"arn:aws:s3:::models{key.rstrip("*")}' in message
    call = getattr(Caller(aws, *statements).client("s3"), operation)
    assert "AccessDenied" not in error_of(call, {"Bucket": "models", **parameters})
