"""Cutting objects into records and payloads, and putting answers together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.local.sagemaker.records import RecordTooLarge, assemble, batch, split

lines = st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))


@pytest.mark.parametrize(
    ("body", "records"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
    ],
)
def test_lines_end_at_newlines(body: bytes, records: list[bytes]) -> None:
    assert split(body, "Line") == records


@pytest.mark.parametrize("body", [b"", b"a\nb\n", b"\x00\xff"])
def test_split_none_keeps_the_object_whole(body: bytes) -> None:
    assert split(body, "None") == [body]


def test_a_single_record_is_a_payload() -> None:
    assert list(batch([b"a", b"b"], strategy="SingleRecord", limit=100)) == [b"a", b"b"]


def test_a_payload_is_filled_to_the_last_byte() -> None:
    assert list(batch([b"aa", b"bb", b"cc"], strategy="MultiRecord", limit=5)) == [b"aa\nbb", b"cc"]
    assert list(batch([b"aa", b"bb", b"cc"], strategy="MultiRecord", limit=4)) == [
        b"aa",
        b"bb",
        b"cc",
    ]


def test_without_a_limit_there_is_one_payload() -> None:
    assert list(batch([b"a"] * 1000, strategy="MultiRecord", limit=None)) == [
        b"\n".join([b"a"] * 1000)
    ]


def test_a_record_over_the_limit_is_named_by_its_number() -> None:
    with pytest.raises(RecordTooLarge, match="record 2 has 6 bytes, more than the 5"):
        list(batch([b"ok", b"toobig"], strategy="MultiRecord", limit=5))


@given(st.lists(lines), st.sampled_from(["SingleRecord", "MultiRecord"]))
def test_no_record_is_lost_doubled_or_moved(records: list[bytes], strategy: str) -> None:
    payloads = list(batch(records, strategy=strategy, limit=16))
    assert all(len(payload) <= 16 for payload in payloads)
    assert [line for payload in payloads for line in payload.split(b"\n")] == records


@given(st.lists(lines))
def test_a_line_file_survives_split_and_assemble(records: list[bytes]) -> None:
    body = b"".join(record + b"\n" for record in records)
    assert assemble(split(body, "Line"), "Line") == body


def test_assemble_line_closes_every_answer_once() -> None:
    assert assemble([b"a", b"b\n", b""], "Line") == b"a\nb\n\n"
    assert assemble([b"a", b"b\n", b""], "None") == b"ab\n"
