"""The function is killed after each of its calls: one job, and always an answer."""

from __future__ import annotations

from itertools import count

import pytest

from tests.functions.killing import Killing
from tests.functions.neo_compilation.driving import (
    Listener,
    Machine,
    ended,
    event,
    properties,
    statuses,
)
from tests.local_aws.aws import Aws


@pytest.mark.parametrize("late", [False, True])
def test_a_create_that_is_killed_anywhere_makes_one_job_and_answers(
    aws: Aws, listener: Listener, late: bool
) -> None:
    for number in count(1):
        given = properties("keras.tar.gz")
        asked = event(listener, given)
        killed = Killing(number)
        Machine(aws, killed, late=late).run(asked)
        name = given["CompilationJobName"]
        assert statuses(aws, name) == ["COMPLETED"], killed.calls
        answer = listener.answer(asked["RequestId"])
        assert answer["Status"] == "SUCCESS", killed.calls
        assert answer["Data"]["ModelDataUrl"] == f"s3://models/compiled/{name}/keras-ml_c5.tar.gz"
        if len(killed.calls) < number:
            break
    assert number > 5, killed.calls
    assert {"CreateCompilationJob", "DescribeCompilationJob", "answer"} <= set(killed.calls)


@pytest.mark.parametrize("late", [False, True])
def test_a_job_that_fails_is_not_begun_again_wherever_it_is_killed(
    aws: Aws, listener: Listener, late: bool
) -> None:
    for number in count(1):
        given = properties("nothing.tar.gz")
        asked = event(listener, given)
        killed = Killing(number)
        Machine(aws, killed, late=late).run(asked)
        assert statuses(aws, given["CompilationJobName"]) == ["FAILED"], killed.calls
        answer = listener.answer(asked["RequestId"])
        assert answer["Status"] == "FAILED", killed.calls
        assert answer["Reason"].startswith("there is no archive at s3://models/nothing.tar.gz")
        if len(killed.calls) < number:
            break


def test_a_delete_that_is_killed_anywhere_stops_the_job_and_answers(
    aws: Aws, listener: Listener, slowly: None
) -> None:
    for number in count(1):
        given = properties("keras.tar.gz")
        Machine(aws).begin(event(listener, given))
        asked = event(listener, given, "Delete")
        killed = Killing(number)
        Machine(aws, killed).run(asked)
        assert listener.answer(asked["RequestId"])["Status"] == "SUCCESS", killed.calls
        name = given["CompilationJobName"]
        assert ended(aws, name)["CompilationJobStatus"] == "STOPPED", killed.calls
        assert statuses(aws, name) == ["STOPPED"], killed.calls
        if len(killed.calls) < number:
            break
