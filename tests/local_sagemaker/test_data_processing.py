"""Filters and the join, format by format, and what cannot be filtered or joined."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.records import Record
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import DataProcessing

JSON, LINES, CSV = "application/json", "application/jsonlines", "text/csv"


def processing(content_type: str, accept: str | None = None, **given: str) -> DataProcessing:
    return DataProcessing.of(
        {
            "TransformInput": {"ContentType": content_type},
            "TransformOutput": {"Accept": content_type if accept is None else accept},
            "DataProcessing": given,
        }
    )


def records(*lines: bytes) -> list[Record]:
    return [Record(line, line) for line in lines]


@pytest.mark.parametrize(
    ("content_type", "path", "record", "asked"),
    [
        (CSV, "$[1:]", b"7,a,b", b"a,b"),
        (CSV, "$[1:]", b'7,"a,b","c ""d"""\r', b'"a,b","c ""d"""'),
        (CSV, "$[0]", b"7,a", b"7"),
        (CSV, "$[0,-1]", b"7,,", b"7,"),
        (CSV, "$[0:]", b"", b""),
        (LINES, "$.features", b'{"id": 7, "features": [1.0, 2]}', b"[1.0,2]"),
        (JSON, "$['b','a']", b'{"a": 1, "b": "\xc3\xa9", "c": 3}', '{"a":1,"b":"é"}'.encode()),
        (JSON, "$.x", b'{\n  "x": {"z": 1, "y": 2}\n}', b'{"y":2,"z":1}'),
        (LINES, "$.x", b'{"x": 1}\n{"x": 2}\n', b"1\n2"),
        (f"{JSON}; charset=utf-8", "$.x", b'{"x": 1}', b"1"),
        (CSV, "$", b' "odd" , x', b' "odd" , x'),
        (JSON, "$", b"not json", b"not json"),
    ],
)
def test_the_model_is_asked_what_the_filter_lets_through(
    content_type: str, path: str, record: bytes, asked: bytes
) -> None:
    made = processing(content_type, InputFilter=path).filter_input(Record(record, record))
    assert (made.data, made.framed) == (asked, asked)


@pytest.mark.parametrize(
    ("content_type", "path", "lines", "answer", "output"),
    [
        (CSV, "$", [b"7,a", b"8,b"], b"0.5\n0.25\n", b"7,a,0.5\n8,b,0.25"),
        (CSV, "$[0,-1]", [b'"7,1",a', b"8,b"], b"0.5,1\r\n0.25,2", b'"7,1",1\n8,2'),
        (CSV, "$[-1]", [b"7"], b"0.5", b"0.5"),
        (LINES, "$", [b'{"key": 1}'], b'{"label":1}', b'{"SageMakerOutput":{"label":1},"key":1}'),
        (JSON, "$", [b"[1, 2]"], b"3", b'{"SageMakerInput":[1,2],"SageMakerOutput":3}'),
        (LINES, "$['id','SageMakerOutput']", [b'{"id": 1, "x": 2}', b'{"id": 3, "x": 4}'],
         b"[5]\n[6]\n", b'{"SageMakerOutput":[5],"id":1}\n{"SageMakerOutput":[6],"id":3}'),
        (JSON, "$.SageMakerOutput.p", [b'{"id": 1}'], b'{\n  "p": [0.5]\n}', b"[0.5]"),
        (JSON, "$", [b'{"SageMakerOutput": "mine", "id": 1}'], b'"theirs"',
         b'{"SageMakerOutput":"theirs","id":1}'),
    ],
)  # fmt: skip
def test_answers_are_joined_to_their_records_and_filtered(
    content_type: str, path: str, lines: list[bytes], answer: bytes, output: bytes
) -> None:
    made = processing(content_type, JoinSource="Input", OutputFilter=path)
    assert made.process_answer(records(*lines), answer) == output


def test_without_processing_answers_stay_as_they_are() -> None:
    assert processing(JSON).process_answer(records(b"{}"), b"\x00 not json") == b"\x00 not json"


@pytest.mark.parametrize(
    ("content_type", "record", "why"),
    [
        (JSON, b"{'a': 1}", "Failed to parse input as JSON"),
        (LINES, b"", "Failed to parse input as JSON"),
        (LINES, b'{"a": 1} {"a": 2}', "Failed to parse input as JSON"),
        (JSON, b'{"a": NaN}', "NaN is no number of JSON"),
        (JSON, b'{"a": 1e999}', "1e999 is no number of JSON"),
        (JSON, b"\xff", "Failed to parse input as JSON"),
        (JSON, b"[" * 100_000, "Failed to parse input as JSON"),
        (CSV, b'1,"2', "Failed to parse input as CSV (line 1 has a quote that does not fit)"),
        (CSV, b'1,a"b"', "line 1 has a quote"),
        (CSV, b"\xff", "Failed to parse input as CSV"),
    ],
)
def test_a_record_that_is_not_its_content_type_is_refused(
    content_type: str, record: bytes, why: str
) -> None:
    made = processing(content_type, InputFilter="$[0]")
    with pytest.raises(ObjectRefused) as refused:
        made.filter_input(Record(record, record))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("content_type", "lines", "answer", "why"),
    [
        (CSV, [b"1", b"2"], b"0.5\n", "the input has 2 records and the output of the algorithm 1"),
        (LINES, [b"1", b"2"], b'{"predictions": [1, 2]}', "the input has 2 records"),
        (CSV, [b"1"], b'{"a": 1}', "Failed to parse output from the algorithm as CSV"),
        (JSON, [b"1"], b"<html>", "Failed to parse output from the algorithm as JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    content_type: str, lines: list[bytes], answer: bytes, why: str
) -> None:
    made = processing(content_type, JoinSource="Input")
    with pytest.raises(ObjectRefused) as refused:
        made.process_answer(records(*lines), answer)
    assert why in str(refused.value)


plain = st.text(st.characters(exclude_characters='",\n\r', exclude_categories=["Cs"]), max_size=4)
fields = st.one_of(plain, st.text('ab,"', max_size=4).map(lambda text: quoted(text)))


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@given(st.lists(fields, min_size=1, max_size=5), st.lists(fields, min_size=1, max_size=3))
def test_a_csv_join_loses_no_field(record: list[str], answer: list[str]) -> None:
    line, more = (",".join(row).encode() for row in (record, answer))
    joined = processing(CSV, JoinSource="Input").process_answer(records(line), more)
    assert joined == line + b"," + more
    kept = processing(CSV, JoinSource="Input", OutputFilter=f"$[{len(record)}:]")
    assert kept.process_answer(records(line), more) == more


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("k") | st.just("x"), inner),
    max_leaves=6,
)


@given(values, values)
def test_a_json_join_loses_no_value(record: Any, answer: Any) -> None:
    line, more = json.dumps(record, indent=1).encode(), json.dumps(answer, indent=1).encode()
    made = processing(JSON, JoinSource="Input").process_answer(records(line), more)
    joined = json.loads(made)
    assert joined.pop("SageMakerOutput") == answer
    assert (joined if isinstance(record, dict) else joined["SageMakerInput"]) == record
    assert b"\n" not in made
