"""What an execution is refused for before anything is done, and who holds an output's lock."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest

from sagemaker_serving.functions.batch_transform import lock
from sagemaker_serving.functions.batch_transform.errors import Refused
from sagemaker_serving.functions.batch_transform.plan import begin
from sagemaker_serving.functions.batch_transform.run import Run, report_folder, run_of
from sagemaker_serving.functions.batch_transform.store import Place, Store
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import (
    EXECUTION,
    INPUT,
    NOWHERE,
    States,
    begun,
    manifest,
    put,
    settings,
)

FINE = {"input": "s3://data/in/", "output": "s3://data/out/"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"input": "data/in/"}, "input is 'data/in/'; it must be s3://bucket/prefix/"),
        ({"output": None}, "output is None; it must be s3://bucket/prefix/"),
        (
            {"output": "s3://data/in/answers/"},
            "output s3://data/in/answers/ lies inside input s3://data/in/, so outputs would",
        ),
        ({"input": "s3://data/o"}, "lies inside input s3://data/o"),
        (
            {"input": "s3://data/reports/"},
            "input s3://data/reports/ overlaps s3://data/reports/, where the pipeline keeps its",
        ),
        ({"input": "s3://data/"}, "input s3://data/ overlaps s3://data/work/"),
        ({"input": "s3://data/work/0/a"}, "input s3://data/work/0/a overlaps s3://data/work/"),
        ({"output": "s3://data/reports/out"}, "output s3://data/reports/out/ overlaps"),
        ({"output": "s3://data/"}, "output s3://data/ overlaps s3://data/reports/"),
        ({"splittype": "Line"}, "splittype is no field of an execution's input; there are input"),
        ({"split_type": "Lines"}, "split_type is 'Lines'; it must be one of None, Line, RecordIO"),
        ({"max_payload_in_mb": 101}, "max_payload_in_mb is 101; it must be a whole number from 0"),
        ({"max_payload_in_mb": True}, "max_payload_in_mb is True"),
        ({"instance_count": 0}, "instance_count is 0; it must be a whole number from 1"),
        ({"input_filter": "a"}, "input_filter is 'a'; it must be a JSONPath from $"),
        ({"environment": {"A": 1}}, "environment is {'A': 1}; it must be a mapping of names to"),
        ({"environment": {"A": "x" * 40000}}, "it must be at most 32768 bytes in all"),
        (
            {"max_payload_in_mb": 50, "max_concurrent_transforms": 3},
            "is 150 MB; a job takes 100",
        ),
        ({"batch_strategy": "SingleRecord"}, "batch_strategy needs a split_type"),
        ({"line_per_record": True}, "line_per_record needs a split_type"),
        ({"join_source": "Input", "split_type": "Line"}, "they are Line, None"),
    ],
)
def test_an_input_that_cannot_run_is_refused_with_what_is_allowed(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        run_of(NOWHERE, settings(), {**FINE, **given}, EXECUTION, 0)
    assert said in str(refused.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Refused) as refused:
        run_of(NOWHERE, settings(), {"input": 1, "output": 2, "instance_count": 0}, EXECUTION, 0)
    assert all(name in str(refused.value) for name in ("input is", "output is", "instance_count"))


def test_fields_of_an_execution_stand_over_the_pipelines() -> None:
    given = {"split_type": "Line", "environment": {"B": "2"}, "max_objects_per_shard": 9}
    pipeline = settings(environment={"A": "1"}, content_type="text/csv", max_objects_per_shard=2)
    run = run_of(NOWHERE, pipeline, {**FINE, **given}, EXECUTION, 0)
    assert run.job["TransformInput"] == {
        "ContentType": "text/csv",
        "CompressionType": "None",
        "SplitType": "Line",
    }
    assert run.job["Environment"] == {"A": "1", "B": "2"}
    assert run.limits["max_objects_per_shard"] == 9
    assert pipeline["job"]["Environment"] == {"A": "1"}


def test_an_execution_that_splits_nothing_needs_no_batch_strategy() -> None:
    pipeline = settings(split_type="Line", batch_strategy="SingleRecord")
    run = run_of(NOWHERE, pipeline, {**FINE, "split_type": "None"}, EXECUTION, 0)
    assert "BatchStrategy" not in run.job
    asked = {**FINE, "split_type": "None", "batch_strategy": "SingleRecord"}
    with pytest.raises(Refused, match="batch_strategy needs a split_type"):
        run_of(NOWHERE, pipeline, asked, EXECUTION, 0)


@pytest.mark.parametrize("name", ["nightly", "x" * 80, "a b_c", "--", "0" * 80])
def test_names_of_jobs_are_names_and_never_alike(name: str) -> None:
    run = run_of(NOWHERE, settings(), FINE, f"{EXECUTION.rsplit(':', 1)[0]}:{name}", 0)
    other = run_of(NOWHERE, settings(), FINE, f"{EXECUTION.rsplit(':', 1)[0]}:{name}x", 0)
    names = [each.job_name(s, n) for each in (run, other) for s in (0, 99_999) for n in (1, 100)]
    assert len(set(names)) == len(names)
    for made in names:
        assert re.fullmatch(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", made), made


REQUESTS = b'\n{"instances": [1.0]}\n{"instances": [2.0]}\n'
JSON_LINES: dict[str, Any] = {"split_type": "Line", "content_type": "application/jsonlines"}


@pytest.mark.parametrize("alone", [True, None])
@pytest.mark.parametrize("packed", [False, True])
def test_lines_that_are_whole_requests_are_refused_where_they_would_share_a_payload(
    s3: MemoryS3, alone: bool | None, packed: bool
) -> None:
    put(s3, {"a.jsonl": gzip.compress(REQUESTS) if packed else REQUESTS})
    fields = {**JSON_LINES, "compression_type": "Gzip" if packed else "None"}
    with pytest.raises(Refused) as refused:
        begun(s3, requests_alone=alone, **fields)
    assert str(refused.value) == (
        'line 2 of s3://data/in/a.jsonl is a whole request, such as {"instances": …}, and with '
        "batch_strategy MultiRecord, the default, many lines go in one payload, of which "
        "TensorFlow Serving answers the first or none; set batch_strategy to SingleRecord"
    )
    assert [entry.key for entry in Store(s3).listed(Place("data", ""))] == ["in/a.jsonl"]


def test_they_are_refused_of_a_manifest_too_and_of_a_strategy_that_was_chosen(
    s3: MemoryS3,
) -> None:
    put(s3, {"b.jsonl": REQUESTS})
    source = manifest(s3, ["a.jsonl", "b.jsonl"])
    with pytest.raises(Refused, match=r"line 2 of s3://data/in/b\.jsonl"):
        begun(
            s3,
            source=source,
            input_type="ManifestFile",
            requests_alone=True,
            batch_strategy="MultiRecord",
            **JSON_LINES,
        )


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (REQUESTS, {"batch_strategy": "SingleRecord"}),
        (REQUESTS, {"requests_alone": False}),
        (REQUESTS, {"requests_alone": None, "batch_strategy": "MultiRecord"}),
        (REQUESTS, {"split_type": "None"}),
        (REQUESTS, {"content_type": "text/csv"}),
        (REQUESTS, {"input_filter": "$.instances[0]", "accept": "application/json"}),
        (b'{"instances": [1.0, 2.0]}\n', {}),
        (b'{"x": 1.0}\n{"x": "instances"}\n', {}),
        (b"not gzip", {"compression_type": "Gzip"}),
    ],
)
def test_other_lines_and_other_ways_begin(
    s3: MemoryS3, body: bytes, fields: dict[str, Any]
) -> None:
    put(s3, {"a.jsonl": body})
    begun(s3, **{"requests_alone": True, **JSON_LINES, **fields})


SWITCH = "SAGEMAKER_TFS_ENABLE_BATCHING"


@pytest.mark.parametrize(
    ("fields", "given", "said"),
    [
        ({"split_type": "Line"}, {}, "false"),
        ({"split_type": "TFRecord", "batch_strategy": "MultiRecord"}, {}, "false"),
        ({"split_type": "Line", "batch_strategy": "SingleRecord"}, {}, None),
        ({"split_type": "Line"}, {"batch_strategy": "SingleRecord"}, None),
        ({}, {"split_type": "Line"}, "false"),
        ({}, {}, None),
        ({"split_type": "Line", "environment": {SWITCH: "true"}}, {}, "true"),
        ({"split_type": "Line"}, {"environment": {SWITCH: "true"}}, "true"),
    ],
)
def test_payloads_that_are_batches_are_not_batched_again(
    fields: dict[str, Any], given: dict[str, Any], said: str | None
) -> None:
    """A request over max_batch_size is refused, never split."""
    run = run_of(NOWHERE, settings(is_batching=True, **fields), {**FINE, **given}, EXECUTION, 0)
    assert run.job.get("Environment", {}).get(SWITCH) == said
    bare = run_of(NOWHERE, settings(**fields), {**FINE, **given}, EXECUTION, 0)
    assert bare.job.get("Environment", {}).get(SWITCH) in (None, "true")


def test_sixteen_variables_leave_no_room_for_the_switch() -> None:
    full = {f"V{number}": "1" for number in range(16)}
    pipeline = settings(is_batching=True, split_type="Line", environment=full)
    with pytest.raises(Refused, match=f"at most 16 variables, {SWITCH} among them"):
        run_of(NOWHERE, pipeline, FINE, EXECUTION, 0)
    run_of(NOWHERE, {**pipeline, "is_batching": False}, FINE, EXECUTION, 0)


def test_outputs_of_one_name_have_folders_of_their_own(s3: MemoryS3) -> None:
    outputs = ["s3://a/june/", "s3://b/june/", "s3://a/x/june/", "s3://a/june/?", "s3://a/"]
    folders = {report_folder(output) for output in outputs}
    assert len(folders) == len(outputs)
    assert {folder.count("/") for folder in folders} == {1}
    assert report_folder("s3://a/june/").startswith("june-")


def test_an_empty_prefix_is_refused_and_leaves_no_lock(s3: MemoryS3) -> None:
    with pytest.raises(Refused, match="there are no objects under s3://data/in/"):
        begun(s3)
    assert list(Store(s3).listed(Place("data", ""))) == []


def test_of_two_executions_on_one_output_the_second_is_refused(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    begun(s3, name="first")
    with pytest.raises(Refused, match=r"execution:digits:first is writing to s3://data/out/"):
        begun(s3, name="second", states=States(first="RUNNING"))


@pytest.mark.parametrize("status", ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED", None])
def test_the_lock_of_an_execution_that_has_ended_is_taken_over(
    s3: MemoryS3, status: str | None
) -> None:
    put(s3, {"a": b""})
    begun(s3, name="first")
    second = begun(s3, name="second", states=States(**({"first": status} if status else {})))
    assert holder(s3, second) == second.execution


def test_executions_wait_for_a_turn_and_take_one_that_was_given_back_or_left(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    store = Store(s3)

    def begins(name: str, **states: str) -> Run | None:
        given = {"input": INPUT, "output": f"s3://data/out-{name}/"}
        execution = f"{EXECUTION.rsplit(':', 1)[0]}:{name}"
        two = settings(max_concurrent_executions=2)
        return begin(store, States(**states), two, given, execution, s3.now)

    first, second = begins("first"), begins("second")
    assert (first and first.turn, second and second.turn) == (0, 1)
    assert begins("second") == second, "a step that is called again"
    both = {"first": "RUNNING", "second": "RUNNING"}
    assert begins("third", **both) is None
    assert first is not None
    lock.release(first)
    third = begins("third", **both)
    assert third is not None
    assert third.turn == 0
    assert (fourth := begins("fourth", first="SUCCEEDED", second="ABORTED", third="ABORTED"))
    assert fourth.turn in (0, 1)


def test_an_execution_that_finds_its_output_locked_gives_its_turn_back(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    begun(s3, name="first")
    with pytest.raises(Refused):
        begun(s3, name="second", states=States(first="RUNNING"))
    turns = [entry.key for entry in Store(s3).listed(Place("data", "reports/turns/"))]
    assert turns == ["reports/turns/000.json"]


def test_to_begin_twice_is_to_begin_once(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    begun(s3)
    assert begun(s3, states=States(nightly="RUNNING")).execution == EXECUTION


def test_nobody_gives_another_ones_lock_back(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    first = begun(s3, name="first")
    second = begun(s3, name="second", states=States(first="ABORTED"))
    lock.release(first)
    assert holder(s3, second) == second.execution
    lock.release(second)
    assert holder(s3, second) is None


def holder(s3: MemoryS3, run: Run) -> Any:
    body = Store(s3).read_if_there(run.reports_place / "lock.json")
    return None if body is None else json.loads(body)["execution"]
