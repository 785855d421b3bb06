"""What exists already is taken into a stack, as it is, by an import change set."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.functions import zipped
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import TRUST, get_att, parameter, ref

Template = dict[str, Any]


def kept(type_name: str, **properties: Any) -> Template:
    return {"Type": f"AWS::{type_name}", "DeletionPolicy": "Retain", "Properties": properties}


def begin(aws: Aws, name: str, template: Template, *taken: tuple[str, dict[str, str]]) -> None:
    """Create an import change set of resources, by logical id and identifier, and execute it."""
    client = aws.cloudformation
    client.create_change_set(
        StackName=name,
        ChangeSetName="taking",
        ChangeSetType="IMPORT",
        TemplateBody=json.dumps(template),
        Capabilities=["CAPABILITY_NAMED_IAM"],
        ResourcesToImport=[
            {
                "ResourceType": template["Resources"].get(logical_id, {}).get("Type", "AWS::X::Y"),
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": identifier,
            }
            for logical_id, identifier in taken
        ],
    )
    client.execute_change_set(StackName=name, ChangeSetName="taking")


def bucket(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("s3")
    where = {"LocationConstraint": "eu-west-1"}
    client.create_bucket(Bucket="taken-bucket", CreateBucketConfiguration=where)
    versioning = {"VersioningConfiguration": {"Status": "Enabled"}}
    template = kept("S3::Bucket", BucketName="taken-bucket", **versioning)
    return (
        template,
        {"BucketName": "taken-bucket"},
        lambda: client.get_bucket_versioning(Bucket="taken-bucket").get("Status"),
    )


def queue(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("sqs")
    url = client.create_queue(QueueName="taken", Attributes={"DelaySeconds": "7"})["QueueUrl"]
    template = kept("SQS::Queue", QueueName="taken", DelaySeconds=9)
    return (
        template,
        {"QueueUrl": url},
        lambda: client.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])[
            "Attributes"
        ],
    )


def table(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("dynamodb")
    keys = {
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    client.create_table(TableName="taken", **keys)
    template = kept("DynamoDB::Table", TableName="taken", DeletionProtectionEnabled=True, **keys)
    return (
        template,
        {"TableName": "taken"},
        lambda: client.describe_table(TableName="taken")["Table"]["DeletionProtectionEnabled"],
    )


def role(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("iam")
    client.create_role(RoleName="taken", AssumeRolePolicyDocument=json.dumps(TRUST))
    described = {"RoleName": "taken", "Description": "another", "AssumeRolePolicyDocument": TRUST}
    return (
        kept("IAM::Role", **described),
        {"RoleName": "taken"},
        lambda: client.get_role(RoleName="taken")["Role"].get("Description"),
    )


def function(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("lambda")
    name = "taken-by-lambda"
    trust = json.dumps(TRUST).replace("sagemaker", "lambda")
    arn = aws.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)
    given = {
        "FunctionName": "taken",
        "Runtime": "python3.12",
        "Handler": "index.handler",
        "Role": arn["Role"]["Arn"],
    }
    client.create_function(
        **given, Code={"ZipFile": zipped({"index.py": "def handler(event, context): ..."})}
    )
    template = kept("Lambda::Function", **given, Timeout=9, Code={"ZipFile": "def handler(): ..."})
    return (
        template,
        {"FunctionName": "taken"},
        lambda: client.get_function_configuration(FunctionName="taken")["Timeout"],
    )


def log_group(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("logs")
    client.create_log_group(logGroupName="taken")
    return (
        kept("Logs::LogGroup", LogGroupName="taken", RetentionInDays=7),
        {"LogGroupName": "taken"},
        lambda: client.describe_log_groups()["logGroups"][0].get("retentionInDays"),
    )


def topic(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("sns")
    arn = client.create_topic(Name="taken")["TopicArn"]
    return (
        kept("SNS::Topic", TopicName="taken", DisplayName="another"),
        {"TopicArn": arn},
        lambda: client.get_topic_attributes(TopicArn=arn)["Attributes"].get("DisplayName"),
    )


def ssm_parameter(aws: Aws) -> tuple[Template, dict[str, str], Callable[[], Any]]:
    client = aws.client("ssm")
    client.put_parameter(Name="/taken", Type="String", Value="1")
    return (
        kept("SSM::Parameter", Name="/taken", Type="String", Value="2"),
        {"Name": "/taken"},
        lambda: client.get_parameter(Name="/taken")["Parameter"]["Value"],
    )


@pytest.mark.parametrize(
    "made",
    [bucket, queue, table, role, function, log_group, topic, ssm_parameter],
    ids=lambda made: made.__name__,
)
def test_what_exists_is_taken_in_and_not_changed(aws: Aws, made: Callable[..., Any]) -> None:
    wanted, identifier, look = made(aws)
    name = f"Takes-{made.__name__}".replace("_", "-")
    before = look()

    begin(aws, name, {"Resources": {"Taken": wanted}}, ("Taken", identifier))

    assert aws.done(name)["StackStatus"] == "IMPORT_COMPLETE"
    (physical_id,) = identifier.values()
    assert aws.physical_ids(name) == {"Taken": physical_id}
    assert look() == before
    attribute = get_att("Taken", "TopicArn" if made is topic else "Arn")
    shown = {
        "Resources": {"Taken": wanted},
        "Outputs": {"Arn": {"Value": ref("Taken") if made is ssm_parameter else attribute}},
    }
    assert aws.update(name, shown)["StackStatus"] == "UPDATE_COMPLETE"
    assert "taken" in aws.outputs(name)["Arn"]
    assert look() == before
    aws.delete(name)
    assert look() == before


def test_a_stack_takes_in_what_lies_beside_its_own(aws: Aws) -> None:
    aws.create("Growing", {"Resources": {"Own": parameter()}})
    url = aws.client("sqs").create_queue(QueueName="beside")["QueueUrl"]
    grown = {"Own": parameter(), "Queue": kept("SQS::Queue", QueueName="beside")}

    begin(aws, "Growing", {"Resources": grown}, ("Queue", {"QueueUrl": url}))

    assert aws.done("Growing")["StackStatus"] == "IMPORT_COMPLETE"
    assert aws.history("Growing")[-4:] == [
        ("Growing", "IMPORT_IN_PROGRESS"),
        ("Queue", "IMPORT_IN_PROGRESS"),
        ("Queue", "IMPORT_COMPLETE"),
        ("Growing", "IMPORT_COMPLETE"),
    ]
    (change_set,) = aws.kept("Growing").change_sets.values()
    assert change_set.execution_status == "EXECUTE_COMPLETE"
    (change,) = [each["ResourceChange"] for each in change_set.changes]
    assert (change["Action"], change["PhysicalResourceId"]) == ("Import", url)
    with pytest.raises(ClientError, match="is managed already by stack Growing"):
        begin(aws, "Other", {"Resources": grown}, ("Queue", {"QueueUrl": url}))


def test_an_import_that_fails_leaves_all_as_it_was(aws: Aws) -> None:
    aws.create("Stays", {"Resources": {"Own": parameter()}})
    url = aws.client("sqs").create_queue(QueueName="stays")["QueueUrl"]
    wanted = {
        "Own": parameter(),
        "Queue": kept("SQS::Queue", QueueName="stays"),
        "None": kept("SNS::Topic", TopicName="none", Tags=[{"Key": "a", "Value": ref("Queue")}]),
    }
    none = "arn:aws:sns:eu-west-1:123456789012:none"

    begin(
        aws,
        "Stays",
        {"Resources": wanted},
        ("Queue", {"QueueUrl": url}),
        ("None", {"TopicArn": none}),
    )

    stack = aws.done("Stays")
    assert stack["StackStatus"] == "IMPORT_ROLLBACK_COMPLETE"
    reasons = [each.get("ResourceStatusReason") for each in aws.events("Stays")]
    assert "The following resource(s) failed to import: [None]. " in reasons
    assert list(aws.physical_ids("Stays")) == ["Own"]
    aws.client("sqs").get_queue_url(QueueName="stays")
    changed = aws.update("Stays", {"Resources": {"Own": parameter("2")}})
    assert changed["StackStatus"] == "UPDATE_COMPLETE"


@pytest.mark.parametrize(
    ("template", "identifier", "message"),
    [
        (
            {"Resources": {"Taken": kept("SageMaker::Endpoint", EndpointConfigName="config")}},
            {"EndpointArn": "arn"},
            "The following resource types are not supported for resource import: "
            "AWS::SageMaker::Endpoint",
        ),
        (
            {"Resources": {"Taken": {"Type": "AWS::SQS::Queue"}}},
            {"QueueUrl": "url"},
            "The following resources to import [Taken] must have DeletionPolicy attribute "
            "specified in the template.",
        ),
        (
            {"Resources": {"Taken": kept("SQS::Queue"), "Other": parameter()}},
            {"QueueUrl": "url"},
            "You have modified resources [Other] in your template that are not being imported. "
            "Update, create or delete operations cannot be executed during import operations.",
        ),
        (
            {"Resources": {"Taken": kept("SQS::Queue")}, "Outputs": {"A": {"Value": "a"}}},
            {"QueueUrl": "url"},
            "As part of the import operation, you cannot modify or add [Outputs]",
        ),
        (
            {"Resources": {"Taken": kept("SQS::Queue")}},
            {"QueueName": "name"},
            "Resource Taken: AWS::SQS::Queue is identified by QueueUrl, not by QueueName",
        ),
        (
            {"Resources": {"Taken": kept("ECR::Repository")}},
            {"RepositoryName": "name"},
            "Resource Taken: the local AWS cannot import AWS::ECR::Repository",
        ),
    ],
    ids=["type", "policy", "others", "outputs", "identifier", "not here"],
)
def test_what_cannot_be_imported_is_refused_before_anything_is_taken(
    aws: Aws, template: Template, identifier: dict[str, str], message: str
) -> None:
    with pytest.raises(ClientError) as raised:
        begin(aws, "Refused", template, ("Taken", identifier))
    assert raised.value.response["Error"] == {
        "Code": "ValidationError",
        "Message": message,
        "Type": "Sender",
    }
    with pytest.raises(ClientError, match="does not exist"):
        aws.stack("Refused")


def test_a_template_says_by_what_its_importable_resources_are_identified(aws: Aws) -> None:
    resources = {
        "Queue": {"Type": "AWS::SQS::Queue"},
        "Permission": {"Type": "AWS::Lambda::Permission"},
        "Endpoint": {"Type": "AWS::SageMaker::Endpoint"},
    }
    summary = aws.cloudformation.get_template_summary(
        TemplateBody=json.dumps({"Resources": resources})
    )
    found = {
        each["ResourceType"]: each["ResourceIdentifiers"]
        for each in summary["ResourceIdentifierSummaries"]
    }
    assert found == {
        "AWS::SQS::Queue": ["QueueUrl"],
        "AWS::Lambda::Permission": ["FunctionName,Id"],
    }
