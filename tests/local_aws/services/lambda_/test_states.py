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
