"""How answers are told apart in outputs of each form, in one call and in many."""

from __future__ import annotations

import gzip
import io
import json
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import pytest

from sagemaker_serving.functions.batch_transform import answers, counting
from sagemaker_serving.functions.batch_transform.counting import (
    Differs,
    Unfinished,
    Whole,
    count,
)
from sagemaker_serving.functions.batch_transform.shard import Shard
from sagemaker_serving.functions.batch_transform.sharding import Input
from sagemaker_serving.functions.batch_transform.state import ShardState, Unit
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import begun, put
from tests.local_sagemaker.record_files import recordio, tfrecord

MULTI: dict[str, Any] = {"split_type": "Line", "batch_strategy": "MultiRecord"}
SINGLE: dict[str, Any] = {"split_type": "Line", "batch_strategy": "SingleRecord"}
LINES = {"accept": "application/jsonlines"}
THREE = b'{"x": 1}\n{"x": 2}\n{"x": 3}\n'


def shard_of(s3: MemoryS3, body: bytes, output: bytes, **fields: Any) -> Shard:
    """A shard whose only input was transformed into ``output``."""
    put(s3, {"a": body})
    run = begun(s3, **fields)
    inputs = [Input(name="a", size=len(body), modified=s3.now)]
    state = ShardState(jobs=1, groups=[[Unit(input=0)]])
    shard = Shard(run=run, number=0, step=0, inputs=inputs, state=state)
    place = shard.output_of(Unit(input=0))
    s3.put_object(Bucket=place.bucket, Key=place.key, Body=output)
    return shard


def counted(body: bytes, output: bytes, **fields: Any) -> Whole | Differs | Unfinished:
    shard = shard_of(MemoryS3(), body, output, **fields)
    return count(shard, Unit(input=0), None, begun_now=True)


def array(*shape: int, dtype: str = "float32") -> bytes:
    written = io.BytesIO()
    np.save(written, np.zeros(shape, dtype=dtype))
    return written.getvalue()


@pytest.mark.parametrize(
    ("output", "fields"),
    [
        (b'{\n    "predictions": [1.0, [2.0, 3.0], {"a": []}\n    ]\n}', MULTI),
        (b'{"results": [[["a", 1.0], ["b", 2.0]], [], []]}', MULTI),
        (b'{"predictions": [1]}{"predictions": [2, 3]}\n', MULTI),
        (b"[1, 2, 3]", MULTI),
        (b"[[1, 2], [3]]\n[[4]]", MULTI),
        (b'{"a": 1}\n{"a": 2}\n{"a": 3}\n', MULTI),
        (b"[0.1, 0.9]\n[0.2, 0.8]\n[]\n", {**MULTI, **LINES}),
        (b"1.5\n2.5\n3.5", MULTI),
        (b"a,b\r\nc,d\r\ne,f\r\n", {**MULTI, "accept": "text/csv"}),
        (b'[CLS],1\n"x",2\n{,3\n', {**MULTI, "accept": "text/csv"}),
        (recordio([b"a", b"", b"\xce\xd7"]), MULTI),
        (array(3, 2), {**MULTI, "accept": "application/x-npy"}),
        (array(2, 5, dtype="U7") + array(1, dtype="int8"), MULTI),
        (b'{"predictions": [1]}{"predictions": [[2], [3]]}{"predictions": [4]}', SINGLE),
        (b'{"a": 1}[]"b"', SINGLE),
        (b"one\ntwo\nthree", SINGLE),
        (array(1, 9) + b"\n" + array() + b"\n" + array(4) + b"\n", SINGLE),
        (recordio([b"a", b"b", b"c"]), SINGLE),
    ],
)
def test_an_output_with_an_answer_to_each_record_is_whole(
    output: bytes, fields: dict[str, Any]
) -> None:
    assert counted(THREE, output, **fields) == Whole(records=3)


@pytest.mark.parametrize(
    ("output", "fields", "said"),
    [
        (b'{"predictions": [3.0]}', MULTI, "3 records in, 1 answer out"),
        (b'{"predictions": [1, 2, 3, 4]}', MULTI, "3 records in, 4 answers out"),
        (b'{"predictions": [1, 2]}{"error": "no"}', MULTI, "3 records in, 2 answers out"),
        (b'{"predictions": [1, 2]}{"other": [3]}', MULTI, "and no answers that could be counted"),
        (b'{"predictions": [1, 2, 3]', MULTI, "and no answers that could be counted"),
        (b'{"outputs": {"a": [1, 2, 3]}}', MULTI, "and no answers that could be counted"),
        (b'{"outputs": [1, 2], "predictions": [3]}', MULTI, "no answers that could be counted"),
        (b"[]\n[]\n[]", MULTI, "3 records in, 0 answers out"),
        (b'{"a": 1}\n{"error": "no"}\n{"a": 3}', SINGLE, "3 records in, 2 answers out"),
        (b'{"predictions": [1, 2, 3]}', SINGLE, "3 records in, 1 answer out"),
        (b'{"predictions": []}{"a": 1}{"a": 2}', SINGLE, "3 records in, 2 answers out"),
        (b"one\n\nthree\n", SINGLE, "3 records in, 2 answers out; set assemble_with to Line"),
        (b"onetwothree", SINGLE, "3 records in, 1 answer out; set assemble_with to Line"),
        (b"", MULTI, "3 records in, 0 answers out"),
        (b"\x89PNG\n\x1a\n\x00\n\x00\n", MULTI, "no answers that could be counted; accept JSON"),
        (array(2, 3), MULTI, "3 records in, 2 answers out"),
        (array(3)[:-1], MULTI, "and no answers that could be counted; accept JSON"),
        (recordio([b"a", b"b"]), MULTI, "3 records in, 2 answers out"),
    ],
)
def test_any_other_output_is_none_and_both_numbers_are_told(
    output: bytes, fields: dict[str, Any], said: str
) -> None:
    found = counted(THREE, output, **fields)
    assert isinstance(found, Differs)
    assert found.records == 3
    assert said in found.error


@pytest.mark.parametrize(
    ("output", "fields", "is_whole"),
    [
        (b'{"predictions": [1, 2]}', MULTI, True),
        (b"\x89PNG\x00", MULTI, True),
        (b'{"outputs": {"a": [1, 2, 3]}}', MULTI, True),
        (b"[0.1, 0.9]", MULTI, True),
        (b"several\nlines", SINGLE, True),
        (b'{"error": 0.5}', SINGLE, True),
        (b"", SINGLE, False),
        (b" \n", MULTI, False),
        (b"[]", MULTI, False),
        (b'{"predictions": []}', SINGLE, False),
        (b'{"error": "no such model"}', SINGLE, False),
        (b'{"predictions": [1', SINGLE, False),
    ],
)
def test_a_record_alone_has_any_one_whole_answer(
    output: bytes, fields: dict[str, Any], is_whole: bool
) -> None:
    found = counted(b"record\n", output, **fields)
    assert isinstance(found, Whole) is is_whole
    if output:
        assert is_whole or "it begins with" in str(found) or output.isspace()


BLANKS = b'{"x": 1}\n\n \r\n{"x": 4}\n'


@pytest.mark.parametrize(
    ("output", "alone", "found"),
    [
        (b'{"predictions": [1, 4]}', True, Whole(records=4, blanks=2)),
        (b'{"predictions": [1, 2, 3, 4]}', False, Whole(records=4)),
        (b'{"predictions": [1, 2, 3, 4]}', True, None),
        (b'{"predictions": [1, 2, 3, 4]}', None, None),
        (b"[1, 4]", False, None),
        (b"a\nd\n", False, None),
    ],
)
def test_blank_lines_are_records_that_tensorflows_container_passes_over(
    output: bytes, alone: bool | None, found: Whole | None
) -> None:
    result = counted(BLANKS, output, **MULTI, requests_alone=alone)
    assert result == found if found is not None else isinstance(result, Differs)


@pytest.mark.parametrize(("alone", "is_whole"), [(True, False), (None, False), (False, True)])
def test_as_many_rows_as_requests_are_no_answer_to_all_of_them(
    alone: bool | None, is_whole: bool
) -> None:
    """The first request has two instances, and TensorFlow Serving from 2.18 sees no other."""
    body = b'{"instances": [1.0, 2.0]}\n{"instances": [3.0]}\n'
    found = counted(body, b'{"predictions": [3.5, 4.0]}', **MULTI, requests_alone=alone)
    assert isinstance(found, Whole) is is_whole
    if not is_whole:
        assert "go one by one: set batch_strategy to SingleRecord" in str(found)


def test_joined_answers_are_one_to_each_record_whatever_they_have() -> None:
    output = b'{"SageMakerOutput":[1,2],"x":1}\n{"SageMakerOutput":{},"predictions":[]}\n[3]\n'
    fields = {**LINES, "content_type": "application/jsonlines", "join_source": "Input"}
    assert counted(THREE, output, **MULTI, **fields, assemble_with="Line") == Whole(records=3)


def test_an_empty_object_has_no_records_and_no_answers() -> None:
    assert counted(b"", b"", **MULTI) == Whole(records=0)
    assert isinstance(counted(b"", b"{}", **MULTI), Differs)


def test_a_large_object_is_counted_over_several_calls_from_where_each_came(
    s3: MemoryS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_BLOCK", 1000)
    monkeypatch.setattr(answers, "_BLOCK", 1000)
    records = [b"%04d" % number for number in range(3000)]
    output = json.dumps({"predictions": list(range(3000))}).encode()
    shard = shard_of(s3, b"\n".join(records), output, **MULTI)
    result: Any = Unfinished(cursor={})
    offsets = []
    while isinstance(result, Unfinished):
        cursor = json.loads(json.dumps(result.cursor))
        offsets.append([cursor[part]["offset"] for part in ("lines", "answers") if part in cursor])
        shard.in_time = partial(next, chain(repeat(True, 5), repeat(False)))
        result = count(shard, Unit(input=0), cursor, begun_now=False)
    assert result == Whole(records=3000)
    assert len(offsets) > 4
    assert offsets == sorted(offsets)


COMPRESSED = {**MULTI, "compression_type": "Gzip"}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (gzip.compress(b"1\n2\n"), COMPRESSED),
        (tfrecord([b"1", b"2"]), {"split_type": "TFRecord"}),
        (recordio([b"1", b"2"]), {"split_type": "RecordIO"}),
    ],
    ids=["gzip", "tfrecord", "recordio"],
)
def test_what_cannot_be_read_in_parts_begins_anew_once_and_is_too_large_then(
    s3: MemoryS3, monkeypatch: pytest.MonkeyPatch, body: bytes, fields: dict[str, Any]
) -> None:
    monkeypatch.setattr(counting, "_LOOK_AT_THE_CLOCK", 1)
    monkeypatch.setattr(counting, "_BLOCK", 1)
    shard = shard_of(s3, body, b"[1, 2]", **fields)
    shard.in_time = lambda: False
    later = count(shard, Unit(input=0), None, begun_now=False)
    assert isinstance(later, Unfinished)
    assert count(shard, Unit(input=0), later.cursor, begun_now=True) == Differs(
        records=None, error="too large to be counted within one call"
    )
    shard.in_time = lambda: True
    assert count(shard, Unit(input=0), later.cursor, begun_now=True) == Whole(records=2)
