"""Never lost, never twice, whatever fails: executions simulated by the hundred."""

from __future__ import annotations

import json
from base64 import b64decode
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform import counting
from sagemaker_serving.functions.batch_transform.store import Place, Store
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import REPORTS, States, begun, put
from tests.functions.batch_transform.simulation import Simulation
from tests.local_sagemaker.record_files import recordio, recordio_frame, tfrecord, tfrecord_frame

BAD = b"bad"
WRITERS: dict[str, Any] = {
    "Line": lambda records: b"".join(record + b"\n" for record in records),
    "RecordIO": recordio,
    "TFRecord": tfrecord,
    "None": b"".join,
}


def answer(payload: bytes) -> bytes | None:
    return None if BAD in payload else b"<" + payload + b">"


def outputs(s3: MemoryS3) -> dict[str, bytes]:
    store = Store(s3)
    return {
        entry.key.removeprefix("out/").removesuffix(".out"): store.read(Place("data", entry.key))
        for entry in store.listed(Place("data", "out/"))
    }


def listed(s3: MemoryS3) -> list[dict[str, Any]]:
    body = Store(s3).read(REPORTS / "quarantine.jsonl")
    return [json.loads(line) for line in body.splitlines()]


RETRIES = {
    kind: {"max_attempts": 1000, "interval_seconds": 0}
    for kind in ("throttling", "capacity", "internal")
}


@settings(max_examples=40)
@given(
    bad=st.lists(st.booleans(), min_size=1, max_size=60),
    dies=st.sampled_from([0.0, 0.1, 0.3]),
    seed=st.integers(0, 1000),
)
def test_whole_objects_are_answered_or_listed_and_a_second_execution_runs_no_job(
    bad: list[bool], dies: float, seed: int
) -> None:
    s3 = MemoryS3()
    files = {f"{n:03}": BAD if flag else b"%d" % n for n, flag in enumerate(bad)}
    put(s3, files)
    run = begun(s3, max_objects_per_shard=7, retries=RETRIES)
    Simulation(s3, answer, dies=dies, seed=seed).execute(run)
    good = {name: b"<" + body + b">" for name, body in files.items() if body != BAD}
    assert outputs(s3) == good
    assert [line["object"] for line in listed(s3)] == sorted(files.keys() - good.keys())
    second = Simulation(s3, answer)
    again = begun(s3, name="again", states=States(nightly="SUCCEEDED"), retries=RETRIES)
    counts = second.execute(again)
    assert second.jobs == 0
    assert (counts["answered_before"], counts["quarantined_before"]) == (
        len(good),
        len(files) - len(good),
    )


JOINED = b'{"SageMakerInput":%d,"SageMakerOutput":%d}\n'
FRAMES = {
    "RecordIO": (recordio_frame(b"1"), recordio_frame(b"3")),
    "TFRecord": (tfrecord_frame(b"1"), tfrecord_frame(b"3")),
}
GOLDEN = [
    # split, strategy, assemble, join, what comes out of the records 1, bad, 3
    ("Line", "SingleRecord", "Line", "None", b"<1>\n<3>\n"),
    ("Line", "SingleRecord", "None", "None", b"<1><3>"),
    ("Line", "MultiRecord", "Line", "None", b"<1>\n<3>\n"),
    ("Line", "MultiRecord", "Line", "Input", JOINED % (1, 1) + JOINED % (3, 3)),
    ("Line", "SingleRecord", "Line", "Input", JOINED % (1, 1) + JOINED % (3, 3)),
    ("RecordIO", "SingleRecord", "Line", "None", b"<1>\n<3>\n"),
    ("RecordIO", "MultiRecord", "None", "None", b"<%b><%b>" % (FRAMES["RecordIO"])),
    ("TFRecord", "SingleRecord", "None", "None", b"<1><3>"),
    ("TFRecord", "MultiRecord", "Line", "None", b"<%b>\n<%b>\n" % (FRAMES["TFRecord"])),
    ("None", None, "Line", "None", None),
    ("None", None, "None", "Input", None),
]


@pytest.mark.parametrize(("split", "strategy", "assemble", "join", "expected"), GOLDEN)
def test_what_was_taken_apart_comes_out_as_these_bytes(
    s3: MemoryS3, split: str, strategy: str | None, assemble: str, join: str, expected: bytes | None
) -> None:
    """One record in each chunk, each with an answer; bare but for several in one payload."""
    put(s3, {"a": WRITERS[split]([b"1", BAD, b"3"])})
    json_: dict[str, Any] = {"content_type": "application/json", "accept": "application/json"}
    run = begun(
        s3,
        split_type=split,
        batch_strategy=strategy,
        assemble_with=assemble,
        join_source=join,
        **(json_ if join == "Input" else {}),
    )

    def same(payload: bytes) -> bytes | None:
        return None if BAD in payload else payload

    counts = Simulation(s3, same if join == "Input" else answer).execute(run)
    assert outputs(s3) == ({} if expected is None else {"a": expected})
    assert [line.get("record") for line in listed(s3)] == [None if expected is None else 2]
    assert counts["unaccounted"] == 0


def test_bad_records_are_listed_with_their_places_and_bytes_and_all_others_answered(
    s3: MemoryS3,
) -> None:
    large, wrong = b"x" * (1024 * 1024 + 1), bytearray(tfrecord_frame(b"data with another CRC"))
    wrong[-1] ^= 0xFF
    before, after = tfrecord([b"1", BAD, large]), tfrecord([b"3"]) + bytes(20)
    put(s3, {"a": before + bytes(wrong) + after})
    Simulation(s3, answer).execute(
        begun(
            s3,
            split_type="TFRecord",
            batch_strategy="SingleRecord",
            assemble_with="Line",
            max_payload_in_mb=1,
            retries=RETRIES,
        )
    )
    assert outputs(s3) == {"a": b"<1>\n<3>\n"}
    refused, too_large, damaged, rest = listed(s3)
    assert (refused["record"], refused["error"]) == (2, "ClientError: 400")
    assert b64decode(refused["bytes"]) == tfrecord_frame(BAD)
    assert too_large["record"] == 3
    assert too_large["error"] == "the record has 1,048,577 bytes; a payload takes 1,048,576"
    places = [damaged[name] for name in ("record", "offset", "length")]
    assert places == [4, len(before), len(wrong)]
    assert "has data with another CRC" in damaged["error"]
    assert (rest["record"], rest["offset"]) == (6, len(before) + len(wrong) + len(after) - 20)
    assert rest["error"].startswith("from here to the end: ")


def test_what_was_in_quarantine_leaves_it_when_it_is_answered(s3: MemoryS3) -> None:
    put(s3, {"a": b"1\nbad\n3\n"})
    lines: dict[str, Any] = {"split_type": "Line", "assemble_with": "Line", "retries": RETRIES}
    Simulation(s3, answer).execute(begun(s3, batch_strategy="SingleRecord", **lines))
    assert [line["record"] for line in listed(s3)] == [2]
    put(s3, {"a": b"1\n2\n3\n"})
    again = begun(
        s3,
        name="again",
        states=States(nightly="SUCCEEDED"),
        given={"retry_quarantined": True, "batch_strategy": "SingleRecord"},
        **lines,
    )
    Simulation(s3, answer).execute(again)
    assert outputs(s3) == {"a": b"<1>\n<2>\n<3>\n"}
    assert listed(s3) == []


def test_a_file_in_which_nothing_is_right_is_listed_whole_after_a_few_jobs(s3: MemoryS3) -> None:
    put(s3, {"wrong": WRITERS["Line"]([BAD] * 5000)})
    simulation = Simulation(s3, answer)
    simulation.execute(begun(s3, split_type="Line", retries=RETRIES))
    (line,) = listed(s3)
    assert line == {
        "object": "wrong",
        "records": 5000,
        "error": "none of its 64 parts went through; ClientError: 400",
    }
    assert simulation.jobs == 3


@pytest.mark.long
def test_fifty_thousand_keys_are_planned_and_looked_up_in_shards(s3: MemoryS3) -> None:
    for number in range(50_000):
        s3.put_object(Bucket="data", Key=f"in/{number:07}", Body=b"")
    simulation = Simulation(s3, answer)
    counts = simulation.execute(begun(s3, max_objects_per_shard=5000, retries=RETRIES))
    assert (counts["objects"], counts["answered"], counts["shards"]) == (50_000, 50_000, 10)
    assert simulation.jobs == 10


def test_lists_are_whole_when_they_are_long(s3: MemoryS3) -> None:
    put(s3, {f"{number:04}": BAD for number in range(300)})
    counts = Simulation(s3, answer).execute(begun(s3, max_objects_per_shard=50, retries=RETRIES))
    assert counts["quarantined"] == 300
    names = list(chain.from_iterable([line["object"]] for line in listed(s3)))
    assert names == [f"{number:04}" for number in range(300)]


@pytest.mark.parametrize("split_type", ["Line", "None"])
def test_an_input_that_is_put_anew_while_it_is_transformed_is_answered_as_it_is(
    s3: MemoryS3, split_type: str
) -> None:
    """Otherwise the answer to what it was would look like one to what it is: it is younger."""
    put(s3, {"a": b"old\n", "b": b"same\n"})

    def overtaken(payload: bytes) -> bytes | None:
        if payload == b"old" or payload == b"old\n":
            put(s3, {"a": b"new\nlines\n"})
        return b"".join(b"<%b>\n" % line for line in payload.split())

    run = begun(s3, split_type=split_type, retries=RETRIES)
    counts = Simulation(s3, overtaken).execute(run)
    assert outputs(s3) == {"a": b"<new>\n<lines>\n", "b": b"<same>\n"}
    assert counts["unaccounted"] == 0


def test_an_output_of_the_second_in_which_its_input_was_put_anew_is_no_answer_to_it(
    s3: MemoryS3,
) -> None:
    """S3 tells times in seconds: such an output is as old as the input, and of another one."""
    put(s3, {"a": b"old\n"})
    Simulation(s3, answer).execute(begun(s3, split_type="Line"))
    put(s3, {"a": b"new\n"})
    killed = Simulation(s3, answer, dies=1.0).execute(begun(s3, split_type="Line"))
    assert (killed["answered"], killed["unaccounted"]) == (0, 1)
    assert Simulation(s3, answer).execute(begun(s3, split_type="Line"))["answered"] == 1
    assert outputs(s3) == {"a": b"<new>"}


def test_an_input_that_is_put_anew_while_it_is_bisected_is_answered_as_it_is(
    s3: MemoryS3,
) -> None:
    put(s3, {"a": b"1\nbad\n3\n"})
    asked: list[bytes] = []

    def overtaken(payload: bytes) -> bytes | None:
        asked.append(payload)
        if payload == b"3":
            put(s3, {"a": b"4\n5\n"})
        return answer(payload)

    run = begun(s3, split_type="Line", batch_strategy="SingleRecord", assemble_with="Line")
    Simulation(s3, overtaken).execute(run)
    assert asked.count(b"3") == 1
    assert outputs(s3) == {"a": b"<4>\n<5>\n"}
    assert listed(s3) == []


def test_an_input_that_never_rests_is_left_undone_and_told(s3: MemoryS3) -> None:
    put(s3, {"a": b"1\n", "b": b"2\n"})

    def overtaken(payload: bytes) -> bytes | None:
        if payload == b"1":
            put(s3, {"a": b"1\n"})
        return payload

    simulation = Simulation(s3, overtaken)
    counts = simulation.execute(begun(s3, split_type="Line"))
    assert outputs(s3) == {"b": b"2"}
    assert (counts["answered"], counts["unaccounted"]) == (1, 1)


@pytest.mark.parametrize("body", [b"1\n2\n", b"1\nbad\n2\n"])
def test_an_input_that_is_deleted_while_it_is_transformed_is_on_the_list(
    s3: MemoryS3, body: bytes
) -> None:
    put(s3, {"a": body, "b": b"3\n"})

    def deleting(payload: bytes) -> bytes | None:
        if b"1" in payload:
            s3.delete_object(Bucket="data", Key="in/a")
        return answer(payload)

    counts = Simulation(s3, deleting).execute(begun(s3, split_type="Line"))
    assert outputs(s3) == {"b": b"<3>"}
    (line,) = listed(s3)
    assert line["object"] == "a"
    assert "deleted" in line["error"] or "NoSuchKey" in line["error"]
    assert counts["unaccounted"] == 0


def test_more_blank_lines_than_can_be_named_put_the_input_on_the_list_as_it_is(
    s3: MemoryS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MAX_BLANKS", 3)
    put(s3, {"few": b"1\n\n\n\n2\n", "many": b"1\n\n\n\n\n2\n"})

    def passes_over(payload: bytes) -> bytes:
        return json.dumps({"predictions": payload.decode().split()}).encode()

    simulation = Simulation(s3, passes_over)
    simulation.execute(begun(s3, split_type="Line", requests_alone=True))
    assert outputs(s3) == {"few": b'{"predictions": ["1", "2"]}'}
    named = [(line["object"], line.get("record"), line["error"]) for line in listed(s3)]
    assert named == [
        (
            "many",
            None,
            "4 of 6 records are blank lines, which the container passes over; remove them",
        ),
        *(("few", number, "blank line; the container passes over it") for number in (2, 3, 4)),
    ]
    assert simulation.jobs == 1


def test_payloads_that_are_refused_for_their_size_are_cut_until_they_fit(s3: MemoryS3) -> None:
    """As where a user has left batching on: no part of the first cut goes through."""
    records = [b"%d" % number for number in range(500)]
    put(s3, {"a": WRITERS["Line"](records)})
    simulation = Simulation(s3, lambda payload: payload if payload.count(b"\n") < 4 else None)
    simulation.refusal = "Task size 9 is larger than maximum input batch size 4"
    simulation.execute(begun(s3, split_type="Line", assemble_with="Line", retries=RETRIES))
    assert outputs(s3) == {"a": WRITERS["Line"](records)}
    assert listed(s3) == []
    assert simulation.jobs == 4


@pytest.mark.parametrize(("quota", "jobs"), [(1, 151), (0, 1)], ids=["in use", "none"])
def test_a_quota_in_use_is_waited_for_beside_all_jobs_and_one_of_none_is_not(
    quota: int, jobs: int
) -> None:
    s3 = MemoryS3()
    put(s3, {"one": b"1", "two": b"2"})
    run = begun(s3, retries=RETRIES)
    simulation = Simulation(s3, answer, over_quota=150, quota=quota)
    counts = simulation.execute(run)
    assert simulation.jobs == jobs
    answered = 2 if quota else 0
    assert len(outputs(s3)) == answered
    assert counts["unaccounted"] == 2 - answered
