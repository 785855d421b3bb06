from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    broken,
    endpoint,
    parameter,
    ref,
    resource,
    template,
)


def _plan(aws: Aws, name: str, body: dict[str, Any], **options: Any) -> dict[str, Any]:
    """A change set, described with its property values."""
    answer = aws.cloudformation.create_change_set(
        StackName=name,
        ChangeSetName="plan",
        TemplateBody=json.dumps(body),
        Capabilities=["CAPABILITY_NAMED_IAM"],
        **options,
    )
    described: dict[str, Any] = aws.cloudformation.describe_change_set(
        ChangeSetName=answer["Id"], IncludePropertyValues=True
    )
    return described


def _changes(described: dict[str, Any]) -> dict[str, dict[str, Any]]:
    changes = [change["ResourceChange"] for change in described["Changes"]]
    return {change["LogicalResourceId"]: change for change in changes}


def _execution_status(aws: Aws, described: dict[str, Any]) -> str:
    answer = aws.cloudformation.describe_change_set(ChangeSetName=described["ChangeSetId"])
    status: str = answer["ExecutionStatus"]
    return status


def _execute(aws: Aws, described: dict[str, Any], **options: Any) -> dict[str, Any]:
    aws.cloudformation.execute_change_set(ChangeSetName=described["ChangeSetId"], **options)
    return aws.done(described["StackId"])


def test_a_stack_is_created_through_review(aws: Aws) -> None:
    described = _plan(
        aws, "review", template({"A": ref("A")}, A=parameter()), ChangeSetType="CREATE"
    )

    assert (described["Status"], described["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert _changes(described)["A"]["Action"] == "Add"
    assert aws.stack("review")["StackStatus"] == "REVIEW_IN_PROGRESS"
    assert aws.physical_ids("review") == {}

    stack = _execute(aws, described)

    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert stack["ChangeSetId"] == described["ChangeSetId"]
    assert aws.outputs("review") == {"A": aws.physical_ids("review")["A"]}


def test_the_change_set_of_a_deployment_that_failed_says_so(aws: Aws) -> None:
    described = _plan(aws, "failing", template(A=broken()), ChangeSetType="CREATE")

    stack = _execute(aws, described)

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "DeletionTime" in stack  # What was made has been deleted (LocalStack's suite, 2025).
    assert "ChangeSetId" not in stack
    assert _execution_status(aws, described) == "EXECUTE_FAILED"


def test_a_stack_in_review_can_be_created_without_its_change_set(aws: Aws) -> None:
    """The one that was not executed is obsolete (recorded by LocalStack's suite, 2023)."""
    body = template(A=parameter())
    described = _plan(aws, "directly", body, ChangeSetType="CREATE")

    stack = aws.create("directly", body)

    assert (stack["StackId"], stack["StackStatus"]) == (described["StackId"], "CREATE_COMPLETE")
    assert stack.keys().isdisjoint({"ChangeSetId", "LastUpdatedTime"})
    assert _execution_status(aws, described) == "OBSOLETE"
    with pytest.raises(ClientError, match="AlreadyExistsException"):
        aws.create("directly", body)


def test_an_export_that_is_never_made_fails_the_deployment(aws: Aws) -> None:
    described = _plan(
        aws,
        "importing",
        template(A=parameter({"Fn::ImportValue": "never"})),
        ChangeSetType="CREATE",
    )

    assert _execute(aws, described)["StackStatus"] == "ROLLBACK_COMPLETE"
    reasons = [event.get("ResourceStatusReason") for event in aws.events(described["StackId"])]
    assert "No export named never found" in reasons


def test_a_stack_in_review_is_deleted_at_once(aws: Aws) -> None:
    _plan(aws, "unwanted", template(A=parameter()), ChangeSetType="CREATE")

    assert aws.delete("unwanted")["StackStatus"] == "DELETE_COMPLETE"


def test_nothing_to_change_fails_as_aws_says(aws: Aws) -> None:
    body = template(A=parameter())
    aws.create("same", body)

    described = _plan(aws, "same", body)

    assert (described["Status"], described["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert described["StatusReason"].startswith("The submitted information didn't contain changes.")
    with pytest.raises(ClientError, match="InvalidChangeSetStatus"):
        aws.cloudformation.execute_change_set(ChangeSetName=described["ChangeSetId"])


def test_a_replacement_is_foreseen_with_its_dependents(aws: Aws) -> None:
    aws.create("foreseen", endpoint(model="one"))

    described = _plan(aws, "foreseen", endpoint(model="two"))

    changes = _changes(described)
    assert sorted(changes) == ["Config", "Endpoint", "Model"]
    assert changes["Model"]["Replacement"] == "True"
    assert changes["Model"]["PolicyAction"] == "ReplaceAndDelete"
    assert changes["Config"]["Replacement"] == "Conditional"
    assert changes["Endpoint"]["Replacement"] == "False"
    (detail,) = changes["Model"]["Details"]
    assert detail["Target"]["Name"] == "PrimaryContainer"
    assert detail["Target"]["RequiresRecreation"] == "Always"
    assert "two.tar.gz" in detail["Target"]["AfterValue"]
    (detail,) = changes["Endpoint"]["Details"]
    assert (detail["Evaluation"], detail["Target"]["AfterValue"]) == (
        "Dynamic",
        "{{changeSet:KNOWN_AFTER_APPLY}}",
    )
    stack = _execute(aws, described)
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    aws.delete("foreseen")


def test_values_are_shown_only_when_asked_for(aws: Aws) -> None:
    aws.create("values", template(A=parameter("1")))
    _plan(aws, "values", template(A=parameter("2")))

    described = aws.cloudformation.describe_change_set(StackName="values", ChangeSetName="plan")

    change = _changes(described)["A"]
    assert "AfterContext" not in change
    assert "AfterValue" not in change["Details"][0]["Target"]


def test_added_changed_and_removed_resources_are_listed(aws: Aws) -> None:
    kept = {**parameter(), "DeletionPolicy": "Retain"}
    aws.create("list", template(A=parameter("1"), B=parameter(), C=kept, Same=parameter()))

    described = _plan(
        aws,
        "list",
        template(A=parameter("2"), D=resource("SNS::Topic"), Same=parameter()),
        Tags=[],
    )

    changes = _changes(described)
    assert {name: change["Action"] for name, change in changes.items()} == {
        "A": "Modify",
        "B": "Remove",
        "C": "Remove",
        "D": "Add",
    }
    assert changes["A"]["Scope"] == ["Properties"]
    assert (changes["B"]["PolicyAction"], changes["C"]["PolicyAction"]) == ("Delete", "Retain")


def test_only_outputs_changing_is_an_update_without_changes(aws: Aws) -> None:
    aws.create("outputs", template(A=parameter()))

    described = _plan(aws, "outputs", template({"A": ref("A")}, A=parameter()))

    assert (described["Status"], described["Changes"]) == ("CREATE_COMPLETE", [])
    assert _execute(aws, described)["StackStatus"] == "UPDATE_COMPLETE"
    assert list(aws.outputs("outputs")) == ["A"]


def test_a_change_set_of_a_stack_that_moved_on_cannot_be_executed(aws: Aws) -> None:
    aws.create("stale", template(A=parameter("1")))
    described = _plan(aws, "stale", template(A=parameter("2")))

    aws.update("stale", template(A=parameter("3")))

    with pytest.raises(ClientError, match=r"InvalidChangeSetStatus.*of \[OBSOLETE\]"):
        aws.cloudformation.execute_change_set(ChangeSetName=described["ChangeSetId"])


def test_change_sets_are_listed_and_deleted(aws: Aws) -> None:
    aws.create("listed", template(A=parameter("1")))
    _plan(aws, "listed", template(A=parameter("2")))
    assert [
        each["ChangeSetName"]
        for each in aws.cloudformation.list_change_sets(StackName="listed")["Summaries"]
    ] == ["plan"]
    with pytest.raises(ClientError, match="ChangeSet plan already exists"):
        _plan(aws, "listed", template(A=parameter("3")))

    for _ in range(2):
        aws.cloudformation.delete_change_set(StackName="listed", ChangeSetName="plan")

    assert aws.cloudformation.list_change_sets(StackName="listed")["Summaries"] == []


def test_a_template_is_read_from_the_local_s3(aws: Aws) -> None:
    s3 = aws.client("s3")
    s3.create_bucket(
        Bucket="templates", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    s3.put_object(Bucket="templates", Key="a/b.json", Body=json.dumps(template(A=parameter())))
    for number, url in enumerate(
        (
            "https://s3.eu-west-1.amazonaws.com/templates/a/b.json",
            "https://templates.s3.eu-west-1.amazonaws.com/a/b.json",
            f"{aws.gateway.url}/templates/a/b.json",
            "https://templates.s3.amazonaws.com/a%2Fb.json",
        )
    ):
        answer = aws.cloudformation.create_stack(StackName=f"url{number}", TemplateURL=url)
        assert aws.done(answer["StackId"])["StackStatus"] == "CREATE_COMPLETE"
    with pytest.raises(ClientError, match="S3 error: The specified bucket does not exist"):
        aws.cloudformation.create_stack(
            StackName="none", TemplateURL="https://no-such-bucket-of-ours.s3.amazonaws.com/a"
        )
    with pytest.raises(ClientError, match="Domain name specified in templates is not a valid S3"):
        aws.cloudformation.create_stack(StackName="none", TemplateURL="s3://templates/a/b.json")
    for url in (
        "https://example.com/templates/a/b.json",
        "https://example.com/b.json",
    ):  # As AWS says of every address that is not S3's own (LocalStack's suite).
        with pytest.raises(ClientError, match=r"TemplateURL must be a supported URL\.$"):
            aws.cloudformation.create_stack(StackName="none", TemplateURL=url)
    with pytest.raises(ClientError, match="S3 error: The specified key does not exist"):
        aws.cloudformation.create_stack(
            StackName="none", TemplateURL=f"{aws.gateway.url}/templates/none.json"
        )
