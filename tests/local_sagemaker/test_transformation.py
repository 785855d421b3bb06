"""Golden outputs: split, strategy, assembling and join, each with each; filters by format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.records import Record
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import (
    DataProcessing,
    Transformation,
)
from tests.local_sagemaker.record_files import (
    recordio,
    recordio_frame,
    tfrecord,
    tfrecord_frame,
)

Model = Callable[[bytes], bytes]
PACKED = gzip.compress(b"some text, " * 20 + bytes(range(64)), mtime=0)
RECORDIO = {name: recordio_frame(name) for name in (b"ab", b"cde")}
TFRECORD = {name: tfrecord_frame(name) for name in (b"ab", b"cde")}
OBJECTS = {
    "None": b"ab\ncde\n",
    "Line": b"ab\ncde\n",
    "RecordIO": recordio([b"ab", b"cde"]),
    "TFRecord": tfrecord([b"ab", b"cde"]),
}


def job(**more: Any) -> dict[str, Any]:
    return {
        "TransformInput": more.pop("source", {}),
        "TransformOutput": more.pop("output", {}),
        **more,
    }


def transformed(parameters: dict[str, Any], body: bytes, model: Model) -> bytes:
    transformation = Transformation.of(parameters)
    cut = transformation.cut(body)
    return transformation.output(cut, [model(payload.body) for payload in cut.payloads])


def marked(body: bytes) -> bytes:
    return b"<" + body + b">"


@pytest.mark.parametrize(
    ("split_type", "strategy", "assemble_with", "expected"),
    [
        ("None", "SingleRecord", "None", b"<ab\ncde\n>"),
        ("None", "SingleRecord", "Line", b"<ab\ncde\n>\n"),
        ("None", "MultiRecord", "None", b"<ab\ncde\n>"),
        ("None", "MultiRecord", "Line", b"<ab\ncde\n>\n"),
        ("Line", "SingleRecord", "None", b"<ab><cde>"),
        ("Line", "SingleRecord", "Line", b"<ab>\n<cde>\n"),
        ("Line", "MultiRecord", "None", b"<ab\ncde>"),
        ("Line", "MultiRecord", "Line", b"<ab\ncde>\n"),
        ("RecordIO", "SingleRecord", "None", b"<ab><cde>"),
        ("RecordIO", "SingleRecord", "Line", b"<ab>\n<cde>\n"),
        ("RecordIO", "MultiRecord", "None", marked(RECORDIO[b"ab"] + RECORDIO[b"cde"])),
        ("RecordIO", "MultiRecord", "Line", marked(RECORDIO[b"ab"] + RECORDIO[b"cde"]) + b"\n"),
        ("TFRecord", "SingleRecord", "None", b"<ab><cde>"),
        ("TFRecord", "SingleRecord", "Line", b"<ab>\n<cde>\n"),
        ("TFRecord", "MultiRecord", "None", marked(TFRECORD[b"ab"] + TFRECORD[b"cde"])),
        ("TFRecord", "MultiRecord", "Line", marked(TFRECORD[b"ab"] + TFRECORD[b"cde"]) + b"\n"),
    ],
)
def test_an_object_becomes_its_output(
    split_type: str, strategy: str, assemble_with: str, expected: bytes
) -> None:
    parameters = job(
        source={"SplitType": split_type},
        output={"AssembleWith": assemble_with},
        BatchStrategy=strategy,
    )
    assert transformed(parameters, OBJECTS[split_type], marked) == expected


def doubled_rows(body: bytes) -> bytes:
    """A model of CSV: the last field of each row, twice."""
    return b"\n".join(line.rpartition(b",")[2] * 2 for line in body.split(b"\n"))


def lengths(body: bytes) -> bytes:
    """A model of JSON lines: how long each line is."""
    return b"\n".join(b"%d" % len(line) for line in body.split(b"\n"))


ROWS = b"7,a\n8,b\n"
OBJECT_LINES = b'{"id": 7, "x": [1]}\n{"id": 8, "x": [1, 2]}\n'


@pytest.mark.parametrize(
    ("media", "split_type", "strategy", "body", "model", "given", "expected"),
    [
        ("text/csv", "Line", "MultiRecord", ROWS, doubled_rows, {"JoinSource": "Input"},
         b"7,a,aa\n8,b,bb\n"),
        ("text/csv", "Line", "SingleRecord", ROWS, doubled_rows,
         {"JoinSource": "Input", "InputFilter": "$[1:]", "OutputFilter": "$[0,-1]"},
         b"7,aa\n8,bb\n"),
        ("text/csv", "Line", "MultiRecord", ROWS, doubled_rows, {"InputFilter": "$[0]"},
         b"77\n88\n"),
        ("application/jsonlines", "Line", "MultiRecord", OBJECT_LINES, lengths,
         {"JoinSource": "Input", "InputFilter": "$.x"},
         b'{"SageMakerOutput":3,"id":7,"x":[1]}\n{"SageMakerOutput":5,"id":8,"x":[1,2]}\n'),
        ("application/json", "Line", "SingleRecord", OBJECT_LINES, lengths,
         {"JoinSource": "Input", "OutputFilter": "$['id','SageMakerOutput']"},
         b'{"SageMakerOutput":19,"id":7}\n{"SageMakerOutput":22,"id":8}\n'),
        ("application/jsonlines", "None", "MultiRecord", OBJECT_LINES, lengths,
         {"JoinSource": "Input", "InputFilter": "$.x", "OutputFilter": "$.SageMakerOutput"},
         b"3\n5"),
        ("application/json", "None", "SingleRecord", b'{"x": 1}', lengths, {"JoinSource": "Input"},
         b'{"SageMakerOutput":8,"x":1}'),
        ("application/json", "None", "MultiRecord", b'{"x": 1}', lambda _: b'{"p": [0, 1]}',
         {"OutputFilter": "$.p[1]"}, b"1"),
    ],
)  # fmt: skip
def test_an_object_is_filtered_and_joined(
    media: str,
    split_type: str,
    strategy: str,
    body: bytes,
    model: Model,
    given: dict[str, str],
    expected: bytes,
) -> None:
    parameters = job(
        source={"SplitType": split_type, "ContentType": media},
        output={"AssembleWith": split_type, "Accept": media},
        BatchStrategy=strategy,
        DataProcessing=given,
    )
    assert transformed(parameters, body, model) == expected


def test_a_join_finds_its_records_across_payloads() -> None:
    rows = b"".join(b"%d,%s\n" % (number, b"x" * 300_000) for number in range(8))
    parameters = job(
        source={"SplitType": "Line", "ContentType": "text/csv"},
        output={"AssembleWith": "Line", "Accept": "text/csv"},
        MaxPayloadInMB=1,
        DataProcessing={"JoinSource": "Input", "OutputFilter": "$[0,2]"},
    )
    transformation = Transformation.of(parameters)
    cut = transformation.cut(rows)
    assert [len(payload.records) for payload in cut.payloads] == [3, 3, 2]
    answers = [
        b"\n".join(b"answer to %s" % line.partition(b",")[0] for line in payload.body.split(b"\n"))
        for payload in cut.payloads
    ]
    assert transformation.output(cut, answers) == b"".join(
        b"%d,answer to %d\n" % (number, number) for number in range(8)
    )


def test_the_payload_limit_is_held_against_what_is_sent() -> None:
    line = b"1," + b"x" * 1024 * 1024
    kept = {"SplitType": "Line", "ContentType": "text/csv"}
    whole = job(source=kept, MaxPayloadInMB=1)
    with pytest.raises(ObjectRefused, match="record 1 has 1048578 bytes, more than the 1048576"):
        Transformation.of(whole).cut(line)
    cut = Transformation.of({**whole, "DataProcessing": {"InputFilter": "$[0]"}}).cut(line)
    assert [payload.body for payload in cut.payloads] == [b"1"]


@pytest.mark.parametrize("megabytes", [None, 0])
def test_the_limit_is_6_mb_unless_it_is_lifted(megabytes: int | None) -> None:
    given = {} if megabytes is None else {"MaxPayloadInMB": megabytes}
    transformation = Transformation.of(job(**given))
    large = b"x" * (6 * 1024 * 1024 + 1)
    if megabytes == 0:
        assert transformation.cut(large).payloads[0].body == large
    else:
        with pytest.raises(ObjectRefused, match="6291457 bytes, more than the 6291456"):
            transformation.cut(large)


@pytest.mark.parametrize("split_type", OBJECTS)
def test_gzip_is_unpacked_before_it_is_split(split_type: str) -> None:
    source = {"SplitType": split_type, "CompressionType": "Gzip"}
    plain = Transformation.of(job(source={"SplitType": split_type})).cut(OBJECTS[split_type])
    body = OBJECTS[split_type]
    packed = gzip.compress(body[:5]) + gzip.compress(body[5:])  # of several members
    assert Transformation.of(job(source=source)).cut(packed) == plain


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"plain text",
        gzip.compress(b"text" * 100)[:-9],
        gzip.compress(b"text")[:-8] + b"\0" * 8,
    ],
    ids=["empty", "text", "cut off", "another checksum"],
)
def test_what_is_not_gzip_is_refused(body: bytes) -> None:
    transformation = Transformation.of(job(source={"CompressionType": "Gzip"}))
    with pytest.raises(ObjectRefused, match="not a gzip file"):
        transformation.cut(body)


@given(st.integers(min_value=0, max_value=len(PACKED) - 1), st.integers(min_value=1, max_value=255))
def test_a_damaged_gzip_meets_no_other_error(at: int, change: int) -> None:
    body = PACKED[:at] + bytes([PACKED[at] ^ change]) + PACKED[at + 1 :]
    try:
        Transformation.of(job(source={"CompressionType": "Gzip"})).cut(body)
    except ObjectRefused:
        return


def test_an_empty_object_asks_nothing_unless_it_is_whole() -> None:
    assert transformed(job(), b"", marked) == b"<>"
    for split_type in ("Line", "RecordIO", "TFRecord"):
        assert transformed(job(source={"SplitType": split_type}), b"", marked) == b""


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
