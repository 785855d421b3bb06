"""A wait condition waits for the signals that it asks for, and fails in AWS's words.

Source: CloudFormation user guide, "Create wait conditions in a CloudFormation template"; the words
as `wait_conditions` says.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    parameter,
    ref,
    resource,
    template,
)


def handle() -> dict[str, Any]:
    return {"Type": "AWS::CloudFormation::WaitConditionHandle"}


def condition(**properties: Any) -> dict[str, Any]:
    """A wait condition of a minute at the handle ``Handle``."""
    given = {"Handle": ref("Handle"), "Timeout": "60", **properties}
    return resource("CloudFormation::WaitCondition", **given)


def put(url: str, body: bytes | dict[str, str]) -> int:
    """Send a signal as ``cfn-signal`` does; the status of the answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": ""}
    request = urllib.request.Request(url, data=content, method="PUT", headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except HTTPError as refused:
        return refused.code


def signal(unique_id: str, status: str = "SUCCESS", **more: str) -> dict[str, str]:
    return {"Status": status, "UniqueId": unique_id, "Reason": "ready", "Data": "done", **more}


def made(aws: Aws, stack: str, logical_id: str) -> str:
    """The physical id of a resource that is there, complete or waiting."""
    for _ in _until(f"{logical_id} is made"):
        known = _resources(aws, stack).get(logical_id)
        if known is not None and known.physical_id:
            return str(known.physical_id)
    raise AssertionError


def test_a_stack_goes_on_when_as_many_signals_as_it_wants_were_put(aws: Aws) -> None:
    body = template(
        {"Data": get_att("Wait", "Data"), "Id": get_att("Handle", "Id"), "Ref": ref("Wait")},
        Handle=handle(),
        Wait=condition(Count=2),
        After=parameter("1", "Wait"),
    )
    stack_id = aws.begin("create_stack", "waits", body)
    url = made(aws, "waits", "Handle")

    assert re.search(r"/cloudformation-waitcondition-eu-west-1/arn%3A.+/Handle\?X-Amz-", url)
    assert put(url.replace("/Handle?", "/Other?"), signal("forged")) == 403
    assert put(url, signal("one", Data="first")) == 200
    assert put(url, signal("one", Data="the same again")) == 200
    made(aws, "waits", "Wait")
    assert "After" not in _resources(aws, "waits")
    sent = json.dumps(signal("two", Data="second"))
    curl = ["curl", "-sf", "-X", "PUT", "-H", "Content-Type:", "--data-binary", sent, url]
    subprocess.run(curl, check=True)

    assert aws.done(stack_id)["StackStatus"] == "CREATE_COMPLETE"
    outputs = aws.outputs("waits")
    assert outputs["Data"] == '{"one":"first","two":"second"}'
    assert outputs["Ref"] == f"{stack_id}/{outputs['Id']}/Handle"
    again = aws.update("waits", template(Handle=handle(), Wait=condition(Count=3)))
    assert again["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    unsupported = "Update to resource type AWS::CloudFormation::WaitCondition is not supported"
    assert unsupported in str(aws.events("waits"))
    assert aws.delete("waits")["StackStatus"] == "DELETE_COMPLETE"


@pytest.mark.parametrize(
    ("sent", "timeout", "reason"),
    [
        (
            signal("i-1", "FAILURE", Reason="no disk"),
            "60",
            "WaitCondition received failed message: 'no disk' for uniqueId: i-1",
        ),
        (signal("one"), "0", "WaitCondition timed out. Received 1 conditions when expecting 2"),
        (b"{}", "60", "Unparsable WaitCondition data"),
        (b"ready", "60", "Unparsable WaitCondition data"),
    ],
)
def test_a_condition_that_cannot_hold_any_more_fails_its_stack(
    aws: Aws, sent: bytes | dict[str, str], timeout: str, reason: str
) -> None:
    wait = {**condition(Count="2", Timeout=timeout), "DependsOn": "Before"}
    before = condition(Handle=ref("Gate"))
    body = template(Handle=handle(), Gate=handle(), Before=before, Wait=wait)
    stack_id = aws.begin("create_stack", "fails", body)

    put(made(aws, "fails", "Handle"), sent)
    put(made(aws, "fails", "Gate"), signal("go on"))

    assert aws.done(stack_id)["StackStatus"] == "ROLLBACK_COMPLETE"
    (failed,) = [each for each in aws.events("fails") if each["ResourceStatus"] == "CREATE_FAILED"]
    assert failed["ResourceStatusReason"] == reason
    aws.delete("fails")


def test_a_stack_that_waits_is_deleted_when_somebody_wants_it(aws: Aws) -> None:
    aws.begin("create_stack", "given-up", template(Handle=handle(), Wait=condition()))
    made(aws, "given-up", "Wait")

    assert aws.delete("given-up")["StackStatus"] == "DELETE_COMPLETE"


def _resources(aws: Aws, stack: str) -> dict[str, Any]:
    return dict(aws.kept(stack).version.resources)


def _until(what: str) -> Iterator[None]:
    """Again and again, for a minute at most."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        yield
    raise AssertionError(f"{what}: not within a minute")


@pytest.mark.parametrize(
    ("it", "message"),
    [
        (condition(Timeout="43201"), "Timeout is '43201'; it must be a whole number from 0"),
        (condition(Count=0), "Count is 0; it must be a whole number of at least 1"),
    ],
)
def test_what_can_never_be_waited_for_is_refused(
    aws: Aws, it: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClientError) as refused:
        aws.create("refused", template(Handle=handle(), It=it))

    assert message in refused.value.response["Error"]["Message"]


def test_a_creation_policy_is_only_kept(aws: Aws) -> None:
    wait = resource("CloudFormation::WaitCondition")
    wait["CreationPolicy"] = {"ResourceSignal": {"Count": 1, "Timeout": "PT5M"}}
    assert aws.create("policy", template(Wait=wait))["StackStatus"] == "CREATE_COMPLETE"
    assert "the local AWS only keeps CreationPolicy" in str(aws.events("policy"))
    aws.delete("policy")
