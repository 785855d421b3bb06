"""kill -9 at any moment of a deploy: it is said, and the next deploy succeeds."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import IMAGE, REGION, archive, eventually
from tests.local_aws.services.cloudformation.templates import (
    endpoint,
    parameter,
    ref,
    resource,
    template,
)
from tests.local_aws.state.killed import Killable, settled

CREATES, UPDATES = 2, 3
NAMES = [f"/fixed/{number}" for number in range(6)]


def wanted(version: int, *, held: bool) -> dict[str, Any]:
    """A stack of explicit names (which collide with what is left over) and generated ones.

    ``held``: it waits for an answer that nobody sends, so that a kill is in the middle.
    """
    parameters = {
        f"Parameter{number}": parameter(str(version), Name=name)
        for number, name in enumerate(NAMES)
    }
    chain = {
        f"Topic{number}": resource(
            "SNS::Topic", *([f"Topic{number - 1}"] if number else []), DisplayName=f"v{version}"
        )
        for number in range(4)
    }
    asked = resource("CloudFormation::CustomResource", ServiceToken=ref("Topic0"))
    waiting = {f"Asked{version}": {**asked, "DeletionPolicy": "Retain"}}
    return template(
        {"Queue": ref("Queue"), "Version": str(version)},
        Bucket=resource("S3::Bucket", BucketName="a-fixed-bucket"),
        Queue=resource("SQS::Queue", "Topic3", QueueName=f"queue-{version}"),
        **parameters,
        **chain,
        **(waiting if held else {}),
    )


def there(local: Killable) -> dict[str, list[str]]:
    """What exists, whoever made it."""
    return {
        "parameters": sorted(
            found["Name"] for found in local.client("ssm").describe_parameters()["Parameters"]
        ),
        "buckets": [found["Name"] for found in local.client("s3").list_buckets()["Buckets"]],
        "topics": sorted(
            found["TopicArn"] for found in local.client("sns").list_topics()["Topics"]
        ),
        "queues": local.client("sqs").list_queues().get("QueueUrls", []),
    }


def recorded(local: Killable) -> dict[str, list[str]]:
    """What the stack says that it has made."""
    try:
        resources = local.client("cloudformation").describe_stack_resources(StackName="stack")
    except ClientError:
        resources = {"StackResources": []}
    by_type: dict[str, list[str]] = {}
    for found in resources["StackResources"]:
        gone = found["ResourceStatus"] in ("DELETE_COMPLETE", "DELETE_SKIPPED")
        if found.get("PhysicalResourceId") and not gone:
            by_type.setdefault(found["ResourceType"], []).append(found["PhysicalResourceId"])
    return {
        "parameters": sorted(by_type.get("AWS::SSM::Parameter", [])),
        "buckets": by_type.get("AWS::S3::Bucket", []),
        "topics": sorted(by_type.get("AWS::SNS::Topic", [])),
        "queues": by_type.get("AWS::SQS::Queue", []),
    }


def begin(local: Killable, version: int, *, held: bool = False) -> None:
    """Begin to bring the stack to a version, whatever state it is in."""
    cloudformation = local.client("cloudformation")
    stack = settled(cloudformation, "stack")
    if stack is not None and stack["StackStatus"] in ("ROLLBACK_COMPLETE", "CREATE_FAILED"):
        cloudformation.delete_stack(StackName="stack")
        stack = settled(cloudformation, "stack")
    deploy = cloudformation.create_stack if stack is None else cloudformation.update_stack
    deploy(
        StackName="stack",
        TemplateBody=json.dumps(wanted(version, held=held)),
    )


def wait_for_events(local: Killable, count: int) -> None:
    """Return once the stack's history has ``count`` lines of what is under way."""
    cloudformation = local.client("cloudformation")

    def lines() -> list[Any]:
        events: list[Any] = cloudformation.describe_stack_events(StackName="stack")["StackEvents"]
        return events

    operation = lines()[0]["OperationId"]
    eventually(lambda: sum(event["OperationId"] == operation for event in lines()) >= count)


def wait_for_a_save(local: Killable) -> None:
    """Return once all that has happened is in the folder."""
    eventually(lambda: not local.status()["state"]["unsaved"])


@pytest.mark.slow
def test_a_deploy_killed_at_any_moment_is_settled_and_can_be_repeated(tmp_path: Path) -> None:
    moments = random.Random(20261121)
    found = []
    local = Killable(tmp_path)
    for version in range(CREATES + UPDATES):
        if version == CREATES:
            begin(local, 50)
            assert deployed(local)
        begin(local, version, held=True)
        wait_for_events(local, moments.randrange(4, 24))
        if version in (CREATES - 1, CREATES + UPDATES - 1):  # others may be killed before a save
            wait_for_a_save(local)
        local.kill()
        local = Killable(tmp_path, port=local.port)
        found += [stack["found"] for stack in local.status()["recovered"]]
        settled(local.client("cloudformation"), "stack")
        assert there(local) == recorded(local)
    begin(local, 99)
    assert deployed(local)
    local.client("cloudformation").delete_stack(StackName="stack")
    assert settled(local.client("cloudformation"), "stack") is None
    assert not any(there(local).values())
    local.end()
    assert {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"} == set(found)


def deployed(local: Killable) -> bool:
    stack = settled(local.client("cloudformation"), "stack")
    return stack is not None and stack["StackStatus"] in ("CREATE_COMPLETE", "UPDATE_COMPLETE")


@pytest.mark.slow
def test_an_endpoint_whose_update_was_killed_serves_what_it_served(tmp_path: Path) -> None:
    local = Killable(tmp_path)
    s3, cloudformation = local.client("s3"), local.client("cloudformation")
    s3.create_bucket(Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket="models", Key="one.tar.gz", Body=archive({"file": b"x"}))
    deploy = {"StackName": "stack", "Capabilities": ["CAPABILITY_IAM"]}
    cloudformation.create_stack(TemplateBody=serving(VERSION="old"), **deploy)
    assert deployed(local)
    cloudformation.update_stack(TemplateBody=serving(UNHEALTHY="1"), **deploy)
    eventually(lambda: local.status()["endpoints"][0]["status"] == "Updating")
    wait_for_a_save(local)
    local.kill()

    local = Killable(tmp_path, port=local.port)
    stack = settled(cloudformation, "stack")
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    eventually(lambda: local.status()["endpoints"][0]["status"] == "InService")
    assert ask(local) == b"old"
    cloudformation.update_stack(TemplateBody=serving(VERSION="new"), **deploy)
    assert deployed(local)
    assert ask(local) == b"new"
    assert len(local.client("sagemaker").list_models()["Models"]) == 1
    local.end()


def serving(**environment: str) -> str:
    body = endpoint()
    container = body["Resources"]["Model"]["Properties"]["PrimaryContainer"]
    body["Resources"]["Model"]["Properties"]["PrimaryContainer"] = {
        **container,
        "Image": IMAGE,
        "Environment": environment,
    }
    body["Resources"]["Role"]["Properties"]["Policies"] = [
        {
            "PolicyName": "read",
            "PolicyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Action": ["ecr:*", "logs:*", "s3:*"], "Resource": "*"}
                ],
            },
        }
    ]
    return json.dumps(body)


def ask(local: Killable) -> bytes:
    answer = local.client("sagemaker-runtime").invoke_endpoint(EndpointName="digits", Body=b"x")
    content: bytes = answer["Body"].read()
    return content
