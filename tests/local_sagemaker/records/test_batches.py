"""Records into payloads, and answers into an output."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.local_sagemaker.records import (
    Record,
    assemble,
    batch,
    split,
)

lines = st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))


def bodies(
    records: list[bytes], strategy: str, limit: int | None, separator: bytes = b"\n"
) -> list[bytes]:
    made = [Record(data, data) for data in records]
    return [
        payload.body for payload in batch(made, strategy=strategy, limit=limit, separator=separator)
    ]


def test_a_payload_is_filled_to_the_last_byte() -> None:
    assert bodies([b"aa", b"bb", b"cc"], "MultiRecord", 5) == [b"aa\nbb", b"cc"]
    assert bodies([b"aa", b"bb", b"cc"], "MultiRecord", 4) == [b"aa", b"bb", b"cc"]


def test_frames_count_in_a_payload_but_not_against_a_record() -> None:
    records = [Record(b"abcd", b"<abcd>"), Record(b"ef", b"<ef>")]
    payloads = batch(records, strategy="MultiRecord", limit=4)
    assert [payload.body for payload in payloads] == [b"<abcd>", b"<ef>"]


@given(st.lists(lines), st.sampled_from(["SingleRecord", "MultiRecord"]))
def test_no_record_is_lost_doubled_or_moved(records: list[bytes], strategy: str) -> None:
    made = [Record(data, data) for data in records]
    payloads = list(batch(made, strategy=strategy, limit=16, separator=b"\n"))
    assert all(len(payload.body) <= 16 for payload in payloads)
    assert [line for payload in payloads for line in payload.body.split(b"\n")] == records
    assert [index for payload in payloads for index in payload.records] == list(range(len(records)))


@given(st.lists(lines))
def test_a_line_file_survives_split_and_assemble(records: list[bytes]) -> None:
    body = b"".join(record + b"\n" for record in records)
    assert assemble([record.data for record in split(body, "Line")], "Line") == body


def test_assemble_line_closes_every_answer_once() -> None:
    assert assemble([b"a", b"b\n", b""], "Line") == b"a\nb\n\n"
    assert assemble([b"a", b"b\n", b""], "None") == b"ab\n"
