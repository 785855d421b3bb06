"""Which actions on which resources a call needs, service by service."""

from __future__ import annotations

import re
from typing import Any

import boto3
import botocore.session
import pytest
from botocore.model import StructureShape
from moto import mock_aws
from moto.backends import get_backend

from local_aws.permissions.reference import reference
from local_aws.permissions.service import permissions_of
from local_aws.protocol.call import Call
from local_aws.services.s3.policy import S3Permissions
from local_aws.web.permissions import PathPermissions
from tests.local_aws.known import permissions

ACCOUNT, REGION = "123456789012", "eu-west-1"


def needs(service: str, operation: str, parameters: dict[str, Any]) -> list[tuple[str, str]]:
    call = Call(
        service=service, operation=operation, account=ACCOUNT, region=REGION, parameters=parameters
    )
    own = permissions_of(service, permissions())
    return [(need.action, need.resource) for need in own.needs(call)]


def arn(service: str, rest: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}"


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "action", "resources"),
    [
        ("sagemaker", "CreateEndpoint", {"EndpointName": "E", "EndpointConfigName": "C"},
         "sagemaker:CreateEndpoint",
         [arn("sagemaker", "endpoint/e"), arn("sagemaker", "endpoint-config/c")]),
        ("sagemaker", "CreateInferenceComponent",
         {"InferenceComponentName": "C", "EndpointName": "E"}, "sagemaker:CreateInferenceComponent",
         [arn("sagemaker", "inference-component/c"), arn("sagemaker", "endpoint/e")]),
        ("sagemaker", "ListModels", {}, "sagemaker:ListModels", ["*"]),
        ("ec2", "CreateSubnet", {"VpcId": "vpc-0123456789abcdef0", "CidrBlock": "10.0.0.0/24"},
         "ec2:CreateSubnet", [arn("ec2", "subnet/*"), arn("ec2", "vpc/vpc-0123456789abcdef0")]),
        ("lambda", "Invoke", {"FunctionName": "f:live"}, "lambda:InvokeFunction",
         [arn("lambda", "function:f:live")]),
        ("lambda", "Invoke", {"FunctionName": arn("lambda", "function:f")}, "lambda:InvokeFunction",
         [arn("lambda", "function:f")]),
        ("sqs", "SendMessageBatch", {"QueueUrl": "http://localhost:1/123456789012/q"},
         "sqs:SendMessage", [arn("sqs", "q")]),
        ("events", "PutEvents", {"Entries": [{"Source": "a"}, {"EventBusName": "own"}]},
         "events:PutEvents", [arn("events", "event-bus/default"), arn("events", "event-bus/own")]),
        ("events", "PutTargets", {"Rule": "r", "EventBusName": "own"}, "events:PutTargets",
         [arn("events", "rule/own/r")]),
        ("dynamodb", "Query", {"TableName": "t", "IndexName": "i"}, "dynamodb:Query",
         [arn("dynamodb", "table/t/index/i")]),
        ("dynamodb", "TransactWriteItems",
         {"TransactItems": [{"Put": {"TableName": "a"}}, {"Delete": {"TableName": "a"}}]},
         "dynamodb:TransactWriteItems", [arn("dynamodb", "table/a")]),
        ("ssm", "GetParameters", {"Names": ["/a/b", "c"]}, "ssm:GetParameters",
         [arn("ssm", "parameter/a/b"), arn("ssm", "parameter/c")]),
        ("logs", "DescribeLogStreams", {"logGroupName": "/g"}, "logs:DescribeLogStreams",
         [arn("logs", "log-group:/g:log-stream:")]),
        ("ecr", "DescribeRepositories", {}, "ecr:DescribeRepositories",
         [arn("ecr", "repository/*")]),
        ("sns", "Unsubscribe",
         {"SubscriptionArn": arn("sns", "t:8a21d249-4329-4871-acc6-7be709c6ea7f")},
         "sns:Unsubscribe", [arn("sns", "t")]),
        ("sns", "Publish", {"PhoneNumber": "+4930123456"}, "sns:Publish", ["*"]),
        ("athena", "ListWorkGroups", {}, "athena:ListWorkGroups", ["*"]),
    ],
)  # fmt: skip
def test_a_call_needs_its_action_on_what_it_names(
    service: str, operation: str, parameters: dict[str, Any], action: str, resources: list[str]
) -> None:
    assert needs(service, operation, parameters) == [(action, each) for each in resources]


def test_what_iam_made_below_a_path_is_known_by_it() -> None:
    iam = get_backend("iam")[ACCOUNT]["aws"]
    made = iam.create_user(REGION, "below-a-path", "/team/")
    try:
        assert needs("iam", "DeleteUser", {"UserName": "below-a-path"}) == [
            ("iam:DeleteUser", made.arn)
        ]
    finally:
        iam.delete_user("below-a-path")
    assert needs("iam", "CreateRole", {"RoleName": "r", "Path": "/team/"}) == [
        ("iam:CreateRole", "arn:aws:iam::123456789012:role/team/r")
    ]


@pytest.mark.parametrize("service", sorted(permissions()))
def test_no_call_is_judged_on_what_its_action_does_not_know(service: str) -> None:
    """By the service authorization reference: ``*`` where it knows no resources, its own kinds
    where the call names one, and ARNs of their forms."""
    own = permissions()[service]
    actions, known = (reference(own.prefix).get(name, {}) for name in ("Actions", "Resources"))
    model = botocore.session.get_session().get_service_model(service)
    wrong = []
    for operation in model.operation_names:
        kinds = actions.get(own.actions.get(operation, operation).lower(), {}).get("Resources")
        if kinds is None or isinstance(own, PathPermissions | S3Permissions):
            continue
        shape = model.operation_model(operation).input_shape
        given = {} if shape is None else _all_texts(shape)
        judged = [resource for action, resource in needs(service, operation, given)]
        forms = [each for kind in kinds for each in known.get(kind, {}).get("ARNFormats", ())]
        if forms and any(each != "*" and not _has_a_form(each, forms) for each in judged):
            wrong.append((operation, judged))
        if not kinds and judged != ["*"]:
            wrong.append((operation, judged))
        said = any(kind.replace("-", "").lower() in operation.lower() for kind in kinds)
        if said and len(kinds) == 1 and judged == ["*"]:
            wrong.append((operation, judged))
    assert wrong == []


def _has_a_form(resource: str, forms: list[str]) -> bool:
    """Whether an ARN is of one of the reference's forms, ``arn:${Partition}:iam::…:role/.*``."""
    patterns = (".*".join(map(re.escape, re.split(r"\$\{\w+\}|\.?\*", form))) for form in forms)
    return any(re.fullmatch(each, resource, re.IGNORECASE) for each in patterns)


def _all_texts(shape: StructureShape) -> dict[str, Any]:
    """Every text and every list of texts that a call may have, all the same."""
    texts = {name: "x" for name, each in shape.members.items() if each.type_name == "string"}
    lists = (name for name, each in shape.members.items() if each.type_name == "list")
    simple = (name for name in lists if shape.members[name].member.type_name == "string")
    return {**texts, **{name: ["x"] for name in simple}}


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


@pytest.mark.parametrize(
    ("service", "prefix"), [("opensearch", "es"), ("bedrock-runtime", "bedrock"), ("sesv2", "ses")]
)
def test_a_service_that_is_not_offered_has_the_actions_of_its_signing_name(
    service: str, prefix: str
) -> None:
    assert permissions_of(service, {}).prefix == prefix
