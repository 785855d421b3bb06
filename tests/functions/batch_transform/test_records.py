from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.records import Damaged, Framed, records_of
from tests.local_sagemaker.record_files import recordio, tfrecord

LIMIT = 100
WRITERS: dict[str, Callable[[list[bytes]], bytes]] = {
    "Line": lambda records: b"".join(record + b"\n" for record in records),
    "TFRecord": tfrecord,
    "RecordIO": recordio,
}


def read(body: bytes, split_type: str, *, is_gzip: bool = False) -> list[Framed]:
    return list(records_of(io.BytesIO(body), split_type, is_gzip=is_gzip, limit=LIMIT))


def before_damage(body: bytes, split_type: str, *, is_gzip: bool = False) -> tuple[int, str]:
    """How many records come before the damage, and what is said of it."""
    count = 0
    try:
        for _ in records_of(io.BytesIO(body), split_type, is_gzip=is_gzip, limit=LIMIT):
            count += 1
    except Damaged as damaged:
        return count, str(damaged)
    return count, ""


@pytest.mark.parametrize("is_gzip", [False, True])
@pytest.mark.parametrize("split_type", WRITERS)
@given(
    records=st.lists(
        st.binary(max_size=90).map(lambda data: data.replace(b"\n", b"")), min_size=1, max_size=20
    )
)
def test_records_come_with_their_bytes_and_places(
    split_type: str, is_gzip: bool, records: list[bytes]
) -> None:
    body = WRITERS[split_type](records)
    found = read(gzip.compress(body) if is_gzip else body, split_type, is_gzip=is_gzip)
    assert [each.size for each in found] == [len(record) for record in records]
    assert b"".join(each.data for each in found) == body
    for each in found:
        assert each.data == body[each.offset : each.offset + each.length]


def test_a_last_line_without_an_end_is_a_record() -> None:
    assert [each.data for each in read(b"a\n\nb", "Line")] == [b"a\n", b"\n", b"b"]


@pytest.mark.parametrize("split_type", WRITERS)
def test_a_record_over_the_limit_comes_cut_and_hides_no_other(split_type: str) -> None:
    body = WRITERS[split_type]([b"first", b"x" * 5000, b"last"])
    found = read(body, split_type)
    assert [(each.size, each.is_cut) for each in found] == [(5, False), (5000, True), (4, False)]
    assert sum(each.length for each in found) == len(body)
    assert found[2].data == body[found[2].offset :]


@pytest.mark.parametrize("split_type", ["TFRecord", "RecordIO"])
def test_records_before_the_damage_are_given(split_type: str) -> None:
    body = WRITERS[split_type]([b"first", b"second", b"third"])
    assert before_damage(body[:-2], split_type)[0] == 2
    broken = bytearray(body)
    broken[len(WRITERS[split_type]([b"first"]))] ^= 0xFF
    count, said = before_damage(bytes(broken), split_type)
    assert count == 1
    assert "CRC" in said or "does not begin as RecordIO's do" in said


def test_lines_before_the_damage_of_a_gzip_file_are_given() -> None:
    packed = gzip.compress(b"".join(b"%d\n" % number * 20 for number in range(5_000)))
    count, said = before_damage(packed[: len(packed) // 2], "Line", is_gzip=True)
    assert count > 1000
    assert said.startswith("the gzip file is damaged")
