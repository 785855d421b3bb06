"""Functions, permissions, versions and aliases in stacks: made, changed, rolled back, deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.functions import ROLE, Stacks
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource, template


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


def function(source: str = "return 1", *needs: str, **properties: Any) -> dict[str, Any]:
    """A function whose source stands in the template."""
    given = {
        "Runtime": "python3.11",
        "Handler": "index.handler",
        "Role": ROLE,
        "Code": {"ZipFile": f"import os\ndef handler(event, context):\n    {source}\n"},
    }
    return resource("Lambda::Function", *needs, **{**given, **properties})


def test_a_function_is_made_and_deleted_with_its_stack(stacks: Stacks) -> None:
    body = template(
        {"Name": ref("Function"), "Arn": get_att("Function", "Arn")},
        Function=function(
            MemorySize="256",
            Timeout="5",
            Tags=[{"Key": "a", "Value": "b"}],
            Environment={"Variables": {"STAGE": "test"}},
            ReservedConcurrentExecutions=2,
        ),
    )
    assert stacks.create("made", body)["StackStatus"] == "CREATE_COMPLETE"
    outputs = stacks.outputs("made")
    assert outputs["Name"].startswith("made-Function-")
    assert outputs["Arn"].endswith(f":function:{outputs['Name']}")
    made = stacks.functions.api.get_function(FunctionName=outputs["Name"])
    assert made["Configuration"]["MemorySize"] == 256
    assert made["Configuration"]["Timeout"] == 5
    assert made["Tags"] == {"a": "b"}
    assert made["Concurrency"] == {"ReservedConcurrentExecutions": 2}
    assert stacks.functions.invoke(outputs["Name"]).payload == 1
    stacks.delete("made")
    with pytest.raises(ClientError, match="Function not found"):
        stacks.functions.invoke(outputs["Name"])


def test_code_and_settings_are_changed_in_place(stacks: Stacks) -> None:
    name = "changes-in-place"
    stage = {"Environment": {"Variables": {"STAGE": "one"}}, "Timeout": 9}
    read = "return os.environ.get('STAGE')"
    stacks.create("changes", template(F=function(read, FunctionName=name, **stage)))
    assert stacks.functions.invoke(name).payload == "one"
    stacks.update("changes", template(F=function(read, FunctionName=name)))
    assert stacks.functions.invoke(name).payload is None
    assert stacks.functions.api.get_function_configuration(FunctionName=name)["Timeout"] == 3
    stacks.update("changes", template(F=function("return 'two'", FunctionName=name)))
    assert stacks.functions.invoke(name).payload == "two"


def test_a_failed_update_brings_the_old_code_back(stacks: Stacks) -> None:
    name = "rolls-back"
    stacks.create("back", template(F=function("return 'old'", FunctionName=name)))
    broken = resource("SSM::Parameter", "F", Type="String", Name="aws-reserved", Value="x")
    body = template(F=function("return 'new'", FunctionName=name), Broken=broken)
    assert stacks.update("back", body)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.functions.invoke(name).payload == "old"


def test_a_version_an_alias_and_what_is_set_for_its_events(stacks: Stacks) -> None:
    def body(source: str, version: str) -> dict[str, Any]:
        number = get_att(version, "Version")
        return template(
            {"Alias": ref("Live"), "Version": number},
            F=function(source, FunctionName="aliased"),
            **{version: resource("Lambda::Version", FunctionName=ref("F"))},
            Live=resource(
                "Lambda::Alias", FunctionName=ref("F"), Name="live", FunctionVersion=number
            ),
            Events=resource(
                "Lambda::EventInvokeConfig",
                "Live",
                FunctionName=ref("F"),
                Qualifier="live",
                MaximumRetryAttempts=0,
            ),
        )

    api = stacks.functions.api
    stacks.create("alias", body("return 'one'", "V1"))
    outputs = stacks.outputs("alias")
    assert outputs["Version"] == "1"
    assert stacks.functions.invoke(outputs["Alias"]).payload == "one"
    config = api.get_function_event_invoke_config(FunctionName="aliased", Qualifier="live")
    assert config["MaximumRetryAttempts"] == 0
    stacks.update("alias", body("return 'two'", "V2"))
    assert stacks.functions.invoke(outputs["Alias"]).payload == "two"
    versions = api.list_versions_by_function(FunctionName="aliased")["Versions"]
    assert [each["Version"] for each in versions] == ["$LATEST", "2"]
    assert stacks.delete("alias")["StackStatus"] == "DELETE_COMPLETE"


def test_a_version_of_what_did_not_change_is_refused(stacks: Stacks) -> None:
    first = resource("Lambda::Version", FunctionName=ref("F"))
    second = resource("Lambda::Version", "V1", FunctionName=ref("F"))
    stack = stacks.create("twice", template(F=function(), V1=first, V2=second))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "A version for this Lambda function exists ( 1 )" in stacks.reason(
        "twice", "CREATE_FAILED"
    )


def test_a_permission_is_a_statement_while_its_stack_stands(stacks: Stacks) -> None:
    def permitted() -> dict[str, Any]:
        topic = resource("SNS::Topic")
        permission = resource(
            "Lambda::Permission",
            FunctionName=get_att("F", "Arn"),
            Action="lambda:InvokeFunction",
            Principal="sns.amazonaws.com",
            SourceArn=ref("Topic"),
        )
        subscription = resource(
            "SNS::Subscription",
            TopicArn=ref("Topic"),
            Protocol="lambda",
            Endpoint=get_att("F", "Arn"),
        )
        return template(
            {"Id": ref("Permission")},
            F=function(FunctionName="permitted"),
            Topic=topic,
            Permission=permission,
            Subscription=subscription,
        )

    stacks.create("permission", permitted())
    api = stacks.functions.api
    policy = json.loads(api.get_policy(FunctionName="permitted")["Policy"])
    assert [each["Sid"] for each in policy["Statement"]] == [stacks.outputs("permission")["Id"]]
    stacks.update("permission", template(F=function(FunctionName="permitted")))
    with pytest.raises(api.exceptions.ResourceNotFoundException):
        api.get_policy(FunctionName="permitted")
