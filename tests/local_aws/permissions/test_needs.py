"""Which actions on which resources a call needs, service by service."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import boto3
import pytest
from moto import mock_aws

from local_aws.permissions.service import permissions_of
from local_aws.protocol.call import Call
from tests.local_aws.known import permissions

ACCOUNT, REGION = "123456789012", "eu-west-1"


def needs(service: str, operation: str, parameters: dict[str, Any]) -> list[tuple[str, str]]:
    call = Call(service=service, operation=operation, region=REGION, parameters=parameters)
    own = permissions_of(service, permissions())
    return [(need.action, need.resource) for need in own.needs(call, ACCOUNT)]


def arn(service: str, rest: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}"


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "action", "resources"),
    [
        (
            "sagemaker",
            "CreateEndpoint",
            {"EndpointName": "E", "EndpointConfigName": "C"},
            "sagemaker:CreateEndpoint",
            [arn("sagemaker", "endpoint/e"), arn("sagemaker", "endpoint-config/c")],
        ),
        (
            "sagemaker",
            "UpdateEndpointWeightsAndCapacities",
            {"EndpointName": "e"},
            "sagemaker:UpdateEndpointWeightsAndCapacities",
            [arn("sagemaker", "endpoint/e")],
        ),
        (
            "sagemaker",
            "DescribeCompilationJob",
            {"CompilationJobName": "c"},
            "sagemaker:DescribeCompilationJob",
            [arn("sagemaker", "compilation-job/c")],
        ),
        (
            "sagemaker",
            "CreateInferenceComponent",
            {"InferenceComponentName": "C", "EndpointName": "E"},
            "sagemaker:CreateInferenceComponent",
            [arn("sagemaker", "inference-component/c"), arn("sagemaker", "endpoint/e")],
        ),
        (
            "sagemaker",
            "UpdateInferenceComponentRuntimeConfig",
            {"InferenceComponentName": "c"},
            "sagemaker:UpdateInferenceComponentRuntimeConfig",
            [arn("sagemaker", "inference-component/c")],
        ),
        ("sagemaker", "ListModels", {}, "sagemaker:ListModels", ["*"]),
        (
            "ec2",
            "RevokeSecurityGroupEgress",
            {"GroupId": "sg-0123456789abcdef0", "IpPermissions": []},
            "ec2:RevokeSecurityGroupEgress",
            [arn("ec2", "security-group/sg-0123456789abcdef0")],
        ),
        (
            "ec2",
            "CreateSubnet",
            {"VpcId": "vpc-0123456789abcdef0", "CidrBlock": "10.0.0.0/24"},
            "ec2:CreateSubnet",
            [arn("ec2", "subnet/*"), arn("ec2", "vpc/vpc-0123456789abcdef0")],
        ),
        (
            "ec2",
            "DescribeSubnets",
            {"SubnetIds": ["subnet-0123456789abcdef0"]},
            "ec2:DescribeSubnets",
            ["*"],
        ),
        (
            "stepfunctions",
            "CreateStateMachine",
            {"name": "m"},
            "states:CreateStateMachine",
            [arn("states", "stateMachine:m")],
        ),
        (
            "lambda",
            "Invoke",
            {"FunctionName": "f:live"},
            "lambda:InvokeFunction",
            [arn("lambda", "function:f:live")],
        ),
        (
            "lambda",
            "Invoke",
            {"FunctionName": arn("lambda", "function:f")},
            "lambda:InvokeFunction",
            [arn("lambda", "function:f")],
        ),
        (
            "sqs",
            "SendMessageBatch",
            {"QueueUrl": "http://localhost:1/123456789012/q"},
            "sqs:SendMessage",
            [arn("sqs", "q")],
        ),
        (
            "events",
            "PutEvents",
            {"Entries": [{"Source": "a"}, {"EventBusName": "own"}]},
            "events:PutEvents",
            [arn("events", "event-bus/default"), arn("events", "event-bus/own")],
        ),
        (
            "events",
            "PutTargets",
            {"Rule": "r", "EventBusName": "own"},
            "events:PutTargets",
            [arn("events", "rule/own/r")],
        ),
        (
            "dynamodb",
            "Query",
            {"TableName": "t", "IndexName": "i"},
            "dynamodb:Query",
            [arn("dynamodb", "table/t/index/i")],
        ),
        (
            "dynamodb",
            "BatchGetItem",
            {"RequestItems": {"a": {}, "b": {}}},
            "dynamodb:BatchGetItem",
            [arn("dynamodb", "table/a"), arn("dynamodb", "table/b")],
        ),
        (
            "dynamodb",
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "a"}}, {"Delete": {"TableName": "a"}}]},
            "dynamodb:TransactWriteItems",
            [arn("dynamodb", "table/a")],
        ),
        (
            "ssm",
            "GetParameters",
            {"Names": ["/a/b", "c"]},
            "ssm:GetParameters",
            [arn("ssm", "parameter/a/b"), arn("ssm", "parameter/c")],
        ),
        (
            "logs",
            "CreateLogGroup",
            {"logGroupName": "/g"},
            "logs:CreateLogGroup",
            [arn("logs", "log-group:/g")],
        ),
        (
            "logs",
            "DescribeLogStreams",
            {"logGroupName": "/g"},
            "logs:DescribeLogStreams",
            [arn("logs", "log-group:/g:log-stream:")],
        ),
        (
            "kinesis",
            "GetRecords",
            {"ShardIterator": b64encode(b"clicks:shardId-000000000000:0").decode()},
            "kinesis:GetRecords",
            ["arn:aws:kinesis:eu-west-1:123456789012:stream/clicks"],
        ),
        (
            "ecr",
            "DescribeRepositories",
            {"repositoryNames": ["a", "b"]},
            "ecr:DescribeRepositories",
            [f"arn:aws:ecr:eu-west-1:123456789012:repository/{name}" for name in "ab"],
        ),
        ("ecr", "DescribeRepositories", {}, "ecr:DescribeRepositories", ["*"]),
        ("athena", "ListWorkGroups", {}, "athena:ListWorkGroups", ["*"]),
    ],
)
def test_a_call_needs_its_action_on_what_it_names(
    service: str, operation: str, parameters: dict[str, Any], action: str, resources: list[str]
) -> None:
    assert needs(service, operation, parameters) == [(action, each) for each in resources]


def test_a_secret_is_known_by_its_own_arn() -> None:
    with mock_aws():
        client = boto3.client("secretsmanager", region_name=REGION)
        made = client.create_secret(Name="password", SecretString="x")["ARN"]
        assert needs("secretsmanager", "GetSecretValue", {"SecretId": "password"}) == [
            ("secretsmanager:GetSecretValue", made)
        ]


@pytest.mark.parametrize(
    ("tags", "actions"),
    [
        ([{"Key": "a", "Value": "b"}], ["sagemaker:CreateTransformJob", "sagemaker:AddTags"]),
        ([], ["sagemaker:CreateTransformJob"]),
    ],
)
def test_what_sagemaker_makes_with_tags_needs_to_be_tagged(
    tags: list[dict[str, str]], actions: list[str]
) -> None:
    job = arn("sagemaker", "transform-job/j")
    given = {"TransformJobName": "J", "Tags": tags}
    assert needs("sagemaker", "CreateTransformJob", given) == [(each, job) for each in actions]
