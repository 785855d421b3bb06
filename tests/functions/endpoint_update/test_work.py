"""The function moves an endpoint that is not the stack's, and gives it back when the stack goes
back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from sagemaker_serving.functions.endpoint_update import work
from tests.functions.endpoint_update.driving import TAKEN_BACK, Machine, event
from tests.functions.killing import Killing
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws, eventually

AT_ONCE = {"TrafficRoutingConfiguration": {"Type": "ALL_AT_ONCE", "WaitIntervalInSeconds": 0}}


@pytest.fixture
def digits(aws: Aws) -> Iterator[str]:
    """An endpoint of somebody's, which serves the config ``old``."""
    aws.endpoint("digits", "old")
    yield "digits"
    aws.settled("digits")
    aws.delete("digits")


def serves(aws: Aws, endpoint: str = "digits") -> str:
    return str(aws.settled(endpoint)["EndpointConfigName"])


def answered(aws: Aws, listener: Listener, asked: Any, **how: Any) -> Any:
    Machine(aws).run(asked, **how)
    return listener.answer(asked["RequestId"])


def test_the_endpoint_moves_and_its_former_config_is_recorded(
    aws: Aws, listener: Listener, digits: str
) -> None:
    answer = answered(aws, listener, event(aws, listener, digits))
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "digits/old")
    assert answer["Data"] == {"EndpointName": "digits"}
    assert serves(aws) == "new"
    later = event(aws, listener, digits, "old", kind="Update")
    assert answered(aws, listener, later)["PhysicalResourceId"] == "digits/old"
    assert serves(aws) == "old"


def test_an_endpoint_that_is_there_already_is_left_as_it_is(
    aws: Aws, listener: Listener, digits: str
) -> None:
    before = aws.settled(digits)["LastModifiedTime"]
    answer = answered(aws, listener, event(aws, listener, digits, "old"))
    assert answer["Status"] == "SUCCESS"
    assert aws.settled(digits)["LastModifiedTime"] == before


def test_a_version_that_does_not_come_up_fails_with_its_reason(
    aws: Aws, listener: Listener, digits: str
) -> None:
    answer = answered(aws, listener, event(aws, listener, digits, "broken"))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("digits serves old after the update to broken: ")
    assert answer["PhysicalResourceId"] == "digits/old"


def test_another_s_update_is_waited_for_first(aws: Aws, listener: Listener, digits: str) -> None:
    aws.config("theirs", {"all": "old"})
    aws.sagemaker.update_endpoint(EndpointName=digits, EndpointConfigName="theirs")
    answer = answered(aws, listener, event(aws, listener, digits))
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "digits/theirs")
    assert serves(aws) == "new"


def test_an_endpoint_that_is_not_there_is_named(aws: Aws, listener: Listener) -> None:
    answer = answered(aws, listener, event(aws, listener, "nobody"))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("there is no endpoint nobody in eu-west-1; name one that")
    gone = event(aws, listener, "nobody", kind="Delete", stack=TAKEN_BACK)
    assert answered(aws, listener, gone)["Status"] == "SUCCESS"


@pytest.mark.parametrize("update", [{}, {"DeploymentConfig": {"BlueGreenUpdatePolicy": AT_ONCE}}])
def test_a_config_that_is_gone_is_named(
    aws: Aws, listener: Listener, digits: str, update: dict[str, Any]
) -> None:
    answer = answered(aws, listener, event(aws, listener, digits, "gone", update=update))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("SageMaker does not move digits to gone: ")


def test_a_config_that_is_not_known_yet_is_waited_for(
    aws: Aws, listener: Listener, digits: str
) -> None:
    class Late(Machine):
        def step(self, name: str, state: Any) -> Any:
            if name == "update" and state.get("sought") == 3:
                aws.config("late", {"all": "new"})
            return super().step(name, state)

    asked = event(aws, listener, digits, "late")
    Late(aws).run(asked)
    assert (listener.answer(asked["RequestId"])["Status"], serves(aws)) == ("SUCCESS", "late")


def test_a_stack_that_is_deleted_leaves_the_endpoint_alone(
    aws: Aws, listener: Listener, digits: str
) -> None:
    answered(aws, listener, event(aws, listener, digits))
    answer = answered(aws, listener, event(aws, listener, digits, kind="Delete"))
    assert (answer["Status"], serves(aws)) == ("SUCCESS", "new")


def test_a_stack_that_is_taken_back_gives_the_former_config_back(
    aws: Aws, listener: Listener, digits: str
) -> None:
    answered(aws, listener, event(aws, listener, digits))
    back = event(aws, listener, digits, kind="Delete", stack=TAKEN_BACK)
    answer = answered(aws, listener, back)
    assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", "digits/old")
    assert serves(aws) == "old"


def test_what_another_has_moved_on_is_left_there(aws: Aws, listener: Listener, digits: str) -> None:
    """A rollback gives back only what this stack has taken."""
    back = event(aws, listener, digits, kind="Delete", stack=TAKEN_BACK, before="new")
    assert answered(aws, listener, back)["Status"] == "SUCCESS"
    assert serves(aws) == "old"


def test_a_create_that_failed_before_anything_was_recorded_gives_nothing_back(
    aws: Aws, listener: Listener, digits: str
) -> None:
    never_asked = aws.config("never-asked", {"all": "new"})
    gone: dict[str, Any] = {"kind": "Delete", "stack": TAKEN_BACK, "before": ""}
    back = event(aws, listener, digits, never_asked, **gone)
    assert answered(aws, listener, back)["Status"] == "SUCCESS"
    assert serves(aws) == "old"


def test_a_create_that_cloudformation_cancelled_is_given_back_all_the_same(
    aws: Aws, listener: Listener, digits: str
) -> None:
    """Its Delete has a physical id of CloudFormation's own, and the update may be under way."""
    machine = Machine(aws)
    started = datetime.now(UTC).isoformat()
    given = {"request": event(aws, listener, digits), "interrupted": False, "started": started}
    assert machine.step("update", machine.step("begin", given))["asked"]
    back = event(aws, listener, digits, kind="Delete", stack=TAKEN_BACK)
    back["PhysicalResourceId"] = "prod-digits-Endpoint-1A2B3C"
    answer = answered(aws, listener, back, interrupted=True)
    assert (answer["Status"], answer["PhysicalResourceId"]) == (
        "SUCCESS",
        "prod-digits-Endpoint-1A2B3C",
    )
    assert serves(aws) == "old"


def test_the_way_back_has_no_guardrails(aws: Aws, listener: Listener, digits: str) -> None:
    """The alarms that took the new version back would stop it, too."""
    alarms = {"AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "not there"}]}}
    update = {"DeploymentConfig": {"BlueGreenUpdatePolicy": AT_ONCE, **alarms}}
    aws.sagemaker.update_endpoint(EndpointName=digits, EndpointConfigName="new")
    aws.settled(digits)
    given: dict[str, Any] = {"kind": "Update", "update": update}
    back = event(aws, listener, digits, "old", stack=TAKEN_BACK, **given)
    assert answered(aws, listener, back)["Status"] == "SUCCESS"
    forth = answered(aws, listener, event(aws, listener, digits, **given))
    assert (forth["Status"], serves(aws)) == ("FAILED", "old")


def test_other_variants_under_guardrails_are_named_before_anything_is_asked(
    aws: Aws, listener: Listener, digits: str
) -> None:
    update = {"DeploymentConfig": {"BlueGreenUpdatePolicy": AT_ONCE}}
    answer = answered(aws, listener, event(aws, listener, digits, "renamed", update=update))
    assert answer["Reason"].startswith("digits has the variants all, and the file has other: ")
    retained = {"RetainAllVariantProperties": True}
    moved = event(aws, listener, digits, "renamed", update=retained)
    assert answered(aws, listener, moved)["Status"] == "SUCCESS"


def test_counts_that_scaling_set_are_kept(aws: Aws, listener: Listener, digits: str) -> None:
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=digits,
        DesiredWeightsAndCapacities=[{"VariantName": "all", "DesiredInstanceCount": 3}],
    )
    aws.settled(digits)
    retained = {"RetainAllVariantProperties": True}
    answered(aws, listener, event(aws, listener, digits, update=retained))
    (variant,) = aws.settled(digits)["ProductionVariants"]
    assert variant["CurrentInstanceCount"] == 3


def test_another_endpoint_is_not_gone_over_to(aws: Aws, listener: Listener, digits: str) -> None:
    old: dict[str, Any] = {"OldResourceProperties": {"EndpointName": "former"}}
    answer = answered(aws, listener, event(aws, listener, digits, kind="Update", **old))
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("this stack moves former, and the file names digits; ")
    back = event(aws, listener, digits, "old", kind="Update", stack=TAKEN_BACK, **old)
    assert answered(aws, listener, back)["Status"] == "SUCCESS"


def test_what_the_stack_does_not_know_is_left_alone_on_the_way_there_and_back(
    aws: Aws, listener: Listener, digits: str
) -> None:
    """As after `rollback`: the deploy is refused, and CloudFormation's way back moves nothing."""
    aws.config("bad", {"all": "new"})
    left: dict[str, Any] = {"OldResourceProperties": {"EndpointConfigName": "bad"}}
    refused = answered(aws, listener, event(aws, listener, digits, kind="Update", **left))
    assert refused["Reason"].startswith("digits serves old, and its stack says bad: ")
    back_by = "go back by `sagemaker-serving rollback digits --to bad"
    assert f"would move it there; {back_by} --local`" in refused["Reason"]
    left = {"OldResourceProperties": {"EndpointConfigName": "new"}}
    back = event(aws, listener, digits, "bad", kind="Update", stack=TAKEN_BACK, **left)
    assert answered(aws, listener, back)["Status"] == "SUCCESS"
    assert serves(aws) == "old"
    again = aws.config("old-content", {"all": aws.model("old-content", {"VERSION": "old"})})
    alike = event(aws, listener, digits, again, kind="Update", **left)
    assert (answered(aws, listener, alike)["Status"], serves(aws)) == ("SUCCESS", again)


def test_a_deploy_that_is_let_through_and_fails_gives_back_what_served_before_it(
    aws: Aws, listener: Listener, digits: str
) -> None:
    """What its stack says is the version that somebody has left."""
    left = aws.config("left", {"all": "new"})
    good = aws.config("good", {"all": aws.model("good", {"VERSION": "old"})})
    there: dict[str, Any] = {"OldResourceProperties": {"EndpointConfigName": left}}
    asked = event(aws, listener, digits, good, kind="Update", **there)
    assert (answered(aws, listener, asked)["Status"], serves(aws)) == ("SUCCESS", good)
    there = {"OldResourceProperties": {"EndpointConfigName": good}}
    back = event(aws, listener, digits, left, kind="Update", stack=TAKEN_BACK, **there)
    assert (answered(aws, listener, back)["Status"], serves(aws)) == ("SUCCESS", "old")


def test_what_takes_longer_than_cloudformation_waits_is_told(
    aws: Aws, listener: Listener, digits: str
) -> None:
    late = datetime.now(UTC) - timedelta(seconds=work.PATIENCE_SECONDS)
    asked = event(aws, listener, digits)
    state = {"request": asked, "wanted": "new", "going_back": False, "started": late.isoformat()}
    aws.sagemaker.update_endpoint(EndpointName=digits, EndpointConfigName="new")
    outcome = Machine(aws).step("look", state)["outcome"]
    assert outcome["Reason"].startswith("digits was still Updating after 3000 seconds, and ")


def test_an_error_of_the_machine_is_the_answer(aws: Aws, listener: Listener) -> None:
    asked = event(aws, listener, "digits")
    error = {"Cause": '{"errorMessage": "AccessDenied: not authorized to do so"}'}
    Machine(aws).step("answer", {"request": asked, "error": error})
    reason = listener.answer(asked["RequestId"])["Reason"]
    assert reason.startswith("the deploy's function is not allowed what the update needs: ")
    lost = event(aws, listener, "digits")
    work.handler({"requestPayload": lost, "responsePayload": {"errorMessage": "no memory"}}, None)
    assert "no memory" in listener.answer(lost["RequestId"])["Reason"]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Create", "Delete"])
def test_killed_anywhere_it_comes_to_the_same_end(aws: Aws, listener: Listener, kind: str) -> None:
    name = kind.lower()
    aws.endpoint(name, "old")
    start, end = ("old", "new") if kind == "Create" else ("new", "old")
    for number in count(1):
        aws.sagemaker.update_endpoint(EndpointName=name, EndpointConfigName=start)
        aws.settled(name)
        killed = Killing(number)
        asked = event(aws, listener, name, kind=kind, stack=TAKEN_BACK)
        Machine(aws, killed).run(asked, interrupted=kind == "Delete")
        answer = listener.answer(asked["RequestId"])
        assert (answer["Status"], answer["PhysicalResourceId"]) == ("SUCCESS", f"{name}/old")
        assert serves(aws, name) == end, killed.calls
        if len(killed.calls) < number:
            break
    assert {"DescribeEndpoint", "UpdateEndpoint", "answer"} <= set(killed.calls)
    eventually(lambda: aws.settled(name)["EndpointStatus"] == "InService")
    aws.delete(name)
