"""Express mode: a stack is done before what it made is ready, and rolls nothing back unasked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import eventually
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    broken,
    endpoint,
    get_att,
    parameter,
    resource,
    template,
)

EXPRESS = {"DeploymentConfig": {"Mode": "EXPRESS"}}
UNDOING = {"DeploymentConfig": {"Mode": "EXPRESS", "DisableRollback": False}}
TOLD = (
    "Resource operation completed using Express Mode. It may continue becoming available in the "
    "background."
)


def status(aws: Aws, name: str) -> str:
    found = aws.client("sagemaker").describe_endpoint(EndpointName=name)
    return str(found["EndpointStatus"])


def told(aws: Aws, stack: str) -> dict[str, str]:
    """What the history says of the resources that are done, where it says something."""
    return {
        event["LogicalResourceId"]: event["ResourceStatusReason"]
        for event in aws.events(stack)
        if event["ResourceStatus"].endswith("_COMPLETE") and "ResourceStatusReason" in event
    }


def test_a_stack_is_done_while_its_endpoint_still_starts_and_updates(aws: Aws) -> None:
    with aws.endpoints.held:
        stack = aws.create("quick", endpoint(), **EXPRESS)
        name = aws.outputs("quick")["Endpoint"]
        assert (stack["StackStatus"], status(aws, name)) == ("CREATE_COMPLETE", "Creating")
    assert stack["DeploymentConfig"] == {"Mode": "EXPRESS"}
    assert told(aws, "quick") == {"Endpoint": TOLD}
    eventually(lambda: status(aws, name) == "InService")

    with aws.endpoints.held:
        stack = aws.update("quick", endpoint("Second"), **UNDOING)  # it replaces the config
        assert (stack["StackStatus"], status(aws, name)) == ("UPDATE_COMPLETE", "Updating")
    stack = aws.update("quick", endpoint("Third"))
    assert "DeploymentConfig" not in stack
    assert status(aws, name) == "InService"
    assert aws.delete("quick", **EXPRESS)["StackStatus"] == "DELETE_COMPLETE"


def test_what_others_are_made_by_is_waited_for(aws: Aws) -> None:
    body = endpoint()
    body["Resources"]["After"] = parameter("1", "Endpoint")
    stack = aws.create("awaited", body, **EXPRESS)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert status(aws, aws.outputs("awaited")["Endpoint"]) == "InService"
    assert told(aws, "awaited") == {}
    aws.delete("awaited")


@pytest.mark.parametrize(
    ("config", "created", "updated"),
    [
        ({}, "CREATE_FAILED", "UPDATE_FAILED"),
        ({"DisableRollback": False}, "ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"),
    ],
)
def test_what_fails_is_rolled_back_only_where_that_is_asked_for(
    aws: Aws, config: dict[str, Any], created: str, updated: str
) -> None:
    options = {"DeploymentConfig": {"Mode": "EXPRESS", **config}}
    assert aws.create("failing", template(B=broken()), **options)["StackStatus"] == created
    aws.delete("failing")

    aws.create("failing", template(A=parameter("1")), **EXPRESS)
    failing = template(A=parameter("2"), B=broken("A"))
    assert aws.update("failing", failing, **options)["StackStatus"] == updated
    aws.delete("failing")


def test_a_change_set_says_how_it_is_carried_out(aws: Aws) -> None:
    aws.create("planned", template(A=parameter("1")))
    client = aws.cloudformation
    body = template(A=parameter("2"), B=broken("A"))
    planned = aws.begin("create_change_set", "planned", body, ChangeSetName="one", **EXPRESS)
    shown = client.describe_change_set(StackName="planned", ChangeSetName="one")
    assert shown["DeploymentConfig"] == {"Mode": "EXPRESS"}
    client.execute_change_set(StackName="planned", ChangeSetName="one")
    assert aws.done(planned)["StackStatus"] == "UPDATE_FAILED"
    with pytest.raises(ClientError, match="in Express mode and can not be rolled back"):
        client.rollback_stack(StackName="planned")
    assert aws.update("planned", template(A=parameter("1")))["StackStatus"] == "UPDATE_COMPLETE"
    aws.delete("planned")


def test_a_nested_stack_is_deployed_as_its_parent_is(aws: Aws) -> None:
    bucket = "templates-of-express"
    where = {"LocationConstraint": "eu-west-1"}
    aws.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
    aws.client("s3").put_object(Bucket=bucket, Key="one", Body=json.dumps(endpoint()))
    url = f"https://{bucket}.s3.amazonaws.com/one"
    child = resource("CloudFormation::Stack", TemplateURL=url)
    outputs = {"Endpoint": get_att("Child", "Outputs.Endpoint")}
    with aws.endpoints.held:
        stack = aws.create("nesting", template(outputs, Child=child), **EXPRESS)
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        assert status(aws, aws.outputs("nesting")["Endpoint"]) == "Creating"
    aws.delete("nesting")
