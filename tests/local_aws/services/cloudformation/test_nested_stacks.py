"""Stacks in stacks: made, updated, rolled back and deleted with the one that they are nested in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.aws import eventually
from tests.local_aws.services.cloudformation.conftest import REGION, Aws, Endpoints
from tests.local_aws.services.cloudformation.templates import (
    broken,
    get_att,
    parameter,
    ref,
    resource,
    template,
)

BUCKET = "nested-templates"


@pytest.fixture(scope="module", autouse=True)
def _bucket(aws: Aws) -> None:
    make_bucket(aws)


def make_bucket(aws: Aws) -> None:
    aws.client("s3").create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
    )


def put(aws: Aws, key: str, body: dict[str, Any]) -> str:
    """The address of a template, as CDK's assets have it."""
    aws.client("s3").put_object(Bucket=BUCKET, Key=key, Body=json.dumps(body))
    return f"https://s3.{REGION}.amazonaws.com/{BUCKET}/{key}"


def nested(url: str, *needs: str, **properties: Any) -> dict[str, Any]:
    return resource("CloudFormation::Stack", *needs, TemplateURL=url, **properties)


def child(value: str = "1", **more: dict[str, Any]) -> dict[str, Any]:
    """A template with a parameter, an SSM parameter of its value, and that one's name."""
    return {
        **template({"Name": ref("A")}, A=parameter(ref("Value")), **more),
        "Parameters": {"Value": {"Type": "String", "Default": value}},
    }


def statuses(aws: Aws, stack_id: str) -> list[str]:
    """What a stack went through itself."""
    return [
        event["ResourceStatus"]
        for event in aws.events(stack_id)
        if event.get("PhysicalResourceId") == stack_id
    ]


def test_parameters_go_in_and_outputs_come_out(aws: Aws) -> None:
    url = put(aws, "child.json", child())
    body = template(
        {"Name": get_att("Child", "Outputs.Name"), "Id": ref("Child")},
        Child=nested(url, Parameters={"Value": ref("Given")}),
    )
    stack = aws.create(
        "inout",
        {**body, "Parameters": {"Given": {"Type": "Number"}}},
        Parameters=[{"ParameterKey": "Given", "ParameterValue": "7"}],
        Tags=[{"Key": "team", "Value": "search"}],
    )

    assert stack["StackStatus"] == "CREATE_COMPLETE"
    outputs = aws.outputs("inout")
    assert aws.value(outputs["Name"]) == "7"
    inner = aws.stack(outputs["Id"])
    assert inner["ParentId"] == inner["RootId"] == stack["StackId"]
    assert re.fullmatch(r"inout-Child-[A-Z0-9]{12}", inner["StackName"])
    assert inner["Tags"] == [{"Key": "team", "Value": "search"}]

    assert aws.delete("inout")["StackStatus"] == "DELETE_COMPLETE"
    assert aws.stack(outputs["Id"])["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(ClientError, match="ParameterNotFound"):
        aws.value(outputs["Name"])


def test_one_may_be_nested_in_another_nested_one(aws: Aws) -> None:
    inner = put(aws, "inner.json", child("deep"))
    middle = template({"Name": get_att("Inner", "Outputs.Name")}, Inner=nested(inner))
    outer = template({"Name": get_att("Middle", "Outputs.Name")})
    outer["Resources"]["Middle"] = nested(put(aws, "middle.json", middle))

    root = aws.create("deep", outer)

    assert aws.value(aws.outputs("deep")["Name"]) == "deep"
    middle_id = aws.physical_ids("deep")["Middle"]
    inner_stack = aws.stack(aws.physical_ids(middle_id)["Inner"])
    assert (inner_stack["ParentId"], inner_stack["RootId"]) == (middle_id, root["StackId"])
    aws.delete("deep")
    assert _living(aws) == []


def test_what_a_nested_one_replaced_stays_until_the_parent_cleans_up(aws: Aws) -> None:
    before = child("1", B=parameter("x"))
    aws.create("held", template(Child=nested(put(aws, "held.json", before))))
    inner = aws.physical_ids("held")["Child"]
    old = aws.physical_ids(inner)["B"]
    put(aws, "held.json", child("2"))

    stack = aws.update("held", template(Child=nested(put(aws, "held.json", child("2")))))

    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.physical_ids("held") == {"Child": inner}
    assert aws.value(aws.physical_ids(inner)["A"]) == "2"
    with pytest.raises(ClientError, match="ParameterNotFound"):
        aws.value(old)
    events = sorted([*aws.events(inner), *aws.events("held")], key=lambda event: event["Timestamp"])
    own = [
        (event["StackName"] == "held", event["ResourceStatus"])
        for event in events
        if event["ResourceStatus"] in ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "DELETE_COMPLETE")
    ]
    assert own == [
        (False, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        (True, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        (False, "DELETE_COMPLETE"),
    ]


def test_one_in_which_nothing_changes_stays_as_it_is(aws: Aws) -> None:
    body = template(Child=nested(put(aws, "same.json", child())), A=parameter("1"))
    aws.create("same", body)
    inner = aws.physical_ids("same")["Child"]
    history = aws.history(inner)

    aws.update("same", {**body, "Resources": {**body["Resources"], "A": parameter("2")}})

    assert aws.physical_ids("same")["Child"] == inner
    assert aws.history(inner) == history


def test_one_that_cannot_be_made_is_deleted_by_the_parents_rollback(aws: Aws) -> None:
    url = put(aws, "broken.json", template(A=parameter(), B=broken("A")))

    stack = aws.create("unmade", template(Child=nested(url)))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    inner = next(
        event["PhysicalResourceId"]
        for event in aws.events("unmade")
        if event["LogicalResourceId"] == "Child" and event.get("PhysicalResourceId")
    )
    said = aws.reason("unmade", "CREATE_FAILED", "Child")
    assert said.startswith(
        f"Embedded stack {inner} was not successfully created: "
        "The following resource(s) failed to create: [B]. "
    )
    assert "policy/none does not exist" in said
    assert statuses(aws, inner) == [
        "CREATE_IN_PROGRESS",
        "CREATE_FAILED",
        "DELETE_IN_PROGRESS",
        "DELETE_COMPLETE",
    ]


def test_one_that_cannot_be_updated_takes_the_parent_and_its_neighbours_back(aws: Aws) -> None:
    first, second = child("1", Old=parameter("kept")), child("1")
    body = template(
        First=nested(put(aws, "first.json", first)),
        Second=nested(put(aws, "second.json", second), "First"),
    )
    aws.create("back", body)
    ids = aws.physical_ids("back")
    inner = {name: aws.physical_ids(stack_id) for name, stack_id in ids.items()}
    put(aws, "first.json", child("2"))
    put(aws, "second.json", child("2", Broken=broken("A")))

    stack = aws.update("back", body)

    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.physical_ids("back") == ids
    assert {name: aws.physical_ids(stack_id) for name, stack_id in ids.items()} == inner
    assert aws.value(inner["First"]["A"]) == aws.value(inner["Second"]["A"]) == "1"
    assert aws.value(inner["First"]["Old"]) == "kept"
    assert aws.reason("back", "UPDATE_FAILED", "Second").startswith(
        f"Embedded stack {ids['Second']} was not successfully updated. Currently in "
        "UPDATE_ROLLBACK_IN_PROGRESS with reason: "
        "The following resource(s) failed to create: [Broken]. "
    )
    assert statuses(aws, ids["First"])[2:] == [
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
        "UPDATE_ROLLBACK_COMPLETE",
    ]
    put(aws, "second.json", second)
    assert aws.update("back", body)["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.value(inner["First"]["A"]) == "2"


def test_a_failed_update_that_is_not_rolled_back_goes_on_from_there(aws: Aws) -> None:
    body = template(
        First=nested(put(aws, "on1.json", child("1"))),
        Second=nested(put(aws, "on2.json", child("1")), "First"),
    )
    aws.create("on", body)
    ids = aws.physical_ids("on")
    put(aws, "on1.json", child("2"))
    put(aws, "on2.json", child("2", Broken=broken("A")))

    assert aws.update("on", body, DisableRollback=True)["StackStatus"] == "UPDATE_FAILED"
    assert aws.stack(ids["Second"])["StackStatus"] == "UPDATE_FAILED"

    put(aws, "on2.json", child("3"))
    assert aws.update("on", body)["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.value(aws.physical_ids(ids["Second"])["A"]) == "3"
    assert {aws.stack(each)["StackStatus"] for each in ids.values()} == {"UPDATE_COMPLETE"}


def test_what_a_nested_template_may_not_is_the_parents_reason(aws: Aws) -> None:
    url = put(aws, "unknown.json", template(A=resource("SSM::Nothing")))

    aws.create("unknown", template(Child=nested(url)))

    assert aws.reason("unknown", "CREATE_FAILED", "Child") == (
        "Template format error: Unrecognized resource types: [AWS::SSM::Nothing] (A)"
    )
    assert _living(aws, "unknown-") == []


def test_a_template_that_nests_itself_is_refused(aws: Aws) -> None:
    url = f"https://s3.{REGION}.amazonaws.com/{BUCKET}/circle.json"
    body = template(Child=nested(url))
    put(aws, "circle.json", body)

    aws.create("circle", body)

    assert "nests itself" in aws.reason("circle", "CREATE_FAILED", "Child")
    assert _living(aws, "circle-") == []


def test_one_that_takes_longer_than_it_may_fails(tmp_path: Path) -> None:
    gateway = Gateway(tmp_path, region=REGION, time_scale=300)
    gateway.start()
    try:
        quick = Aws(gateway, Endpoints())
        make_bucket(quick)
        never = {
            "Type": "Custom::Never",
            "DeletionPolicy": "Retain",  # it would never say that it is gone
            "Properties": {"ServiceToken": get_att("Topic", "TopicArn")},
        }
        url = put(quick, "late.json", template(Wait=never, Topic=resource("SNS::Topic")))
        quick.create("late", template(Child=nested(url, TimeoutInMinutes=1)))
        said = quick.reason("late", "CREATE_FAILED", "Child")
    finally:
        gateway.stop()

    assert said.endswith("Stack creation time exceeded the specified timeout")


def test_protection_is_the_roots(aws: Aws) -> None:
    aws.create(
        "kept",
        template(Child=nested(put(aws, "kept.json", child()))),
        EnableTerminationProtection=True,
    )
    inner = aws.physical_ids("kept")["Child"]

    with pytest.raises(ClientError, match="TerminationProtection is enabled"):
        aws.cloudformation.delete_stack(StackName=inner)
    with pytest.raises(ClientError, match="set it there"):
        aws.cloudformation.update_termination_protection(
            StackName=inner, EnableTerminationProtection=False
        )


def test_a_change_set_plans_what_is_nested(aws: Aws) -> None:
    url = put(aws, "planned.json", child())
    body = template({"Name": get_att("Child", "Outputs.Name")}, Child=nested(url))

    change_set = _change_set(aws, "planned", body, "CREATE")

    (change,) = (each["ResourceChange"] for each in change_set["Changes"])
    inner = aws.cloudformation.describe_change_set(ChangeSetName=change["ChangeSetId"])
    assert inner["StackId"] == change["PhysicalResourceId"]
    assert inner["ParentChangeSetId"] == inner["RootChangeSetId"] == change_set["ChangeSetId"]
    assert [each["ResourceChange"]["LogicalResourceId"] for each in inner["Changes"]] == ["A"]
    assert aws.stack(inner["StackId"])["StackStatus"] == "REVIEW_IN_PROGRESS"
    with pytest.raises(ClientError, match="execute its root"):
        aws.cloudformation.execute_change_set(ChangeSetName=inner["ChangeSetId"])

    aws.cloudformation.execute_change_set(ChangeSetName=change_set["ChangeSetId"])
    assert aws.done(change_set["StackId"])["StackStatus"] == "CREATE_COMPLETE"
    assert aws.physical_ids("planned") == {"Child": inner["StackId"]}

    with pytest.raises(AssertionError, match="didn't contain changes"):
        _change_set(aws, "planned", body, "UPDATE")
    put(aws, "planned.json", child("2"))
    change_set = _change_set(aws, "planned", body, "UPDATE")
    (change,) = (each["ResourceChange"] for each in change_set["Changes"])
    assert (change["Action"], change["Replacement"]) == ("Modify", "False")
    inner = aws.cloudformation.describe_change_set(ChangeSetName=change["ChangeSetId"])
    assert [each["ResourceChange"]["Action"] for each in inner["Changes"]] == ["Modify"]

    aws.cloudformation.delete_change_set(ChangeSetName=change_set["ChangeSetId"])
    with pytest.raises(ClientError, match="does not exist"):
        aws.cloudformation.describe_change_set(ChangeSetName=inner["ChangeSetId"])


def test_a_change_set_that_is_deleted_takes_its_planned_stacks_along(aws: Aws) -> None:
    body = template(Child=nested(put(aws, "gone.json", child())))
    change_set = _change_set(aws, "gone", body, "CREATE")

    aws.cloudformation.delete_change_set(ChangeSetName=change_set["ChangeSetId"])

    assert [each["StackName"] for each in _living(aws, "gone")] == ["gone"]


def test_a_change_set_fails_by_what_is_nested(aws: Aws) -> None:
    url = put(aws, "bad.json", template(A=resource("SSM::Nothing")))

    with pytest.raises(AssertionError, match=r"Nested change set arn:\S+ was not successfully"):
        _change_set(aws, "bad", template(Child=nested(url)), "CREATE")

    (summary,) = aws.cloudformation.list_change_sets(StackName="bad")["Summaries"]
    change_set = aws.cloudformation.describe_change_set(ChangeSetName=summary["ChangeSetId"])
    (change,) = (each["ResourceChange"] for each in change_set["Changes"])
    inner = aws.cloudformation.describe_change_set(ChangeSetName=change["ChangeSetId"])
    assert "Unrecognized resource types: [AWS::SSM::Nothing] (A)" in inner["StatusReason"]


def test_a_nested_stack_that_is_updated_by_itself_stays_nested(aws: Aws) -> None:
    body = template(Child=nested(put(aws, "alone.json", child("1"))))
    aws.create("alone", body)
    inner = aws.physical_ids("alone")["Child"]

    assert aws.update(inner, child("2"))["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.update("alone", body)["StackStatus"] == "UPDATE_COMPLETE"
    assert aws.value(aws.physical_ids(inner)["A"]) == "1"


def _change_set(aws: Aws, name: str, body: dict[str, Any], kind: str) -> dict[str, Any]:
    change_set_id = aws.cloudformation.create_change_set(
        StackName=name,
        ChangeSetName=f"c{uuid4()}",
        ChangeSetType=kind,
        TemplateBody=json.dumps(body),
        IncludeNestedStacks=True,
    )["Id"]
    found: dict[str, Any] = eventually(
        lambda: aws.cloudformation.describe_change_set(ChangeSetName=change_set_id)
    )
    assert found["Status"] == "CREATE_COMPLETE", found.get("StatusReason")
    return found


def _living(aws: Aws, beginning: str = "deep") -> list[dict[str, Any]]:
    return [
        stack
        for stack in aws.cloudformation.describe_stacks()["Stacks"]
        if stack["StackName"].startswith(beginning)
    ]
