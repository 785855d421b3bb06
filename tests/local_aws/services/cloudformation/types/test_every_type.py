"""What holds for resource types of many services."""

from __future__ import annotations

from typing import Any

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)

GIVEN: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "Text": (
        "SSM::Parameter",
        {"Type": "String", "Value": "v"},
        {"AllowedPattern": ".*", "Description": "d"},
    ),
    "Subscription": (
        "SNS::Subscription",
        {"Protocol": "sqs", "Endpoint": get_att("Queue", "Arn")},
        {
            "FilterPolicy": {"a": ["b"]},
            "RawMessageDelivery": True,
            "RedrivePolicy": {"deadLetterTargetArn": get_att("Queue", "Arn")},
        },
    ),
    "Repository": (
        "ECR::Repository",
        {},
        {"ImageScanningConfiguration": {"ScanOnPush": True}, "ImageTagMutability": "IMMUTABLE"},
    ),
    "Records": (
        "DynamoDB::Table",
        {
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        },
        {"DeletionProtectionEnabled": True, "OnDemandThroughput": {"MaxReadRequestUnits": 5}},
    ),
}
"""Types, what they need, and what can be taken from them again."""


def test_what_a_template_no_longer_says_is_as_if_it_never_had(aws: Aws) -> None:
    """One of each type that was given more beside one that never was."""

    def body(*, more: bool) -> dict[str, Any]:
        resources = {"Queue": resource("SQS::Queue")}
        for name, (kind, least, given) in GIVEN.items():
            for which, properties in (("Full", {**least, **(given if more else {})}), ("", least)):
                topic = f"{name}{which}Topic"
                if kind == "SNS::Subscription":
                    resources[topic] = resource("SNS::Topic")
                    properties = {**properties, "TopicArn": ref(topic)}
                resources[f"{name}{which}"] = resource(kind, **properties)
        return template(**resources)

    assert aws.create("less", body(more=True))["StackStatus"] == "CREATE_COMPLETE"
    assert aws.update("less", body(more=False))["StackStatus"] == "UPDATE_COMPLETE"

    ids = aws.physical_ids("less")
    ssm, sns, ecr = aws.client("ssm"), aws.client("sns"), aws.client("ecr")

    def told(name: str) -> list[dict[str, Any]]:
        named = [{"Key": "Name", "Values": [ids[f"Text{name}"]]}]
        (text,) = ssm.describe_parameters(ParameterFilters=named)["Parameters"]
        arn = ids[f"Subscription{name}"]
        subscription = sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]
        repositories = [ids[f"Repository{name}"]]
        (repository,) = ecr.describe_repositories(repositoryNames=repositories)["repositories"]
        table = aws.client("dynamodb").describe_table(TableName=ids[f"Records{name}"])["Table"]
        return [text, subscription, repository, table]

    own = {
        *(
            "BillingModeSummary",
            "CreationDateTime",
            "LastModifiedDate",
            "Name",
            "Version",
            "TableId",
            "TableName",
        ),
        *("createdAt", "repositoryName", "repositoryUri"),
    }
    for full, plain in zip(told("Full"), told(""), strict=True):
        assert full.keys() == plain.keys()
        names = {name for name in full if name not in own and not name.lower().endswith("arn")}
        assert {name: full[name] for name in names} == {name: plain[name] for name in names}
    assert aws.delete("less")["StackStatus"] == "DELETE_COMPLETE"


def test_an_empty_list_of_tags_is_none(aws: Aws) -> None:
    """Many operations want one at least; CloudFormation takes none (recorded of log groups)."""
    kinds: dict[str, dict[str, Any]] = {
        "DynamoDB::Table": {
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        },
        "EC2::VPC": {"CidrBlock": "10.9.0.0/16"},
        "ECR::Repository": {},
        "Events::EventBus": {"Name": "untagged"},
        "IAM::User": {},
        "KMS::Key": {},
        "Logs::LogGroup": {},
        "S3::Bucket": {},
        "SNS::Topic": {},
        "SQS::Queue": {},
        "StepFunctions::StateMachine": {
            "DefinitionString": '{"StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}',
            "RoleArn": get_att("Role", "Arn"),
        },
    }
    resources = {
        kind.replace("::", ""): resource(kind, **properties, Tags=[])
        for kind, properties in kinds.items()
    }
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "states.amazonaws.com"},
    }
    document = {"Version": "2012-10-17", "Statement": [trust]}
    resources["Role"] = resource("IAM::Role", AssumeRolePolicyDocument=document, Tags=[])

    made = aws.create("untagged", template(**resources))

    assert made["StackStatus"] == "CREATE_COMPLETE", aws.events("untagged")
    assert aws.delete("untagged")["StackStatus"] == "DELETE_COMPLETE"


def test_types_behind_which_nothing_is(aws: Aws) -> None:
    stack = aws.create(
        "nothing",
        template(
            Handle=resource("CloudFormation::WaitConditionHandle"),
            Metadata=resource("CDK::Metadata", Analytics="v2:deflate64:x"),
        ),
    )

    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert aws.delete("nothing")["StackStatus"] == "DELETE_COMPLETE"
