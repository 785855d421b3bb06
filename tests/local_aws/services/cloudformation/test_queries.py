from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import pytest
from botocore.exceptions import ClientError

from local_aws.services.cloudformation.service import CloudFormation
from tests.local_aws.aws import service_in
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import endpoint, parameter, ref, template


def test_a_stack_is_described_by_name_and_by_id(aws: Aws) -> None:
    stack_id = aws.create(
        "described",
        {
            "Description": "what it is",
            "Parameters": {
                "Plain": {"Type": "String", "Default": "p"},
                "Secret": {"Type": "String", "NoEcho": True},
            },
            **template({"A": ref("A")}, A=parameter(ref("Secret"))),
        },
        Parameters=[{"ParameterKey": "Secret", "ParameterValue": "hidden"}],
        Tags=[{"Key": "team", "Value": "search"}],
    )["StackId"]

    for name in ("described", stack_id):
        stack = aws.stack(name)
        assert stack["Description"] == "what it is"
        assert stack["Tags"] == [{"Key": "team", "Value": "search"}]
        assert stack["Capabilities"] == ["CAPABILITY_NAMED_IAM"]
        values = {each["ParameterKey"]: each["ParameterValue"] for each in stack["Parameters"]}
        assert values == {"Plain": "p", "Secret": "****"}


def test_a_stack_is_found_by_its_alias_wherever_by_its_name(aws: Aws) -> None:
    stack_id = aws.create("named", template(A=parameter()))["StackId"]
    aws.create("another", template(A=parameter()))
    api = aws.cloudformation
    api.set_alias(StackName="named", AliasName="Orders")

    assert aws.stack("Orders")["StackId"] == stack_id
    assert aws.stack("named")["AliasName"] == "Orders"
    (resource,) = api.describe_stack_resources(StackName="Orders")["StackResources"]
    assert resource["StackName"] == "named"
    for wrong, code in (
        ({"StackName": "named", "AliasName": "Second"}, "LimitExceededException"),
        ({"StackName": "another", "AliasName": "Orders"}, "AlreadyExistsException"),
        ({"StackName": "another", "AliasName": "named"}, "AlreadyExistsException"),
        ({"StackName": "another", "AliasName": "1st"}, "ValidationError"),
        ({"StackName": "none", "AliasName": "Other"}, "ValidationError"),
    ):
        with pytest.raises(ClientError) as refused:
            api.set_alias(**wrong)
        assert refused.value.response["Error"]["Code"] == code

    api.remove_alias(AliasName="Orders")
    with pytest.raises(ClientError, match=r"Orders.* does not exist"):
        aws.stack("Orders")
    with pytest.raises(ClientError, match=r"named.* does not exist"):
        api.remove_alias(AliasName="named")


def test_long_histories_come_in_pages_without_a_gap(aws: Aws) -> None:
    aws.create("long", template(**{f"P{n}": parameter() for n in range(60)}))

    first = aws.cloudformation.describe_stack_events(StackName="long")
    assert len(first["StackEvents"]) == 100
    assert "NextToken" in first
    events = aws.events("long")
    assert len({event["EventId"] for event in events}) == len(events) == 60 * 3 + 2


def test_asked_by_id_the_answer_waits_for_the_operation(aws: Aws) -> None:
    with ThreadPoolExecutor() as pool, aws.endpoints.held:
        stack_id = aws.begin("create_stack", "held", endpoint())
        asked = pool.submit(aws.stack, stack_id)
        assert aws.stack("held")["StackStatus"] == "CREATE_IN_PROGRESS"
        assert not asked.done()
    assert asked.result()["StackStatus"] == "CREATE_COMPLETE"
    aws.delete("held")


def test_resources_are_listed_in_every_form(aws: Aws) -> None:
    aws.create("forms", template(A=parameter(Name="/forms")))
    cloudformation = aws.cloudformation

    (summary,) = cloudformation.list_stack_resources(StackName="forms")["StackResourceSummaries"]
    assert (summary["PhysicalResourceId"], summary["ResourceStatus"]) == (
        "/forms",
        "CREATE_COMPLETE",
    )
    detail = cloudformation.describe_stack_resource(StackName="forms", LogicalResourceId="A")
    assert detail["StackResourceDetail"]["ResourceType"] == "AWS::SSM::Parameter"
    by_id = cloudformation.describe_stack_resources(PhysicalResourceId="/forms")
    assert by_id["StackResources"][0]["StackName"] == "forms"
    stack_id = detail["StackResourceDetail"]["StackId"]
    for name in ("forms", stack_id):  # The error has the stack as it was asked for.
        with pytest.raises(ClientError, match=f"Resource B does not exist for stack {name}$"):
            cloudformation.describe_stack_resource(StackName=name, LogicalResourceId="B")
    with pytest.raises(ClientError, match=r"Stack 'nobody' does not exist$"):
        cloudformation.describe_stack_resource(StackName="nobody", LogicalResourceId="B")


def test_failed_events_are_found_by_operation(aws: Aws) -> None:
    stack = aws.create("operations", endpoint("BrokenConfig"))
    operation = aws.events("operations")[0]["OperationId"]

    events = aws.cloudformation.describe_events(
        StackName=stack["StackId"], OperationId=operation, Filters={"FailedEvents": True}
    )["OperationEvents"]

    assert [event["LogicalResourceId"] for event in events] == ["Endpoint"]


def test_a_template_is_summed_up(aws: Aws) -> None:
    body = {
        "Parameters": {"P": {"Type": "Number", "Default": 1, "AllowedValues": [1, 2]}},
        **endpoint(),
    }

    summary = aws.cloudformation.get_template_summary(TemplateBody=json.dumps(body))

    assert summary["Capabilities"] == ["CAPABILITY_IAM"]
    assert "AWS::SageMaker::Endpoint" in summary["ResourceTypes"]
    (declared,) = summary["Parameters"]
    assert (declared["DefaultValue"], declared["ParameterType"]) == ("1", "Number")
    validated = aws.cloudformation.validate_template(TemplateBody=json.dumps(body))
    assert [each["ParameterKey"] for each in validated["Parameters"]] == ["P"]


def test_a_stack_in_review_is_not_summed_up(aws: Aws) -> None:
    aws.cloudformation.create_change_set(
        StackName="reviewed",
        ChangeSetName="plan",
        ChangeSetType="CREATE",
        TemplateBody=json.dumps({"Resources": {"A": parameter()}}),
    )

    with pytest.raises(ClientError, match="cannot be called on REVIEW_IN_PROGRESS stacks"):
        aws.cloudformation.get_template_summary(StackName="reviewed")


def test_stacks_are_listed_by_status(aws: Aws) -> None:
    aws.create("listed", template(A=parameter()))
    aws.delete("listed")

    summaries = aws.cloudformation.list_stacks(StackStatusFilter=["DELETE_COMPLETE"])

    assert "listed" in [each["StackName"] for each in summaries["StackSummaries"]]
    living = aws.cloudformation.describe_stacks()["Stacks"]
    assert "listed" not in [stack["StackName"] for stack in living]


def test_stacks_of_another_region_are_not_here(aws: Aws) -> None:
    aws.create("regional", template(A=parameter()))

    elsewhere = aws.client("cloudformation", "us-east-1")

    with pytest.raises(ClientError, match="Stack with id regional does not exist"):
        elsewhere.describe_stacks(StackName="regional")


def test_what_is_kept_of_a_stack_is_plain_json(aws: Aws) -> None:
    aws.create("plain", endpoint())
    aws.update("plain", endpoint(weight=0))

    kept = json.loads(json.dumps(asdict(aws.kept("plain"))))

    assert kept["version"]["resources"]["Endpoint"]["attributes"]["EndpointName"] == "digits"
    aws.delete("plain")


def test_closing_ends_the_threads_and_leaves_the_state(aws: Aws) -> None:
    aws.endpoints.seconds = 30
    try:
        aws.cloudformation.create_stack(
            StackName="closed", TemplateBody=json.dumps(endpoint()), Capabilities=["CAPABILITY_IAM"]
        )
        deadline = time.monotonic() + 60
        while ("Endpoint", "CREATE_IN_PROGRESS") not in aws.history("closed"):
            assert time.monotonic() < deadline
        service_in(aws.gateway, CloudFormation).stop()
    finally:
        aws.endpoints.seconds = 0.2
    running = [each.name for each in threading.enumerate() if "cloudformation" in each.name]
    assert running == []
    assert aws.stack("closed")["StackStatus"] == "CREATE_IN_PROGRESS"
