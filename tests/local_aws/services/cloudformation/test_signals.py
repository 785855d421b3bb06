"""A creation waits for the signals that its template asks for, and fails in AWS's words.

Sources: CloudFormation user guide, "Create wait conditions in a CloudFormation template"; template
reference, "CreationPolicy attribute"; the words as `engine.signals` and `wait_conditions` say.
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

INSTANCE = {"ImageId": "ami-1", "InstanceType": "m5.large"}


def handle() -> dict[str, Any]:
    return {"Type": "AWS::CloudFormation::WaitConditionHandle"}


def condition(**properties: Any) -> dict[str, Any]:
    """A wait condition of a minute at the handle ``Handle``."""
    given = {"Handle": ref("Handle"), "Timeout": "60", **properties}
    return resource("CloudFormation::WaitCondition", **given)


def waiting(kind: str, percent: int | None = None, /, **signal: Any) -> dict[str, Any]:
    """A resource of ``AWS::<kind>`` whose creation policy waits for a signal."""
    properties = {"EC2::Instance": INSTANCE, "AutoScaling::AutoScalingGroup": _GROUP}.get(kind, {})
    policy: dict[str, Any] = {"ResourceSignal": signal}
    if percent is not None:
        policy["AutoScalingCreationPolicy"] = {"MinSuccessfulInstancesPercent": percent}
    return {"Type": f"AWS::{kind}", "Properties": properties, "CreationPolicy": policy}


_GROUP = {
    "MinSize": "0",
    "MaxSize": "1",
    "LaunchConfigurationName": ref("Launch"),
    "VPCZoneIdentifier": [ref("Subnet")],
}
AROUND = {
    "Launch": resource("AutoScaling::LaunchConfiguration", **INSTANCE),
    "Vpc": resource("EC2::VPC", CidrBlock="10.0.0.0/16"),
    "Subnet": resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/24"),
}


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


def history_of(aws: Aws, stack: str, logical_id: str) -> list[tuple[str, str | None]]:
    """Status and reason of a resource's events, oldest first."""
    return [
        (each["ResourceStatus"], each.get("ResourceStatusReason"))
        for each in aws.events(stack)
        if each["LogicalResourceId"] == logical_id
    ]


def send(aws: Aws, stack: str, logical_id: str, unique_id: str, status: str = "SUCCESS") -> None:
    aws.cloudformation.signal_resource(
        StackName=stack, LogicalResourceId=logical_id, UniqueId=unique_id, Status=status
    )


def refusal(aws: Aws, *signalled: str) -> str:
    with pytest.raises(ClientError) as refused:
        send(aws, *signalled)
    assert refused.value.response["Error"]["Code"] == "ValidationError"
    return str(refused.value.response["Error"]["Message"])


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
    assert ("UPDATE_FAILED", unsupported) in history_of(aws, "waits", "Wait")
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
    before = waiting("CloudFormation::WaitCondition")
    body = template(Handle=handle(), Before=before, Wait=wait)
    stack_id = aws.begin("create_stack", "fails", body)

    put(made(aws, "fails", "Handle"), sent)
    made(aws, "fails", "Before")
    send(aws, "fails", "Before", "go on")

    assert aws.done(stack_id)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert ("CREATE_FAILED", reason) in history_of(aws, "fails", "Wait")
    aws.delete("fails")


@pytest.fixture(scope="module")
def signalled(aws: Aws) -> Iterator[str]:
    """A stack of all that waits for signals, on their way."""
    body = template(
        {"Data": get_att("Wait", "Data")},
        Wait=waiting("CloudFormation::WaitCondition", Count={"Ref": "Count"}),
        Instance=waiting("EC2::Instance"),
        Group=waiting("AutoScaling::AutoScalingGroup", 50, Count="2", Timeout="PT1H30M"),
        Text=parameter(),
        **AROUND,
    )
    body["Parameters"] = {"Count": {"Type": "Number", "Default": 2}}
    yield aws.begin("create_stack", "signalled", body)
    assert aws.delete("signalled")["StackStatus"] == "DELETE_COMPLETE"


def test_creations_end_when_their_signals_have_come(aws: Aws, signalled: str) -> None:
    instance = made(aws, "signalled", "Instance")
    made(aws, "signalled", "Group")
    made(aws, "signalled", "Wait")

    send(aws, "signalled", "Wait", "one")
    assert refusal(aws, "signalled", "Wait", "one") == (
        "Signal with ID one for resource Wait already exists.  Signals may only be updated with a "
        "FAILURE status."
    )
    assert refusal(aws, "signalled", "Nothing", "one") == (
        "Resource Nothing does not exist for stack signalled"
    )
    assert refusal(aws, "signalled", "Text", "one") == (
        "Resource Text is of type AWS::SSM::Parameter and cannot be signaled"
    )
    send(aws, signalled, "Instance", instance)
    for _ in _until("the instance is complete"):
        if _resources(aws, "signalled")["Instance"].status == "CREATE_COMPLETE":
            break
    assert refusal(aws, "signalled", "Instance", instance) == (
        "Resource Instance is in CREATE_COMPLETE state and cannot be signaled"
    )
    for logical_id, unique_id, status in (
        ("Group", "i-1", "FAILURE"),
        ("Group", "i-2", "SUCCESS"),
        ("Wait", "two", "SUCCESS"),
    ):
        send(aws, "signalled", logical_id, unique_id, status)

    assert aws.done(signalled)["StackStatus"] == "CREATE_COMPLETE"
    assert aws.outputs("signalled")["Data"] == "{}"
    assert history_of(aws, "signalled", "Group") == [
        ("CREATE_IN_PROGRESS", None),
        ("CREATE_IN_PROGRESS", "Resource creation Initiated"),
        ("CREATE_IN_PROGRESS", "Received FAILURE signal with UniqueId i-1"),
        ("CREATE_IN_PROGRESS", "Received SUCCESS signal with UniqueId i-2"),
        ("CREATE_COMPLETE", None),
    ]
    assert refusal(aws, "signalled", "Group", "i-3") == (
        f"Stack {signalled} is in CREATE_COMPLETE state and cannot be signaled"
    )
    assert refusal(aws, "nowhere", "Group", "i-3").endswith("does not exist")


@pytest.mark.parametrize(
    ("kind", "count", "sent", "timeout", "reason"),
    [
        (
            "CloudFormation::WaitCondition",
            3,
            [("one", "SUCCESS")],
            "PT1S",
            "Failed to receive 2 resource signal(s) within the specified duration",
        ),
        (
            "EC2::Instance",
            2,
            [("i-1", "SUCCESS"), ("i-1", "FAILURE")],
            "PT1M",
            "Received FAILURE signal with UniqueId i-1",
        ),
        (
            "AutoScaling::AutoScalingGroup",
            2,
            [("i-1", "FAILURE")],
            "PT1M",
            "Received 1 FAILURE signal(s) out of 2.  Unable to satisfy 100% "
            "MinSuccessfulInstancesPercent requirement",
        ),
        (
            "AutoScaling::AutoScalingGroup",
            2,
            [],
            "PT0S",
            "Received 0 SUCCESS signal(s) out of 2.  Unable to satisfy 100% "
            "MinSuccessfulInstancesPercent requirement",
        ),
    ],
)
def test_a_creation_fails_by_signals_that_fail_or_are_missing(
    aws: Aws, kind: str, count: int, sent: list[tuple[str, str]], timeout: str, reason: str
) -> None:
    it = waiting(kind, Count=count, Timeout=timeout)
    stack_id = aws.begin("create_stack", "missing", template(It=it, **AROUND))

    for each in sent:
        made(aws, "missing", "It")
        send(aws, "missing", "It", *each)

    assert aws.done(stack_id)["StackStatus"] == "ROLLBACK_COMPLETE"
    history = history_of(aws, "missing", "It")
    assert ("CREATE_FAILED", reason) in history
    if timeout == "PT0S":
        batch = "Failed to receive 2 resource signal(s) for the current batch.  Each resource "
        counted = f"{batch}signal timeout is counted as a FAILURE."
        assert ("CREATE_IN_PROGRESS", counted) in history
    aws.delete("missing")


def test_a_stack_that_waits_is_deleted_when_somebody_wants_it(aws: Aws) -> None:
    aws.begin("create_stack", "given-up", template(Handle=handle(), Wait=condition()))
    made(aws, "given-up", "Wait")

    assert aws.delete("given-up")["StackStatus"] == "DELETE_COMPLETE"


@pytest.mark.parametrize(
    ("it", "message"),
    [
        (
            resource("CloudFormation::WaitCondition"),
            "Properties validation failed for resource It with message: #: required key [Handle] "
            "not found; Properties validation failed for resource It with message: #: required key "
            "[Timeout] not found",
        ),
        (condition(Timeout="43201"), "Timeout is '43201'; it must be a whole number from 0"),
        (condition(Count=0), "Count is 0; it must be a whole number of at least 1"),
        (
            waiting("EC2::Instance", Timeout="PT13H"),
            "CreationPolicy.ResourceSignal.Timeout is 'PT13H'; it must be of the form PT#H#M#S",
        ),
        (
            waiting("EC2::Instance", Count="many"),
            "CreationPolicy.ResourceSignal.Count is 'many'; it must be a whole number from 1",
        ),
        (
            waiting("EC2::Instance", 50),
            "CreationPolicy has no member AutoScalingCreationPolicy; it has ResourceSignal",
        ),
        (
            waiting("AutoScaling::AutoScalingGroup", 101),
            "MinSuccessfulInstancesPercent is 101; it must be a whole number to 100",
        ),
        (
            {**waiting("EC2::Instance"), "CreationPolicy": "wait"},
            "CreationPolicy is 'wait'; it must be an object",
        ),
        (
            waiting("EC2::Instance", Count=ref("Handle")),
            "Unresolved resource dependencies [Handle] in the Resources block",
        ),
    ],
)
def test_what_can_never_be_waited_for_is_refused(
    aws: Aws, it: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClientError) as refused:
        aws.create("refused", template(Handle=handle(), It=it, **AROUND))

    assert message in refused.value.response["Error"]["Message"]


def _resources(aws: Aws, stack: str) -> dict[str, Any]:
    return dict(aws.kept(stack).version.resources)


def _until(what: str) -> Iterator[None]:
    """Again and again, for a minute at most."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        yield
    raise AssertionError(f"{what}: not within a minute")
