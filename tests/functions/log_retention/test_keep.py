"""The function that gives log groups an end, against a local AWS's CloudWatch Logs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagemaker_serving.functions.log_retention.keep import handler
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws

ARN = "arn:aws:logs:eu-west-1:123456789012:log-group:"
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "logs.eu-west-1.amazonaws.com"},
            "Action": ["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey*", "kms:Describe*"],
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
            "Action": "kms:*",
            "Resource": "*",
        },
    ],
}


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return f"/aws/sagemaker/Endpoints/{request.node.name[:60]}"


class Resource:
    """A custom resource of a stack, as CloudFormation asks for it."""

    def __init__(self, aws: Aws, listener: Listener, name: str) -> None:
        self.logs = aws.client("logs")
        self._listener = listener
        self._name = name
        self._asked = 0

    def ask(self, kind: str, before: dict[str, Any] | None = None, **properties: Any) -> Any:
        self._asked += 1
        request_id = f"{self._name.rpartition('/')[2]}-{self._asked}"
        given = {"LogGroupName": self._name, "LogGroupArn": ARN + self._name, "Retain": "false"}
        event = {
            "RequestType": kind,
            "RequestId": request_id,
            "StackId": "arn:aws:cloudformation:eu-west-1:123456789012:stack/prod-digits/1",
            "LogicalResourceId": "Log",
            "ResponseURL": self._listener.url(request_id),
            "ResourceProperties": {**given, "RetentionInDays": "30", **properties},
        }
        if before is not None:
            event["OldResourceProperties"] = {**given, **before}
        handler(event, None)
        answer = self._listener.answer(request_id)
        assert answer["PhysicalResourceId"] == self._name
        return answer

    def done(self, kind: str, before: dict[str, Any] | None = None, **properties: Any) -> None:
        answer = self.ask(kind, before, **properties)
        assert answer["Status"] == "SUCCESS", answer

    @property
    def group(self) -> Any:
        found = self.logs.describe_log_groups(logGroupNamePrefix=self._name)["logGroups"]
        return found[0] if found else None

    @property
    def tags(self) -> Any:
        return self.logs.list_tags_for_resource(resourceArn=ARN + self._name)["tags"]


@pytest.fixture
def resource(aws: Aws, listener: Listener, name: str) -> Resource:
    return Resource(aws, listener, name)


def test_a_group_that_is_missing_is_made_and_goes_with_the_stack(resource: Resource) -> None:
    resource.done("Create")
    assert resource.group["retentionInDays"] == 30
    resource.done("Delete")
    assert resource.group is None


def test_one_that_somebody_else_made_gets_an_end_and_stays(resource: Resource, name: str) -> None:
    resource.logs.create_log_group(logGroupName=name, tags={"theirs": "yes"})
    resource.done("Create", Tags={"team": "search"})
    assert resource.group["retentionInDays"] == 30
    assert resource.tags == {"theirs": "yes", "team": "search"}
    resource.done("Delete")
    assert resource.group is not None


def test_one_that_is_to_be_retained_stays(resource: Resource) -> None:
    resource.done("Create", Retain="true")
    resource.done("Delete", Retain="true")
    assert resource.group is not None


def test_a_request_that_comes_twice_still_owns_what_the_first_has_made(resource: Resource) -> None:
    resource.done("Create")
    resource.done("Create")
    resource.done("Delete")
    assert resource.group is None


def test_days_key_and_tags_follow_the_file(resource: Resource, aws: Aws) -> None:
    key = aws.client("kms").create_key(Policy=json.dumps(POLICY))["KeyMetadata"]["Arn"]
    before = {"RetentionInDays": "30", "KmsKeyId": key, "Tags": {"team": "search", "old": "1"}}
    resource.done("Create", **before)
    assert resource.group["kmsKeyId"] == key
    resource.done("Update", before, RetentionInDays="7", Tags={"team": "ads"})
    assert resource.group["retentionInDays"] == 7
    assert "kmsKeyId" not in resource.group
    tags = resource.tags
    assert tags["team"] == "ads"
    assert "old" not in tags
    resource.done("Delete")
    assert resource.group is None


def test_a_group_that_went_meanwhile_is_no_failure(resource: Resource, name: str) -> None:
    resource.done("Create")
    resource.logs.delete_log_group(logGroupName=name)
    resource.done("Delete")


def test_what_cloudwatch_logs_refuses_fails_the_deploy_with_its_reason(
    resource: Resource, aws: Aws
) -> None:
    key = aws.client("kms").create_key()["KeyMetadata"]["Arn"]
    answer = resource.ask("Create", KmsKeyId=key)
    assert answer["Status"] == "FAILED"
    assert "KMS key does not exist or is not allowed to be used" in answer["Reason"]
