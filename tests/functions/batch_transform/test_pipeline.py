"""Whole executions on the local AWS, with transform jobs that fail: never lost, never twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from local_aws.faults import Fault, Kind
from tests.functions.batch_transform.pipeline import Pipeline
from tests.local_aws.aws import Aws, eventually

pytestmark = pytest.mark.timeout(600)

NOT_A_NUMBER = 'ClientError: 400 Message: {"error": "not a number"}'
_numbers = count(1)


@pytest.fixture(autouse=True)
def no_faults_are_left(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()


def pipeline(aws: Aws, model: str = "echo", **settings: Any) -> Pipeline:
    return Pipeline(aws, f"batch-{next(_numbers)}", model, **settings)


def complete(ended: Any) -> None:
    assert ended["status"] == "SUCCEEDED", (ended.get("error"), ended.get("cause"))


GPU = {
    "instance_type": "ml.g4dn.xlarge",
    "transform_ami_version": "al2-ami-sagemaker-batch-gpu-535",
}
"""Jobs that the machine looks at itself."""


@pytest.mark.parametrize("settings", [{}, GPU], ids=["waited-for", "asked"])
def test_killed_jobs_throttling_and_bad_objects_lose_nothing_and_do_nothing_twice(
    aws: Aws, settings: dict[str, Any]
) -> None:
    batch = pipeline(aws, max_objects_per_shard=5, max_concurrent_jobs=3, **settings)
    good = {f"{number:03}.png": b"image %d" % number for number in range(27)}
    bad = {f"deep/er/{number}.png": b"please refuse %d" % number for number in range(3)}
    batch.put({**good, **bad})
    for fault in (
        Fault(id="kill", kind=Kind.KILL, service="sagemaker", rate=0.2, seed=7),
        Fault(id="throttle", kind=Kind.THROTTLING, service="sagemaker", rate=0.1, seed=3),
        Fault(
            id="capacity",
            kind=Kind.NO_CAPACITY,
            service="sagemaker",
            operation="CreateTransformJob",
            every=6,
        ),
    ):
        aws.gateway.context.faults.put(fault)
    complete(batch.run())
    assert batch.outputs() == {name: body[::-1] for name, body in good.items()}
    assert {line["object"]: line["error"] for line in batch.quarantine()} == dict.fromkeys(
        bad, NOT_A_NUMBER
    )
    counts = batch.report()["counts"]
    assert (counts["objects"], counts["answered"], counts["quarantined"]) == (30, 27, 3)
    assert counts["unaccounted"] == 0
    assert batch.lock() is None

    jobs = batch.jobs()
    complete(batch.run())
    assert batch.jobs() == jobs
    assert batch.report()["counts"]["answered_before"] == 27
    assert [line["object"] for line in batch.quarantine()] == sorted(bad)


@pytest.mark.long
def test_what_one_call_of_the_function_has_no_time_for_another_one_does(aws: Aws) -> None:
    """With no time to spare at all each call counts a few outputs, and the next one goes on."""
    batch = pipeline(
        aws,
        function_seconds=120,
        split_type="Line",
        assemble_with="Line",
        batch_strategy="SingleRecord",
        max_concurrent_transforms=4,
    )
    files = {f"{number:03}": b"%d\nab\n" % number for number in range(150)}
    batch.put({**files, "bad": b"ab\nrefuse\n"})
    ended = batch.run()
    complete(ended)
    assert batch.outputs() == {
        **{name: body.split()[0][::-1] + b"\nba\n" for name, body in files.items()},
        "bad": b"ba\n",
    }
    assert [line["record"] for line in batch.quarantine()] == [2]
    states = aws.client("stepfunctions")
    (run,) = states.list_map_runs(executionArn=ended["executionArn"])["mapRuns"]
    (child,) = states.list_executions(mapRunArn=run["mapRunArn"])["executions"]
    history = states.get_execution_history(executionArn=child["executionArn"], maxResults=1000)
    entered = [
        event["stateEnteredEventDetails"]["name"]
        for event in history["events"]
        if "stateEnteredEventDetails" in event
    ]
    assert entered.count("Transform") == 3
    assert entered.count("Settle") == 1 + 3 + 1 + 1, entered


def test_an_execution_waits_for_its_turn_and_takes_it_when_another_has_ended(aws: Aws) -> None:
    """As many run as the pipeline says, however many objects arrive."""
    states, batch = aws.client("stepfunctions"), pipeline(aws, max_concurrent_executions=1)
    waiting = {"Type": "Wait", "Seconds": 9999, "End": True}
    machine = states.create_state_machine(
        name="busy",
        definition=json.dumps({"StartAt": "Wait", "States": {"Wait": waiting}}),
        roleArn="arn:aws:iam::123456789012:role/states",
    )
    other = states.start_execution(stateMachineArn=machine["stateMachineArn"])["executionArn"]
    batch.put({"000.json": json.dumps({"execution": other}).encode()}, below="reports/turns/")
    batch.put({"a": b"12"})
    before, execution = batch.jobs(), batch.start()

    def waits() -> list[Any]:
        events = states.get_execution_history(executionArn=execution)["events"]
        entered = [each.get("stateEnteredEventDetails", {}).get("name") for each in events]
        return [name for name in entered if name == "Turn"][1:]

    eventually(waits)
    assert batch.jobs() == before
    states.stop_execution(executionArn=other)
    complete(batch.ended(execution))
    assert batch.outputs() == {"a": b"21"}
    assert batch._below("reports/turns/") == {}


@pytest.mark.long
def test_objects_that_kill_the_model_are_singled_out(aws: Aws) -> None:
    """Others that get no answer when the model dies over one of them are not to blame."""
    batch = pipeline(aws, invocations_max_retries=0, max_objects_per_shard=100)
    good = {f"{number:02}": b"%d!" % number for number in range(8)}
    batch.put({**good, "03": b"die"})
    complete(batch.run())
    assert batch.outputs() == {name: body[::-1] for name, body in good.items() if name != "03"}
    (line,) = batch.quarantine()
    assert line["object"] == "03"
    assert line["error"].startswith("Unable to get response from algorithm")


@pytest.mark.parametrize("kind", [Kind.ACCESS_DENIED, Kind.UNKNOWN_ROLE])
def test_a_permission_that_is_too_new_is_waited_for(aws: Aws, kind: Kind) -> None:
    batch = pipeline(aws)
    batch.put({"a": b"1"})
    aws.gateway.context.faults.put(
        Fault(id="new", kind=kind, operation="CreateTransformJob", first=4)
    )
    complete(batch.run())
    assert batch.outputs() == {"a": b"1"}


def test_a_machine_that_may_not_read_its_plan_yet_tries_again(aws: Aws) -> None:
    batch = pipeline(aws)
    batch.put({"a": b"1"})
    new = Fault(
        id="new",
        kind=Kind.ACCESS_DENIED,
        service="s3",
        operation="GetObject",
        name="*/plan.jsonl",
        first=2,
    )
    aws.gateway.context.faults.put(new)
    complete(batch.run())
    (fault,) = aws.gateway.context.faults.listed()
    assert fault["struck"] == 2


def test_a_manifest_that_may_not_be_read_yet_is_asked_for_again(aws: Aws) -> None:
    batch = pipeline(aws)
    batch.put({"a": b"1"})
    body = json.dumps([{"prefix": batch.input}, "a"]).encode()
    batch.put({"list.manifest": body}, below="lists/")
    manifest = batch.input.replace("/in/", "/lists/list.manifest")
    new = Fault(id="new", kind=Kind.ACCESS_DENIED, name="*/list.manifest", first=2)
    aws.gateway.context.faults.put(new)
    complete(batch.run(input=manifest, input_type="ManifestFile"))
    assert batch.outputs() == {"a": b"1"}


def test_a_manifest_that_is_not_there_is_refused_at_once(aws: Aws) -> None:
    batch = pipeline(aws)
    gone = batch.input.replace("/in/", "/lists/gone.manifest")
    ended = batch.run(input=gone, input_type="ManifestFile")
    assert (ended["status"], ended["error"]) == ("FAILED", "Refused")
    assert f"there is no manifest at {gone}" in ended["cause"]


def test_a_missing_permission_is_told_after_a_minute_and_nothing_is_lost(aws: Aws) -> None:
    batch = pipeline(aws)
    batch.put({"a": b"1", "b": b"2"})
    aws.gateway.context.faults.put(
        Fault(id="no", kind=Kind.ACCESS_DENIED, operation="CreateTransformJob")
    )
    before = len(batch.jobs())
    ended = batch.run()
    assert (ended["status"], ended["error"]) == ("FAILED", "INCOMPLETE")
    assert "2 are not done" in ended["cause"]
    report = batch.report()
    assert report["counts"]["unaccounted"] == 2
    assert [line["object"] for line in report["first_unaccounted"]] == ["a", "b"]
    assert (
        "not authorized to perform: sagemaker:CreateTransformJob"
        in (report["first_unaccounted"][0]["error"])
    )
    assert len(batch.jobs()) == before

    aws.gateway.context.faults.clear()
    complete(batch.run())
    assert batch.outputs() == {"a": b"1", "b": b"2"}
    assert batch.report()["counts"]["unaccounted"] == 0


def test_a_budget_that_is_used_up_ends_the_shard_and_is_told(aws: Aws) -> None:
    batch = pipeline(aws)
    batch.put({"a": b"1"})
    aws.gateway.context.faults.put(
        Fault(id="full", kind=Kind.NO_CAPACITY, operation="CreateTransformJob")
    )
    before = len(batch.jobs())
    assert batch.run()["error"] == "INCOMPLETE"
    assert len(batch.jobs()) - before == 1 + 3
    assert "CapacityError" in batch.report()["first_unaccounted"][0]["error"]


@pytest.mark.long
def test_a_job_without_capacity_moves_to_the_next_type_and_from_the_last_to_the_first(
    aws: Aws,
) -> None:
    types = ["ml.g5.xlarge", "ml.g4dn.xlarge"]
    batch = pipeline(aws, instance_type=types[0], instance_types=types)
    full = Fault(id="full", kind=Kind.NO_CAPACITY, operation="CreateTransformJob")

    def tried(body: bytes, error: str | None) -> list[str]:
        before = set(batch.jobs())
        batch.put({"a": body})
        ended = batch.run()
        assert ended.get("error") == error, ended.get("cause")
        new = sorted(set(batch.jobs()) - before)
        jobs = [aws.sagemaker.describe_transform_job(TransformJobName=name) for name in new]
        return [job["TransformResources"]["InstanceType"] for job in jobs]

    aws.gateway.context.faults.put(replace(full, name=types[0]))
    assert tried(b"12", None) == types
    assert batch.outputs() == {"a": b"21"}
    aws.gateway.context.faults.put(full)
    assert tried(b"34", "INCOMPLETE") == types * (1 + 3)


def test_an_execution_that_is_refused_tells_why(aws: Aws) -> None:
    sns, sqs = aws.client("sns"), aws.client("sqs")
    topic = sns.create_topic(Name="told")["TopicArn"]
    queue = sqs.create_queue(QueueName="told")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["QueueArn"])
    batch = Pipeline(aws, "refused", "digits", topic_arn=topic)
    ended = batch.run()
    assert (ended["status"], ended["error"]) == ("FAILED", "Refused")
    reason = json.loads(ended["cause"])["errorMessage"]
    (message,) = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=20)["Messages"]
    told = json.loads(message["Body"])
    assert (told["Subject"], told["Message"]) == ("Batch transform: Refused", reason)


def test_quarantine_fails_the_execution_where_that_is_wanted_and_metrics_tell_it(
    aws: Aws,
) -> None:
    batch = pipeline(aws, fail_on_quarantine=True)
    batch.put({"a": b"1", "b": b"refuse"})
    ended = batch.run()
    assert (ended["status"], ended["error"]) == ("FAILED", "QUARANTINED")
    assert batch.outputs() == {"a": b"1"}
    metrics = aws.client("cloudwatch").list_metrics(
        Namespace="SageMakerServing/BatchTransform",
        Dimensions=[{"Name": "StateMachine", "Value": batch.arn.rsplit(":", 1)[1]}],
    )["Metrics"]
    assert {metric["MetricName"] for metric in metrics} == {
        *("Objects", "Answered", "Quarantined", "Unaccounted"),
        *("Records", "AnsweredRecords", "QuarantinedRecords"),
    }
