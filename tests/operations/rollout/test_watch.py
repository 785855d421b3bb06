"""A rollout is watched to its end: it came, it failed with its container's words, it went back."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import pytest

from sagemaker_serving.errors import Failure, NotFound, RolloutFailed
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.operations import watch
from sagemaker_serving.operations.rollout import logs, stack
from sagemaker_serving.operations.watch import RolloutEvent
from tests.local_aws.aws import eventually, service_in

watching: Any = sys.modules["sagemaker_serving.operations.watch"]
"""The module; the package's own ``watch`` is its function."""


def watched(aws: Any, endpoint: str, **options: Any) -> list[RolloutEvent]:
    options = {"poll_seconds": 0.1, "grace_seconds": 1.0, **options}
    return list(watch(endpoint, aws.client_side, **options))


def test_a_creation_is_watched_until_it_serves(aws: Any) -> None:
    aws.version("new", HELD="1")
    aws.hold()
    aws.sagemaker.create_endpoint(EndpointName="new", EndpointConfigName="new")
    events = watch("new", aws.client_side, poll_seconds=0.1)
    assert next(events).message == "Creating: new"
    aws.let_go()
    *_, last = events
    assert (last.kind, last.message) == ("done", "new serves new")
    assert last.state.status == "InService"


def test_an_update_that_comes_is_told_from_old_to_new(aws: Any) -> None:
    aws.endpoint("moves", aws.version("moves-1"))
    aws.hold()
    aws.update("moves", aws.version("moves-2", HELD="1"))
    events = watch("moves", aws.client_side, poll_seconds=0.1)
    said = [next(events).message]
    while "moves-2" not in said[-1]:
        said.append(next(events).message)
    assert said[-1] == "Updating: moves-1 -> moves-2"
    aws.let_go()
    *_, last = events
    assert last.message == "moves serves moves-2"


def test_a_creation_that_fails_ends_with_the_containers_last_words(aws: Any) -> None:
    aws.version("broken", EXIT_AT_START="1")
    aws.sagemaker.create_endpoint(EndpointName="broken", EndpointConfigName="broken")
    with pytest.raises(RolloutFailed, match="broken is Failed: The primary container") as told:
        watched(aws, "broken")
    assert told.value.log_lines[-1].endswith("stand-in: the model is broken")
    assert told.value.log_group == "/aws/sagemaker/Endpoints/broken"


def test_an_update_that_sagemaker_took_back_fails_although_it_is_in_service(
    aws: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_CLOCKS_DIFFER", timedelta())
    aws.endpoint("back", aws.version("back-1", VERSION="1"))
    service_in(aws.gateway, SageMaker).flush()
    aws.hold()
    aws.update("back", aws.version("back-2", HELD="1", VERSION="2", EXIT_AT_START="1"))
    events = watch("back", aws.client_side, poll_seconds=0.1)
    while "back-2" not in next(events).message:
        pass
    aws.let_go()
    with pytest.raises(
        RolloutFailed, match="back serves back-1, not back-2: SageMaker went back to it: The prim"
    ) as told:
        list(events)
    assert aws.status("back") == "InService"
    assert [line.partition(": ")[2] for line in told.value.log_lines] == [
        "stand-in: version 2",
        "stand-in: the model is broken",
    ], "lines of the container that serves are not those of the one that failed"


def test_a_failed_update_is_known_afterwards_too(aws: Any) -> None:
    aws.endpoint("later", aws.version("later-1"))
    aws.update("later", aws.version("later-2", EXIT_AT_START="1"))
    aws.settled("later")
    with pytest.raises(RolloutFailed, match="later serves later-1, and its last update failed: T"):
        watched(aws, "later")


def test_a_container_that_says_it_cannot_start_is_not_waited_for(aws: Any) -> None:
    aws.version("hopeless", UNHEALTHY="1", VERSION="Worker failed to boot.")
    aws.sagemaker.create_endpoint(EndpointName="hopeless", EndpointConfigName="hopeless")
    with pytest.raises(RolloutFailed, match=r"inference\.py could not be loaded") as told:
        watched(aws, "hopeless")
    assert aws.status("hopeless") == "Creating"
    assert "Worker failed to boot." in str(told.value)


def test_a_failure_in_the_log_of_one_that_comes_up_is_none(aws: Any) -> None:
    aws.version("noisy", VERSION="Worker failed to boot.")
    aws.sagemaker.create_endpoint(EndpointName="noisy", EndpointConfigName="noisy")
    assert watched(aws, "noisy", grace_seconds=30.0)[-1].kind == "done"


def test_the_config_that_was_asked_for_must_be_the_one_that_serves(aws: Any) -> None:
    aws.endpoint("other", aws.version("other-1"))
    assert watched(aws, "other", config="other-1")[-1].kind == "done"
    with pytest.raises(RolloutFailed, match="other serves other-1, not other-2"):
        watched(aws, "other", config="other-2")


def test_without_a_rollout_the_stack_says_what_was_wanted(aws: Any) -> None:
    aws.deploy("stacked", "A")
    assert watched(aws, "stacked")[-1].kind == "done"
    aws.update("stacked", aws.version("by-hand"))
    aws.settled("stacked")
    said = "stacked serves by-hand, not ConfigA-.* as its stack stacked says"
    with pytest.raises(RolloutFailed, match=said) as told:
        watched(aws, "stacked")
    assert told.value.log_lines == (), "no container has failed"


def test_a_stack_that_went_back_is_a_failure_with_its_reason(aws: Any) -> None:
    aws.deploy("rolled", "A")
    aws.deploy("rolled", "B", EXIT_AT_START="1")
    with pytest.raises(
        RolloutFailed, match=r"stack rolled is UPDATE_ROLLBACK_COMPLETE: .*The primary container"
    ):
        watched(aws, "rolled")


def test_a_deploy_whose_change_set_is_ready_is_waited_for(aws: Any) -> None:
    aws.deploy("announced", "A")
    aws.change_set("announced", "B")
    events = watch("announced", aws.client_side, poll_seconds=0.1)
    said = [next(events).message, next(events).message]
    assert said[1] == "stack announced is about to be updated, by next; waiting for it"
    aws.client("cloudformation").execute_change_set(StackName="announced", ChangeSetName="next")
    *_, last = events
    assert last.message.startswith("announced serves ConfigB-")


def test_one_that_nobody_executes_is_not(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    aws.deploy("forgotten", "A")
    aws.change_set("forgotten", "B")
    monkeypatch.setattr(stack, "_IS_EXECUTED_WITHIN", timedelta())
    assert watched(aws, "forgotten")[-1].message.endswith("; no rollout is under way")


def test_a_stack_that_fails_after_its_endpoint_moved_is_no_success(aws: Any) -> None:
    aws.deploy("half", "A")
    aws.hold()
    aws.begin("half", "B", {"HELD": "1"}, fails_later=True)
    eventually(lambda: aws.status("half") == "Updating")
    events = watch("half", aws.client_side, poll_seconds=0.1)
    next(events)
    aws.let_go()
    with pytest.raises(
        RolloutFailed,
        match=r"half serves ConfigA-.*, not ConfigB-.*: its stack half is UPDATE_ROLL",
    ):
        list(events)


def test_an_endpoint_that_does_not_exist_is_the_callers_mistake(aws: Any) -> None:
    with pytest.raises(NotFound, match="there is no endpoint 'nobody' in eu-west-1"):
        watch("nobody", aws.client_side)


def test_one_that_takes_too_long_is_named_with_its_status(aws: Any) -> None:
    aws.version("slow", UNHEALTHY="1")
    aws.sagemaker.create_endpoint(EndpointName="slow", EndpointConfigName="slow")
    with pytest.raises(Failure, match="slow is still Creating after 0 s"):
        watched(aws, "slow", timeout_seconds=0.0)


def test_aws_that_does_not_answer_for_a_moment_ends_nothing(
    aws: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws.version("patient", HELD="1")
    aws.hold()
    aws.sagemaker.create_endpoint(EndpointName="patient", EndpointConfigName="patient")
    events = watch("patient", aws.client_side, poll_seconds=0.1)
    next(events)
    answers = iter([Failure("AWS does not answer")])
    real = watching.endpoint_state

    def endpoint_state(*arguments: Any) -> Any:
        for failure in answers:
            raise failure
        return real(*arguments)

    monkeypatch.setattr(watching, "endpoint_state", endpoint_state)
    aws.let_go()
    *_, last = events
    assert last.message == "patient serves patient"
    assert list(answers) == []
