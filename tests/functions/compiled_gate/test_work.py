"""A compiled model is judged on a temporary endpoint, of which nothing is left in any case."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from local_aws.faults import Fault, Kind
from sagemaker_serving.functions.compiled_gate import judging, work
from tests.functions.compiled_gate.driving import STACK, Machine, event, left, status
from tests.functions.killing import Killing
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws

pytestmark = pytest.mark.slow


def answered(aws: Aws, listener: Listener, asked: Any, *, interrupted: bool = False) -> Any:
    Machine(aws).run(asked, interrupted=interrupted)
    return listener.answer(asked["RequestId"])


def test_a_model_within_its_limits_passes_with_its_figures(aws: Aws, listener: Listener) -> None:
    asked = event(listener, golden="near", max_error=0.001, agreement=1)
    answer = answered(aws, listener, asked)
    assert answer["Status"] == "SUCCESS"
    assert answer["PhysicalResourceId"] == asked["ResourceProperties"]["EndpointName"]
    assert answer["Data"].pop("P50Milliseconds")
    assert answer["Data"] == {
        "MaxError": "0.0001",
        "MeanError": "5e-05",
        "Agreement": "100.0000%",
        "Requests": "1",
    }
    assert left(aws) == []


def test_a_wrong_model_fails_with_its_figures(aws: Aws, listener: Listener) -> None:
    answer = answered(aws, listener, event(listener, golden="far", max_error=0.001, agreement=1))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith(
        "the compiled model of neo on ml.m5.large is not accepted: max_error is 0.65 at body; "
        "0.001 is allowed; agreement is 0.0000% (0 of 1 rows); 100.0000% is wanted (golden "
        "requests asked: 1); it gets no traffic, and its temporary endpoint is removed"
    )
    assert left(aws) == []


def test_a_model_that_does_not_come_up_fails_and_is_removed(aws: Aws, listener: Listener) -> None:
    answer = answered(aws, listener, event(listener, "broken"))
    assert answer["Reason"].startswith("the temporary endpoint of neo on ml.m5.large is Failed: ")
    assert left(aws) == []


def test_one_that_a_new_policy_failed_is_begun_once_more(aws: Aws, listener: Listener) -> None:
    """As Terraform does: hashicorp/terraform-provider-aws, internal/service/sagemaker."""
    new = Fault(id="new", kind=Kind.ACCESS_DENIED, service="s3", operation="GetObject", first=1)
    aws.gateway.context.faults.put(new)
    assert answered(aws, listener, event(listener))["Status"] == "SUCCESS"
    assert left(aws) == []


def test_one_that_a_policy_fails_for_good_is_told_with_aws_reason(
    aws: Aws, listener: Listener
) -> None:
    never = Fault(id="no", kind=Kind.ACCESS_DENIED, service="s3", operation="GetObject")
    aws.gateway.context.faults.put(never)
    reason = answered(aws, listener, event(listener))["Reason"]
    assert reason.startswith("the temporary endpoint of neo on ml.m5.large is Failed: ")
    assert "not authorized" in reason
    assert left(aws) == []


def test_one_that_takes_too_long_is_removed_as_soon_as_it_can_be(
    aws: Aws, listener: Listener, held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.touch()
    monkeypatch.setattr(work, "PATIENCE_SECONDS", 0)
    asked, machine = event(listener, "held"), Machine(aws)
    state = machine.step("look", machine.begin(asked))
    assert "was not in service after 0 seconds" in state["verdict"]["Reason"]
    held.unlink()
    while "outcome" not in state:
        machine.wait(asked["ResourceProperties"]["EndpointName"])
        state = machine.step("look", state)
    assert left(aws) == []


def test_one_that_is_still_being_made_in_the_end_is_named_and_removed_by_the_rollback(
    aws: Aws, listener: Listener, held: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.touch()
    asked, machine = event(listener, "held"), Machine(aws)
    name = asked["ResourceProperties"]["EndpointName"]
    with monkeypatch.context() as impatient:
        impatient.setattr(work, "PATIENCE_SECONDS", 0)
        impatient.setattr(work, "PATIENCE_OF_A_REMOVAL_SECONDS", 0)
        state = machine.step("look", machine.begin(asked))
        reason = machine.step("look", state)["outcome"]["Reason"]
    assert f"{name} could not be removed (after 0 seconds), and is paid for until it is" in reason
    held.unlink()
    gone = event(listener, "held", kind="Delete", name=name)
    assert answered(aws, listener, gone)["Status"] == "SUCCESS"
    assert left(aws) == []


@pytest.mark.parametrize("operation", ["CreateEndpoint", "InvokeEndpoint"])
def test_an_error_of_any_step_removes_what_there_is(
    aws: Aws, listener: Listener, operation: str
) -> None:
    aws.gateway.context.faults.put(Fault(id="no", kind=Kind.ACCESS_DENIED, operation=operation))
    answer = answered(aws, listener, event(listener))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("the deploy's function is not allowed what judging neo on")
    assert left(aws) == []


def test_what_cannot_be_removed_is_named_with_the_command_that_does(
    aws: Aws, listener: Listener
) -> None:
    asked = event(listener)
    name = asked["ResourceProperties"]["EndpointName"]
    aws.gateway.context.faults.put(
        Fault(id="no", kind=Kind.ACCESS_DENIED, operation="DeleteEndpoint")
    )
    reason = answered(aws, listener, asked)["Reason"]
    assert (
        f"is paid for until it is: aws sagemaker delete-endpoint --endpoint-name {name}" in reason
    )
    aws.gateway.context.faults.clear()
    again = answered(aws, listener, {**event(listener, name=name), "RequestType": "Create"})
    assert again["Status"] == "SUCCESS", "what a former try has left is removed first"
    assert left(aws) == []


def test_a_cancelled_deploy_leaves_nothing(aws: Aws, listener: Listener, held: Path) -> None:
    held.touch()
    asked = event(listener, "held")
    name = asked["ResourceProperties"]["EndpointName"]
    Machine(aws).begin(asked)
    assert status(aws, name) == "Creating"
    held.unlink()
    gone = event(listener, "held", kind="Delete", name=name)
    assert answered(aws, listener, gone, interrupted=True)["Status"] == "SUCCESS"
    assert left(aws) == []


def test_what_another_stack_has_made_is_left_to_it(aws: Aws, listener: Listener) -> None:
    Machine(aws).begin(event(listener, name="gate-of-another", stack=f"{STACK}-else/1"))
    reason = answered(aws, listener, event(listener, name="gate-of-another"))["Reason"]
    assert "has the name of the temporary endpoint that would judge neo" in reason
    gone = event(listener, kind="Delete", name="gate-of-another")
    assert answered(aws, listener, gone)["Status"] == "SUCCESS"
    assert "gate-of-another" in left(aws)
    theirs = event(listener, kind="Delete", name="gate-of-another", stack=f"{STACK}-else/2")
    assert answered(aws, listener, theirs)["Status"] == "SUCCESS", "made anew, it is the same stack"
    assert left(aws) == []


def test_the_same_content_is_judged_once(aws: Aws, listener: Listener) -> None:
    aws.gateway.context.faults.put(
        Fault(id="no", kind=Kind.ACCESS_DENIED, operation="CreateEndpointConfig")
    )
    assert answered(aws, listener, event(listener, kind="Update"))["Status"] == "SUCCESS"


def test_more_requests_than_there_is_time_for_fail(
    aws: Aws, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MOST_SECONDS", -1)
    reason = answered(aws, listener, event(listener))["Reason"]
    assert "answered 0 of 1 golden requests within -1 seconds" in reason
    assert left(aws) == []


@pytest.mark.long
def test_killed_anywhere_it_comes_to_the_same_end(aws: Aws, listener: Listener) -> None:
    for number in count(1):
        killed = Killing(number)
        asked = event(listener)
        Machine(aws, killed).run(asked)
        assert listener.answer(asked["RequestId"])["Status"] == "SUCCESS", killed.calls
        assert left(aws) == [], killed.calls
        if len(killed.calls) < number:
            break
    assert {"CreateEndpoint", "InvokeEndpoint", "DeleteEndpoint", "answer"} <= set(killed.calls)
