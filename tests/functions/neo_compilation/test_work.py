"""What is compiled and what is found, who stops what, and what CloudFormation is told."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from typing import Any

import pytest

from sagemaker_serving.functions.neo_compilation import work
from tests.functions.neo_compilation.driving import (
    STACK,
    Listener,
    Machine,
    ended,
    event,
    properties,
    statuses,
)
from tests.local_aws.aws import Aws, archive, eventually

EARLIER = "2026-11-21T00:00:00Z"


def run(aws: Aws, listener: Listener, given: Mapping[str, Any], **more: Any) -> Any:
    """What CloudFormation is answered."""
    asked = event(listener, given, **more)
    Machine(aws).run(asked)
    return listener.answer(asked["RequestId"])


def test_the_answer_says_where_the_model_is_and_what_serves_it(
    aws: Aws, listener: Listener
) -> None:
    given = properties("keras.tar.gz")
    asked = event(listener, given)
    Machine(aws).run(asked)
    name = given["CompilationJobName"]
    found = listener.answer(asked["RequestId"])
    assert found == {
        "Status": "SUCCESS",
        "Reason": "",
        "PhysicalResourceId": name,
        "StackId": STACK,
        "RequestId": asked["RequestId"],
        "LogicalResourceId": "Compiled",
        "Data": {
            "ModelDataUrl": f"s3://models/compiled/{name}/keras-ml_c5.tar.gz",
            "InferenceImage": ended(aws, name)["InferenceImage"],
            "CompilationJobName": name,
        },
    }
    assert listener.content_type(asked["RequestId"]) == "", "the address is signed for no type"


def test_what_was_compiled_is_found_without_its_job(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz", InferenceImage="the-catalogs")
    first = run(aws, listener, given)
    aws.sagemaker.delete_compilation_job(CompilationJobName=given["CompilationJobName"])
    again = run(aws, listener, given)
    assert again["Data"]["ModelDataUrl"] == first["Data"]["ModelDataUrl"]
    assert again["Data"]["InferenceImage"] == "the-catalogs"
    assert statuses(aws, given["CompilationJobName"]) == []


def elsewhere(given: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    output = {**given["OutputConfig"], "S3OutputLocation": f"s3://models/{prefix}/"}
    return {**given, "OutputConfig": output}


def test_what_another_environment_has_compiled_is_copied(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    run(aws, listener, given)
    answered = run(aws, listener, elsewhere(given, "other"))
    assert answered["Data"]["ModelDataUrl"] == "s3://models/other/keras-ml_c5.tar.gz"
    assert statuses(aws, given["CompilationJobName"]) == ["COMPLETED"]
    assert aws.s3.head_object(Bucket="models", Key="other/keras-ml_c5.tar.gz")


def test_what_has_gone_is_compiled_again_under_the_next_name(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    name = given["CompilationJobName"]
    run(aws, listener, given)
    aws.s3.delete_object(Bucket="models", Key=f"compiled/{name}/keras-ml_c5.tar.gz")
    assert run(aws, listener, elsewhere(given, "another"))["Status"] == "SUCCESS"
    assert run(aws, listener, given)["Status"] == "SUCCESS"
    assert statuses(aws, name) == ["COMPLETED", "COMPLETED"]
    assert aws.sagemaker.describe_compilation_job(CompilationJobName=f"{name}-2")


def test_a_former_failure_is_tried_again_under_the_next_name(aws: Aws, listener: Listener) -> None:
    given = properties("comes-later.tar.gz")
    failed = run(aws, listener, given)
    assert failed["Status"] == "FAILED"
    aws.s3.put_object(
        Bucket="models", Key="comes-later.tar.gz", Body=archive({"model.h5": b"weights"})
    )
    assert run(aws, listener, given)["Status"] == "SUCCESS"
    assert statuses(aws, given["CompilationJobName"]) == ["FAILED", "COMPLETED"]


def test_two_stacks_share_one_job(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    first, second = event(listener, given), event(listener, given, StackId=f"{STACK}-other")
    begun = Machine(aws).begin(first)
    joined = Machine(aws).begin(second)
    assert (begun["own"], joined["own"]) == (True, False)
    assert begun["job"] == joined["job"]
    ended(aws, begun["job"])
    Machine(aws).run(second)
    assert listener.answer(second["RequestId"])["Status"] == "SUCCESS"
    assert statuses(aws, given["CompilationJobName"]) == ["COMPLETED"]


@pytest.mark.usefixtures("slowly")
def test_the_job_of_another_stack_is_not_stopped(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    Machine(aws).begin(event(listener, given, StackId=f"{STACK}-other"))
    assert run(aws, listener, given, kind="Delete")["Status"] == "SUCCESS"
    name = given["CompilationJobName"]
    assert statuses(aws, name)[0] in ("STARTING", "INPROGRESS")
    aws.sagemaker.stop_compilation_job(CompilationJobName=name)
    ended(aws, name)


@pytest.mark.usefixtures("slowly")
def test_a_job_that_somebody_else_stops_fails_the_deploy(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    asked = event(listener, given)
    state = Machine(aws).begin(asked)
    aws.sagemaker.stop_compilation_job(CompilationJobName=state["job"])
    ended(aws, state["job"])
    outcome = Machine(aws).step("look", state)["outcome"]
    assert outcome["Status"] == "FAILED"
    assert outcome["Reason"] == (
        f"compilation job {state['job']} was stopped while the deploy waited for it; deploy again "
        "to compile anew"
    )


@pytest.mark.usefixtures("slowly")
def test_a_job_is_stopped_before_cloudformation_stops_waiting(aws: Aws, listener: Listener) -> None:
    state = Machine(aws).begin(event(listener, properties("keras.tar.gz")))
    outcome = Machine(aws).step("look", {**state, "started": EARLIER})["outcome"]
    assert outcome["Status"] == "FAILED"
    assert "was not done after 57 minutes" in outcome["Reason"]
    assert ended(aws, state["job"])["CompilationJobStatus"] == "STOPPED"


@pytest.mark.usefixtures("slowly")
def test_an_update_first_stops_what_it_leaves_behind(aws: Aws, listener: Listener) -> None:
    old, new = properties("keras.tar.gz"), properties("keras.tar.gz")
    Machine(aws).begin(event(listener, old))
    update = event(listener, new, "Update", OldResourceProperties=old)
    state = Machine(aws).begin(update)
    assert "job" not in state, "nothing is begun while the old job still ends"
    assert ended(aws, old["CompilationJobName"])["CompilationJobStatus"] == "STOPPED"
    state = Machine(aws).step("look", state)
    assert state["job"] == new["CompilationJobName"]
    aws.sagemaker.stop_compilation_job(CompilationJobName=state["job"])
    ended(aws, state["job"])


@pytest.mark.usefixtures("slowly")
def test_a_delete_looks_twice_when_something_was_under_way(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    machine, asked = Machine(aws), event(listener, given, "Delete")
    state = machine.begin(asked, interrupted=True)
    assert "outcome" not in state
    late = Machine(aws).begin(event(listener, given))
    state = machine.step("look", state)
    assert "outcome" not in state, "the job that came late is on its way out"
    assert ended(aws, late["job"])["CompilationJobStatus"] == "STOPPED"
    assert machine.step("look", state)["outcome"]["Status"] == "SUCCESS"


def test_a_delete_without_a_job_succeeds(aws: Aws, listener: Listener) -> None:
    answered = run(aws, listener, properties("keras.tar.gz"), kind="Delete")
    assert (answered["Status"], answered["Data"]) == ("SUCCESS", {})


def test_an_account_without_permission_is_told_which(aws: Aws, listener: Listener) -> None:
    asked = event(listener, properties("keras.tar.gz"))
    cause = '{"errorMessage": "An error occurred (AccessDeniedException): not authorized to x"}'
    Machine(aws).step("answer", {"request": asked, "error": {"Cause": cause}})
    reason = listener.answer(asked["RequestId"])["Reason"]
    assert reason.startswith("the deploy's function is not allowed what compiling needs: ")
    assert "not authorized to x" in reason


def test_a_request_that_could_not_even_begin_is_answered(aws: Aws, listener: Listener) -> None:
    asked = event(listener, properties("keras.tar.gz"))
    work.handler({"requestPayload": asked, "responsePayload": {"errorMessage": "it broke"}}, None)
    answered = listener.answer(asked["RequestId"])
    assert answered["Status"] == "FAILED"
    assert answered["Reason"] == "compiling could not be begun or followed: it broke"


def test_a_delete_that_breaks_does_not_keep_the_stack(aws: Aws, listener: Listener) -> None:
    asked = event(listener, properties("keras.tar.gz"), "Delete")
    Machine(aws).step("answer", {"request": asked, "error": {"Cause": "it broke"}})
    assert listener.answer(asked["RequestId"])["Status"] == "SUCCESS"


def test_a_long_reason_fits_into_what_cloudformation_takes(aws: Aws, listener: Listener) -> None:
    asked = event(listener, properties("keras.tar.gz"))
    reason = "ü" * 5000
    outcome = {"Status": "FAILED", "Reason": reason}
    Machine(aws).step("answer", {"request": asked, "outcome": outcome})
    assert reason.startswith(listener.answer(asked["RequestId"])["Reason"])
    assert listener.size(asked["RequestId"]) <= 4096


def test_code_that_neo_left_out_is_put_beside_the_model(aws: Aws, listener: Listener) -> None:
    files = {"model.h5": b"weights", "code/inference.py": b"pass", "code/lib/png.py": b"x = 1"}
    aws.s3.put_object(Bucket="models", Key="coded.tar.gz", Body=archive(files))
    given = properties("coded.tar.gz", BringsCode="true")
    compiled = f"compiled/{given['CompilationJobName']}/coded-ml_c5.tar.gz"
    compiled_files = {"compiled.so": b"\x7fELF", "dlr.h": b""}
    aws.s3.put_object(Bucket="models", Key=compiled, Body=archive(compiled_files))
    for _ in range(2):
        url = run(aws, listener, given)["Data"]["ModelDataUrl"]
        assert url == f"s3://models/{compiled.replace('/coded', '/with-code/coded')}"
    body = aws.s3.get_object(Bucket="models", Key=url.removeprefix("s3://models/"))["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(body)) as joined:
        members = {member.name: joined.extractfile(member) for member in joined}
        assert {name: file.read() for name, file in members.items() if file} == {
            **compiled_files,
            "code/inference.py": b"pass",
            "code/lib/png.py": b"x = 1",
        }


def test_a_model_that_neo_gave_its_code_stays_as_it_is(aws: Aws, listener: Listener) -> None:
    files = {"model.h5": b"weights", "code/inference.py": b"pass"}
    aws.s3.put_object(Bucket="models", Key="whole.tar.gz", Body=archive(files))
    given = properties("whole.tar.gz", BringsCode="true")
    url = run(aws, listener, given)["Data"]["ModelDataUrl"]
    assert url == ended(aws, given["CompilationJobName"])["ModelArtifacts"]["S3ModelArtifacts"]


def test_a_model_that_ends_within_leaves_no_half_archive(aws: Aws, listener: Listener) -> None:
    files = {"model.h5": b"weights", "code/inference.py": b"pass"}
    aws.s3.put_object(Bucket="models", Key="coded.tar.gz", Body=archive(files))
    given = properties("coded.tar.gz", BringsCode="true")
    prefix = f"compiled/{given['CompilationJobName']}/"
    damaged = archive({"a": bytes(range(256)) * 4096, "b": b""})
    aws.s3.put_object(Bucket="models", Key=f"{prefix}x.tar.gz", Body=damaged[: len(damaged) // 2])
    with pytest.raises((tarfile.TarError, EOFError, OSError)):
        Machine(aws).run(event(listener, given))
    listed = aws.s3.list_objects_v2(Bucket="models", Prefix=prefix)["Contents"]
    assert [entry["Key"] for entry in listed] == [f"{prefix}x.tar.gz"]


def test_jobs_say_who_began_them(aws: Aws, listener: Listener) -> None:
    given = properties("keras.tar.gz")
    state = Machine(aws).begin(event(listener, given))
    job = eventually(lambda: ended(aws, state["job"]))
    tags = aws.sagemaker.list_tags(ResourceArn=job["CompilationJobArn"])["Tags"]
    assert {"Key": "sagemaker-serving:stack", "Value": STACK} in tags
    assert job["StoppingCondition"] == {"MaxRuntimeInSeconds": 900}
