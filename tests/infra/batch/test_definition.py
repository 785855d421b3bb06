"""The batch pipeline's machine, by two validators, and every call in it by the API's own model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.protocol import models as api_models
from local_aws.protocol.validation import validate
from sagemaker_serving.functions.batch_transform.errors import Refused
from sagemaker_serving.functions.batch_transform.run import Run, run_of
from sagemaker_serving.functions.batch_transform.shard import Shard
from sagemaker_serving.functions.batch_transform.sharding import Input
from sagemaker_serving.functions.batch_transform.state import ShardState, Unit
from sagemaker_serving.functions.batch_transform.store import Store
from sagemaker_serving.infra.batch.definition import batch_definition
from sagemaker_serving.infra.batch.settings import transform_settings
from sagemaker_serving.infra.functions.machine_provider import waiting_states
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.transform_jobs.jobs import check_transform_job
from sagemaker_serving.spec import BatchTransform
from tests.functions.batch_transform.memory import MemoryS3

ROOT = Path(__file__).parents[3]
ASL_VALIDATOR = ROOT / "node_modules" / ".bin" / "asl-validator"
PAYLOAD_BYTES = 256 * 1024


def definition(**settings: Any) -> dict[str, Any]:
    spec = BatchTransform.model_validate({"instance_type": "ml.m5.large", **settings})
    return batch_definition(
        partition="aws",
        function_arn="arn:aws:lambda:eu-west-1:111122223333:function:batch",
        settings=transform_settings(
            spec, model_name="digits", work="s3://data/work/", reports="s3://data/reports/"
        ),
        topic_arn="arn:aws:sns:eu-west-1:111122223333:topic",
    )


def tasks(scope: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every Task state at any depth."""
    for state in scope["States"].values():
        if state["Type"] == "Task":
            yield state
        for inner in (*state.get("Branches", ()), state.get("ItemProcessor")):
            if inner is not None:
                yield from tasks(inner)


@pytest.fixture(scope="module")
def machine() -> dict[str, Any]:
    return definition()


def said_by_asl_validator(machine: Mapping[str, Any], folder: Path) -> str:
    path = folder / "machine.asl.json"
    path.write_text(json.dumps(machine))
    ended = subprocess.run(
        [str(ASL_VALIDATOR), "--json-path", str(path)], capture_output=True, text=True, check=False
    )
    return "" if ended.returncode == 0 else ended.stdout + ended.stderr


def test_asl_validator_finds_nothing(machine: dict[str, Any], tmp_path: Path) -> None:
    for each in (machine, definition(transform_ami_version="al2-ami-sagemaker-batch-gpu-535")):
        assert said_by_asl_validator(each, tmp_path) == ""
    shards = machine["States"]["Shards"]["ItemProcessor"]["States"]
    broken = {**shards, "Wait": {**shards["Wait"], "Next": "Nowhere"}}
    map_ = {**machine["States"]["Shards"]}
    map_["ItemProcessor"] = {**map_["ItemProcessor"], "States": broken}
    wrong = {**machine, "States": {**machine["States"], "Shards": map_}}
    assert "Nowhere" in said_by_asl_validator(wrong, tmp_path)


def test_no_call_of_the_function_ends_a_batch_because_lambda_is_busy_or_killed_it(
    machine: dict[str, Any],
) -> None:
    called = [task for task in tasks(machine) if task["Resource"].endswith(":lambda:invoke")]
    assert len(called) > 3
    for task in called:
        named = [name for each in task["Retry"] for name in each["ErrorEquals"]]
        assert {"Lambda.TooManyRequestsException", "States.ALL"} <= set(named)


def test_a_machine_that_may_not_call_its_function_yet_tries_for_a_minute(
    machine: dict[str, Any],
) -> None:
    """The name of that refusal: awslabs/aws-deployment-framework#460."""
    made = waiting_states("arn:aws:lambda:eu-west-1:111122223333:function:f", then="x", when="y")
    called = [task for task in tasks(machine) if task["Resource"].endswith(":lambda:invoke")]
    for task in (*called, *tasks(made)):
        name = "Lambda.AWSLambdaException"
        (retry,) = (each for each in task["Retry"] if name in each["ErrorEquals"])
        assert retry["IntervalSeconds"] * retry["MaxAttempts"] == 60
        assert retry["BackoffRate"] == 1
    (retry,) = machine["States"]["Shards"]["Retry"]
    assert retry["ErrorEquals"] == ["States.ItemReaderFailed", "States.Permissions"]
    assert retry["IntervalSeconds"] * retry["MaxAttempts"] == 60


@pytest.mark.parametrize(
    ("settings", "jobs"),
    [
        ({}, {"sagemaker:createTransformJob.sync"}),
        (
            {"transform_ami_version": "al2-ami-sagemaker-batch-gpu-535"},
            {
                "aws-sdk:sagemaker:createTransformJob",
                "aws-sdk:sagemaker:describeTransformJob",
            },
        ),
    ],
)
def test_every_call_has_the_arguments_of_its_api(settings: Any, jobs: set[str]) -> None:
    """Expressions stand for what the function gives; jobs' arguments are looked at below."""
    seen = set()
    for task in tasks(definition(**settings)):
        resource = task["Resource"].removeprefix("arn:aws:states:::")
        service, action = resource.split(":")[-2:]
        seen.add(resource if service == "sagemaker" else action)
        if action.startswith("createTransformJob"):
            assert task["Arguments"] == "{% $states.input.job %}"
            continue
        operation = api_models.operation(service, action)
        validate(operation.input_shape, _plain(task["Arguments"], action))
    assert seen == {"invoke", "putMetricData", "putEvents", "publish", *jobs}


def _plain(arguments: Mapping[str, Any], action: str) -> Any:
    """Arguments with a value in the place of each expression, and documents as text."""
    text = json.loads(
        json.dumps(arguments), object_hook=lambda each: {k: _value(v) for k, v in each.items()}
    )
    if action == "invoke":
        text["Payload"] = json.dumps(text["Payload"])
    if action == "putEvents":
        text["Entries"] = [{**e, "Detail": json.dumps(e["Detail"])} for e in text["Entries"]]
    return text


def _value(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith("{%"):
        return value
    return 1.0 if ".counts." in value else "text"


def next_job(run: Run, number: int, *, jobs: int) -> dict[str, Any]:
    """The job that follows ``jobs`` others of a shard with one input."""
    state = ShardState(jobs=jobs, groups=[[Unit(input=0)]])
    inputs = [Input(name="a", size=1, modified=0)]
    shard = Shard(run=run, number=number, step=jobs, inputs=inputs, state=state)
    job: dict[str, Any] = shard.next_step()["job"]
    return job


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "content_type": st.sampled_from(["text/csv", "application/json", "image/png"]),
        "accept": st.sampled_from(["text/csv", "application/json"]),
        "compression_type": st.sampled_from(["None", "Gzip"]),
        "split_type": st.sampled_from(["None", "Line", "RecordIO", "TFRecord"]),
        "assemble_with": st.sampled_from(["None", "Line"]),
        "batch_strategy": st.sampled_from(["MultiRecord", "SingleRecord"]),
        "max_payload_in_mb": st.integers(-1, 120),
        "max_concurrent_transforms": st.integers(-1, 20),
        "invocations_timeout_in_seconds": st.integers(0, 4000),
        "invocations_max_retries": st.integers(-1, 5),
        "instance_count": st.integers(-1, 3),
        "environment": st.dictionaries(
            st.text("AB", min_size=1, max_size=3), st.text(max_size=200), max_size=18
        ),
        "input_filter": st.text("$.[x]", max_size=70),
    },
)


@given(fields=FIELDS)
def test_a_job_is_one_that_create_transform_job_takes_or_refused_before(
    fields: dict[str, Any],
) -> None:
    """Whatever an execution's input says: types, ranges, patterns, payload times concurrency."""
    spec = BatchTransform(instance_type="ml.m5.large")
    settings = transform_settings(
        spec, model_name="digits", work="s3://data/work/", reports="s3://data/reports/"
    )
    given_ = {"input": "s3://data/in/", "output": "s3://data/out/", **fields}
    arn = "arn:aws:states:eu-west-1:111122223333:execution:batch:run"
    try:
        run = run_of(Store(MemoryS3()), settings, given_, arn, 0)
    except Refused:
        return
    job = next_job(run, 3, jobs=0)
    validate(api_models.operation("sagemaker", "CreateTransformJob").input_shape, job)
    assert job.get("MaxPayloadInMB", 0) <= 100
    if "DataProcessing" not in job:
        check_transform_job(Region("eu-west-1", "111122223333"), job)


def test_the_largest_job_leaves_most_of_a_states_payload_free() -> None:
    settings = transform_settings(
        BatchTransform(
            instance_type="ml.m5.large",
            environment={f"K{n}": "x" * 8000 for n in range(4)},
            tags={f"tag-{n}": "v" * 256 for n in range(50)},
        ),
        model_name="m" * 63,
        work="s3://data/" + "w" * 900,
        reports="s3://data/" + "r" * 900,
    )
    arn = f"arn:aws:states:eu-west-1:111122223333:execution:{'m' * 80}:{'r' * 80}"
    run = run_of(
        Store(MemoryS3()), settings, {"input": "s3://data/in/", "output": "s3://data/out/"}, arn, 0
    )
    job = next_job(run, 99_999, jobs=99)
    validate(api_models.operation("sagemaker", "CreateTransformJob").input_shape, job)
    answer = {"after": 1, "next": "transform", "wait_seconds": 0, "job": job, "work": run.work}
    assert len(json.dumps(answer)) < PAYLOAD_BYTES / 4
