"""kill -9 in the middle of a deploy: what served serves, and the next deploy succeeds.

Every other moment is of test_killed_at_every_step.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.local_aws.aws import IMAGE, REGION, archive, eventually
from tests.local_aws.services.cloudformation.templates import endpoint
from tests.local_aws.state.killed import Killable, settled


def wait_for_a_save(local: Killable) -> None:
    """Return once all that has happened is in the folder."""
    eventually(lambda: not local.status()["state"]["unsaved"])


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
    assert [each["found"] for each in local.status()["recovered"]] == ["UPDATE_IN_PROGRESS"]
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
