"""What holds for resource types beside that all they are given is read back and taken away again
(`tests/local_aws/resources/test_properties.py`)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import READS, changed_to, tags_of
from tools.roles import trust


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
    resources["Role"] = resource("IAM::Role", AssumeRolePolicyDocument=trust("states"), Tags=[])

    made = aws.create("untagged", template(**resources))

    assert made["StackStatus"] == "CREATE_COMPLETE", aws.events("untagged")
    assert aws.delete("untagged")["StackStatus"] == "DELETE_COMPLETE"


def test_a_bucket_that_exists_already_is_not_taken_over(aws: Aws) -> None:
    aws.client("s3").create_bucket(
        Bucket="taken", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )

    stack = aws.create("taken", template(Bucket=resource("S3::Bucket", BucketName="taken")))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "taken already exists" in str(aws.events("taken"))
    aws.client("s3").delete_bucket(Bucket="taken")


def test_a_queue_without_properties_has_the_usual_ones_and_keeps_its_policy(aws: Aws) -> None:
    """AWS brings the attributes back to their defaults (recorded by LocalStack's suite)."""
    sqs = aws.client("sqs")
    given = {
        "DelaySeconds": 7,
        "MaximumMessageSize": 2048,
        "MessageRetentionPeriod": 900,
        "ReceiveMessageWaitTimeSeconds": 3,
        "RedrivePolicy": {"deadLetterTargetArn": get_att("Dead", "Arn"), "maxReceiveCount": 2},
        "VisibilityTimeout": 60,
    }
    body = template(
        Dead=resource("SQS::Queue"),
        Queue=resource("SQS::Queue", **given),
        Policy=resource("SQS::QueuePolicy", Queues=[ref("Queue")], PolicyDocument=READS),
    )
    aws.create("plain-queue", body)

    body["Resources"]["Queue"] = {"Type": "AWS::SQS::Queue"}
    assert aws.update("plain-queue", body)["StackStatus"] == "UPDATE_COMPLETE"

    ids = aws.physical_ids("plain-queue")
    plain, queue = (
        sqs.get_queue_attributes(QueueUrl=ids[each], AttributeNames=["All"])["Attributes"]
        for each in ("Dead", "Queue")
    )
    assert json.loads(queue["Policy"]) == READS
    assert {name: queue.get(name) for name in given} == {name: plain.get(name) for name in given}


def test_a_machine_is_written_as_text_or_as_an_object_and_substitutes(aws: Aws) -> None:
    states = aws.client("stepfunctions")
    definition = {
        "StartAt": "P",
        "States": {"P": {"Type": "Pass", "Result": "${what}", "End": True}},
    }
    role = resource("IAM::Role", AssumeRolePolicyDocument=trust("states"))
    machine = resource(
        "StepFunctions::StateMachine",
        RoleArn=get_att("Role", "Arn"),
        DefinitionString=json.dumps(definition),
        DefinitionSubstitutions={"what": "one"},
        Tags=tags_of("a=1"),
    )
    outputs = {"Name": get_att("Machine", "Name"), "Arn": ref("Machine")}
    aws.create("machine", template(outputs, Role=role, Machine=machine))

    arn = aws.outputs("machine")["Arn"]
    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    assert found["name"] == aws.outputs("machine")["Name"]

    changed = changed_to(machine, DefinitionSubstitutions={"what": "two"}, Tags=tags_of("a=2"))
    aws.update("machine", template(outputs, Role=role, Machine=changed))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "two"
    tags = states.list_tags_for_resource(resourceArn=arn)["tags"]
    assert tags == [{"key": "a", "value": "2"}]

    written = changed_to(machine, DefinitionString=None, Definition=definition)
    aws.update("machine", template(outputs, Role=role, Machine=written))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    aws.delete("machine")
    with pytest.raises(ClientError, match="StateMachineDoesNotExist"):
        states.describe_state_machine(stateMachineArn=arn)
