"""A function is in place a moment after it was made or changed, and each change is a revision.

Recorded by LocalStack's suite, November 2025.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.services.lambda_.service import Lambda
from tests.local_aws.aws import REGION, eventually, service_in
from tests.local_aws.functions import ROLE, Functions, zipped

RETURNS = "def handler(event, context):\n    return {value!r}\n"
WHY = "The function is being created."
PENDING = {"State": "Pending", "StateReason": WHY, "StateReasonCode": "Creating"}
IN_PROGRESS = {
    "State": "Active",
    "LastUpdateStatus": "InProgress",
    "LastUpdateStatusReason": WHY,
    "LastUpdateStatusReasonCode": "Creating",
}
IN_PLACE = {"State": "Active", "LastUpdateStatus": "Successful"}
CANNOT = "The operation cannot be performed at this time. "


@pytest.fixture
def _slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made or changed stays on its way for longer than a test takes."""
    monkeypatch.setattr("local_aws.services.lambda_.functions.SETTLING_SECONDS", 1000)


def create(functions: Functions, name: str, source: str = "x = 1", **more: Any) -> Any:
    """A function that nobody has waited for."""
    return functions.api.create_function(
        FunctionName=name,
        Runtime="python3.11",
        Handler="app.handler",
        Role=ROLE,
        Code={"ZipFile": zipped({"app.py": source})},
        **more,
    )


def settle(functions: Functions, name: str) -> None:
    """Let its time have passed."""
    function = service_in(functions.gateway, Lambda).store.find(REGION, name)
    assert function is not None
    function.settle(math.inf)


def look(functions: Functions, name: str, **more: Any) -> Any:
    return functions.api.get_function_configuration(FunctionName=name, **more)


def state_of(answer: Any) -> dict[str, Any]:
    return {k: v for k, v in answer.items() if k.startswith(("State", "LastUpdateStatus"))}


def conflict(call: Any, **given: Any) -> str:
    """What a call that comes too early is told."""
    with pytest.raises(ClientError) as refused:
        call(**given)
    answer = refused.value.response
    assert answer["Error"]["Code"] == "ResourceConflictException"
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 409
    return str(answer["Error"]["Message"])


@pytest.mark.usefixtures("_slow")
def test_a_new_function_is_pending_and_takes_no_call_yet(functions: Functions) -> None:
    made = create(functions, "pending")
    assert state_of(made) == PENDING
    code = {"ZipFile": zipped({"app.py": "x = 2"})}
    for call, given in (
        (functions.api.invoke, {}),
        (functions.api.invoke, {"InvocationType": "Event"}),
        (functions.api.update_function_code, code),
        (functions.api.update_function_configuration, {"Timeout": 5}),
        (functions.api.publish_version, {}),
    ):
        said = conflict(call, FunctionName="pending", **given)
        assert said == f"{CANNOT}The function is currently in the following state: Pending"
    settle(functions, "pending")
    found = look(functions, "pending")
    assert state_of(found) == IN_PLACE
    assert found["RevisionId"] != made["RevisionId"]


def test_an_update_is_in_progress_and_the_old_code_runs_until_it_is_there(
    functions: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The states are recorded; which code runs meanwhile is said by AWS's page "Lambda function
    states"."""
    functions.create("updated", RETURNS.format(value="old"))
    monkeypatch.setattr("local_aws.services.lambda_.functions.SETTLING_SECONDS", 1000)
    code = {"ZipFile": zipped({"app.py": RETURNS.format(value="new")})}
    changed = functions.api.update_function_code(FunctionName="updated", **code)
    assert state_of(changed) == IN_PROGRESS
    said = conflict(functions.api.update_function_configuration, FunctionName="updated", Timeout=5)
    assert said == f"{CANNOT}An update is in progress for resource: {changed['FunctionArn']}"
    assert functions.invoke("updated").payload == "old"
    settle(functions, "updated")
    assert functions.invoke("updated").payload == "new"


@pytest.mark.usefixtures("_slow")
def test_what_is_on_its_way_is_kept_as_that(functions: Functions) -> None:
    create(functions, "kept-pending")
    store = service_in(functions.gateway, Lambda).store
    saved = store.export_state()
    assert json.loads(json.dumps(saved)) == saved
    store.restore_state(saved)
    assert state_of(look(functions, "kept-pending")) == PENDING


@pytest.mark.usefixtures("_slow")
def test_a_version_that_is_published_on_the_way_is_pending_too(functions: Functions) -> None:
    made = create(functions, "published", Publish=True)
    assert (made["Version"], state_of(made)) == ("1", PENDING)
    assert made["FunctionArn"].endswith(":function:published")
    settle(functions, "published")
    code = {"ZipFile": zipped({"app.py": "x = 2"})}
    second = functions.api.update_function_code(FunctionName="published", **code, Publish=True)
    assert (second["Version"], state_of(second)) == ("2", PENDING)
    assert second["FunctionArn"].endswith(":function:published:2")
    assert state_of(look(functions, "published")) == IN_PROGRESS
    assert state_of(look(functions, "published", Qualifier="1")) == IN_PLACE


@pytest.mark.usefixtures("_slow")
def test_events_of_services_wait_for_a_function(functions: Functions) -> None:
    events = functions.client("events")
    source = "import os\ndef handler(event, context):\n    print('event', event['n'])\n"
    arn = create(functions, "waited-for", source)["FunctionArn"]
    rule = events.put_rule(Name="early", EventPattern='{"source": ["early"]}')["RuleArn"]
    functions.api.add_permission(
        FunctionName="waited-for",
        StatementId="it",
        Action="lambda:InvokeFunction",
        Principal="events.amazonaws.com",
        SourceArn=rule,
    )
    events.put_targets(Rule="early", Targets=[{"Id": "it", "Arn": arn, "InputPath": "$.detail"}])
    events.put_events(Entries=[{"Source": "early", "DetailType": "t", "Detail": '{"n": 1}'}])
    settle(functions, "waited-for")
    logs = functions.client("logs")

    def messages() -> list[str]:
        group = "/aws/lambda/waited-for"
        if not logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"]:
            return []
        return [each["message"] for each in logs.filter_log_events(logGroupName=group)["events"]]

    eventually(lambda: "event 1\n" in messages())


def test_every_change_is_another_revision(functions: Functions) -> None:
    arn = functions.create("revised", "x = 1")["FunctionArn"]
    functions.api.publish_version(FunctionName="revised")
    functions.api.create_alias(FunctionName="revised", Name="live", FunctionVersion="1")
    seen = [look(functions, "revised")["RevisionId"]]
    permission = {
        "FunctionName": "revised",
        "StatementId": "it",
        "Action": "lambda:InvokeFunction",
        "Principal": "sns.amazonaws.com",
    }
    for call, given in (
        (functions.api.add_permission, permission),
        (functions.api.remove_permission, {"FunctionName": "revised", "StatementId": "it"}),
        (functions.api.tag_resource, {"Resource": arn, "Tags": {"a": "b"}}),
        (functions.api.untag_resource, {"Resource": arn, "TagKeys": ["a"]}),
        (functions.api.update_function_configuration, {"FunctionName": "revised", "Timeout": 5}),
        (functions.api.publish_version, {"FunctionName": "revised"}),
    ):
        call(**given)
        functions.in_place("revised")
        seen.append(look(functions, "revised")["RevisionId"])
    assert len(set(seen)) == len(seen)


def test_a_policys_revision_is_that_of_what_it_is_attached_to(functions: Functions) -> None:
    functions.create("guarded", "x = 1")
    functions.api.publish_version(FunctionName="guarded")
    for qualifier in ("", "1"):
        of_it = {"FunctionName": "guarded", **({"Qualifier": qualifier} if qualifier else {})}
        functions.api.add_permission(
            **of_it,
            StatementId="it",
            Action="lambda:InvokeFunction",
            Principal="sns.amazonaws.com",
            RevisionId=functions.api.get_function_configuration(**of_it)["RevisionId"],
        )
        policy = functions.api.get_policy(**of_it)["RevisionId"]
        assert functions.api.get_function_configuration(**of_it)["RevisionId"] == policy


@pytest.mark.parametrize(
    ("operation", "given", "told_by"),
    [
        ("update_function_code", {"ZipFile": zipped({"app.py": ""})}, "GetFunction/GetAlias"),
        ("update_function_configuration", {"Timeout": 5}, "GetFunction/GetAlias"),
        ("publish_version", {}, "GetFunction/GetAlias"),
        ("update_alias", {"Name": "live"}, "GetFunction/GetAlias"),
        (
            "add_permission",
            {"StatementId": "new", "Action": "lambda:*", "Principal": "s3.amazonaws.com"},
            "GetPolicy",
        ),
        ("remove_permission", {"StatementId": "it"}, "GetPolicy"),
    ],
)
def test_a_change_of_an_earlier_revision_is_refused(
    functions: Functions, operation: str, given: dict[str, Any], told_by: str
) -> None:
    name = operation.replace("_", "-")
    functions.create(name, "x = 1")
    functions.api.publish_version(FunctionName=name)
    functions.api.create_alias(FunctionName=name, Name="live", FunctionVersion="1")
    functions.api.add_permission(
        FunctionName=name, StatementId="it", Action="lambda:*", Principal="sns.amazonaws.com"
    )
    with pytest.raises(functions.api.exceptions.PreconditionFailedException) as refused:
        getattr(functions.api, operation)(FunctionName=name, RevisionId="earlier", **given)
    assert refused.value.response["message"] == (
        "The Revision Id provided does not match the latest Revision Id. Call the "
        f"{told_by} API to retrieve the latest Revision Id"
    )


def test_what_has_changed_since_is_published_again(functions: Functions) -> None:
    functions.create("again", "x = 1")
    publish = functions.api.publish_version
    assert publish(FunctionName="again", Description="first")["Version"] == "1"
    assert publish(FunctionName="again", Description="not first")["Description"] == "first"
    functions.api.update_function_configuration(FunctionName="again", Description="changed")
    functions.in_place("again")
    second = publish(FunctionName="again")
    assert (second["Version"], second["Description"]) == ("2", "changed")


def test_lists_have_no_states_and_every_versions_own_arn(functions: Functions) -> None:
    arn = functions.create("listed", "x = 1", Publish=True)["FunctionArn"]
    listed = functions.api.list_versions_by_function(FunctionName="listed")["Versions"]
    assert [each["FunctionArn"] for each in listed] == [f"{arn}:$LATEST", f"{arn}:1"]
    assert [state_of(each) for each in listed] == [{}, {}]
    everything = functions.api.list_functions()["Functions"]
    assert [each["FunctionArn"] for each in everything if each["FunctionName"] == "listed"] == [arn]
