"""What exists already is taken into a stack, as it is, by an import change set."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Existing:
    """What is there already by ``make``, and a template that says something else of it.

    ``by`` is its identifier's name, ``shown`` reads in what the two differ, ``arn`` is the
    attribute that is its ARN.
    """

    service: str
    make: Callable[[Any], Any]
    wanted: Template
    by: str
    shown: Callable[[Any, str], Any]
    arn: str | None = "Arn"


ROLE = "arn:aws:iam::123456789012:role/taken-by-lambda"
PLACE = {"LocationConstraint": "eu-west-1"}
TABLE: dict[str, Any] = {
    "TableName": "taken",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
FUNCTION = {
    "FunctionName": "taken",
    "Runtime": "python3.12",
    "Handler": "index.handler",
    "Role": ROLE,
}
SOURCE = "def handler(event, context): ..."
EXISTING = (
    Existing("s3", lambda s3: s3.create_bucket(Bucket="taken", CreateBucketConfiguration=PLACE),
     kept("S3::Bucket", BucketName="taken", VersioningConfiguration={"Status": "Enabled"}),
     "BucketName", lambda s3, _: s3.get_bucket_versioning(Bucket="taken").get("Status")),
    Existing("sqs",
     lambda sqs: sqs.create_queue(QueueName="taken", Attributes={"DelaySeconds": "7"}),
     kept("SQS::Queue", QueueName="taken", DelaySeconds=9), "QueueUrl", lambda sqs,
     url: sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["DelaySeconds"])["Attributes"]),
    Existing("dynamodb", lambda dynamodb: dynamodb.create_table(**TABLE),
     kept("DynamoDB::Table", **TABLE, DeletionProtectionEnabled=True), "TableName", lambda dynamodb,
     name: dynamodb.describe_table(TableName=name)["Table"]["DeletionProtectionEnabled"]),
    Existing("iam",
     lambda iam: iam.create_role(RoleName="taken", AssumeRolePolicyDocument=json.dumps(TRUST)),
     kept("IAM::Role", RoleName="taken", Description="other", AssumeRolePolicyDocument=TRUST),
     "RoleName", lambda iam, name: iam.get_role(RoleName=name)["Role"].get("Description")),
    Existing("lambda",
     lambda api: api.create_function(**FUNCTION, Code={"ZipFile": zipped({"index.py": SOURCE})}),
     kept("Lambda::Function", **FUNCTION, Timeout=9, Code={"ZipFile": "def handler(): ..."}),
     "FunctionName", lambda api,
     name: api.get_function_configuration(FunctionName=name)["Timeout"]),
    Existing("logs", lambda logs: logs.create_log_group(logGroupName="taken"),
     kept("Logs::LogGroup", LogGroupName="taken", RetentionInDays=7), "LogGroupName", lambda logs,
     _: logs.describe_log_groups()["logGroups"][0].get("retentionInDays")),
    Existing("sns", lambda sns: sns.create_topic(Name="taken"),
     kept("SNS::Topic", TopicName="taken", DisplayName="another"), "TopicArn", lambda sns,
     arn: sns.get_topic_attributes(TopicArn=arn)["Attributes"].get("DisplayName"), arn="TopicArn"),
    Existing("ssm", lambda ssm: ssm.put_parameter(Name="taken", Type="String", Value="1"),
     kept("SSM::Parameter", Name="taken", Type="String", Value="2"), "Name", lambda ssm,
     name: ssm.get_parameter(Name=name)["Parameter"]["Value"], arn=None),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _role(aws: Aws) -> None:
    trust = json.dumps(TRUST).replace("sagemaker", "lambda")
    aws.client("iam").create_role(RoleName="taken-by-lambda", AssumeRolePolicyDocument=trust)


@pytest.mark.parametrize("existing", EXISTING, ids=lambda each: each.service)
def test_what_exists_is_taken_in_and_not_changed(aws: Aws, existing: Existing) -> None:
    client = aws.client(existing.service)
    made, wanted, name = existing.make(client), existing.wanted, f"Takes-{existing.service}"
    physical_id = made.get(existing.by, "taken")
    before = existing.shown(client, physical_id)

    begin(aws, name, {"Resources": {"Taken": wanted}}, ("Taken", {existing.by: physical_id}))

    assert aws.done(name)["StackStatus"] == "IMPORT_COMPLETE"
    assert aws.physical_ids(name) == {"Taken": physical_id}
    assert existing.shown(client, physical_id) == before
    value = ref("Taken") if existing.arn is None else get_att("Taken", existing.arn)
    shown = {"Resources": {"Taken": wanted}, "Outputs": {"Arn": {"Value": value}}}
    assert aws.update(name, shown)["StackStatus"] == "UPDATE_COMPLETE"
    assert "taken" in aws.outputs(name)["Arn"]
    assert existing.shown(client, physical_id) == before
    aws.delete(name)
    assert existing.shown(client, physical_id) == before


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
        ({"Resources": {"Taken": kept("SageMaker::Endpoint", EndpointConfigName="config")}},
         {"EndpointArn": "arn"},
         "The following resource types are not supported for resource import: "
         "AWS::SageMaker::Endpoint"),
        ({"Resources": {"Taken": {"Type": "AWS::SQS::Queue"}}}, {"QueueUrl": "url"},
         "The following resources to import [Taken] must have DeletionPolicy attribute specified "
         "in the template."),
        ({"Resources": {"Taken": kept("SQS::Queue"), "Other": parameter()}}, {"QueueUrl": "url"},
         "You have modified resources [Other] in your template that are not being imported. "
         "Update, create or delete operations cannot be executed during import operations."),
        ({"Resources": {"Taken": kept("SQS::Queue")}, "Outputs": {"A": {"Value": "a"}}},
         {"QueueUrl": "url"},
         "As part of the import operation, you cannot modify or add [Outputs]"),
        ({"Resources": {"Taken": kept("SQS::Queue")}}, {"QueueName": "name"},
         "Resource Taken: AWS::SQS::Queue is identified by QueueUrl, not by QueueName"),
        ({"Resources": {"Taken": kept("ECR::Repository")}}, {"RepositoryName": "name"},
         "Resource Taken: the local AWS cannot import AWS::ECR::Repository"),
    ],
    ids=["type", "policy", "others", "outputs", "identifier", "not here"],
)  # fmt: skip
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
