"""Objects into records: each format's files as they are, and what is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sagemaker_serving.local_sagemaker.records import RecordDamaged, split
from tests.local_sagemaker.record_files import (
    MAGIC,
    recordio,
    recordio_frame,
    recordio_part,
    tfrecord,
    tfrecord_frame,
)

Write = Callable[[Iterable[bytes]], bytes]
FORMATS: dict[str, Write] = {"RecordIO": recordio, "TFRecord": tfrecord}
FRAMES = {"RecordIO": recordio_frame, "TFRecord": tfrecord_frame}

WRITTEN_BY_TENSORFLOW = bytes.fromhex(
    "000000000000000029039807d8ea82a2"
    "06000000000000007369d537646967697473ebcedeb8"
    "0800000000000000ff86240f000102030405060731fff91a"
)
"""What tf.io.TFRecordWriter 2.21.0 writes for b"", b"digits" and bytes(range(8))."""

chunks = st.lists(st.one_of(st.binary(max_size=9), st.just(MAGIC), st.just(b"\n")), max_size=4)
records = st.lists(chunks.map(b"".join), max_size=5)


def data(body: bytes, split_type: str) -> list[bytes]:
    return [record.data for record in split(body, split_type)]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\r\nb\r\n", [b"a\r", b"b\r"]),
    ],
)
def test_lines_end_at_newlines(body: bytes, lines: list[bytes]) -> None:
    assert data(body, "Line") == lines


@pytest.mark.parametrize("body", [b"", b"a\nb\n", b"\x00\xff"])
def test_split_none_keeps_the_object_whole(body: bytes) -> None:
    assert data(body, "None") == [body]


def test_what_tensorflow_writes_is_read() -> None:
    assert data(WRITTEN_BY_TENSORFLOW, "TFRecord") == [b"", b"digits", bytes(range(8))]
    assert tfrecord([b"", b"digits", bytes(range(8))]) == WRITTEN_BY_TENSORFLOW


def test_recordio_is_read_byte_by_byte_as_it_is_described() -> None:
    body = (
        b"\x0a\x23\xd7\xce\x05\x00\x00\x00digit\x00\x00\x00"  # 5 bytes, 3 zeros
        b"\x0a\x23\xd7\xce\x00\x00\x00\x00"  # no bytes
        b"\x0a\x23\xd7\xce\x04\x00\x00\x20four"  # the first part of a record
        b"\x0a\x23\xd7\xce\x00\x00\x00\x40"  # its second, of no bytes
        b"\x0a\x23\xd7\xce\x01\x00\x00\x60!\x00\x00\x00"  # its last
    )
    magic = b"\x0a\x23\xd7\xce"
    assert data(body, "RecordIO") == [b"digit", b"", b"four" + magic + magic + b"!"]


@pytest.mark.parametrize("split_type", FORMATS)
@given(written=records)
@example(written=[MAGIC, MAGIC + MAGIC, b"abc" + MAGIC, b"abcd" + MAGIC + b"e"])
def test_records_come_back_as_they_were_written(split_type: str, written: list[bytes]) -> None:
    found = list(split(FORMATS[split_type](written), split_type))
    assert [record.data for record in found] == written
    assert [record.framed for record in found] == [FRAMES[split_type](data) for data in written]


@pytest.mark.parametrize("split_type", FORMATS)
@given(written=records, number=st.integers(min_value=0))
def test_a_file_that_is_cut_short_is_damaged_or_ends_between_records(
    split_type: str, written: list[bytes], number: int
) -> None:
    frames = [FRAMES[split_type](data) for data in written]
    body = b"".join(frames)
    kept = body[: number % (len(body) + 1)]
    ends = {len(b"".join(frames[:count])): count for count in range(len(frames) + 1)}
    if len(kept) in ends:
        assert data(kept, split_type) == written[: ends[len(kept)]]
    else:
        with pytest.raises(RecordDamaged):
            data(kept, split_type)


@given(written=records.filter(bool), number=st.integers(min_value=0))
def test_a_bit_that_flips_damages_a_tfrecord(written: list[bytes], number: int) -> None:
    with pytest.raises(RecordDamaged):
        data(flipped(tfrecord(written), number), "TFRecord")


@given(written=records.filter(bool), number=st.integers(min_value=0))
def test_a_bit_that_flips_in_recordio_meets_no_other_error(
    written: list[bytes], number: int
) -> None:
    try:
        data(flipped(recordio(written), number), "RecordIO")
    except RecordDamaged:
        return


@pytest.mark.parametrize("split_type", FORMATS)
@given(body=st.binary(min_size=1))
def test_any_bytes_are_records_or_damaged(split_type: str, body: bytes) -> None:
    with pytest.raises(RecordDamaged):
        data(body + b"\x01", split_type)


@pytest.mark.parametrize(
    ("split_type", "body", "why"),
    [
        ("TFRecord", b"\x01", "record 1, at byte 0, ends within its header"),
        ("TFRecord", tfrecord([b"a"])[:-1], "record 1, at byte 0, ends 1 bytes before it should"),
        ("TFRecord", tfrecord([b"ok", b"bad"]).replace(b"bad", b"mad"),
         "record 2, at byte 18, has data with another CRC"),
        ("TFRecord", b"\x07" + tfrecord([b"a"])[1:],
         "record 1, at byte 0, has a length with another CRC"),
        ("RecordIO", MAGIC, "record 1, at byte 0, ends within its header"),
        ("RecordIO", recordio([b"ok"]) + b"notmagic",
         "record 2, at byte 12, begins with 0x6d746f6e instead of 0xced7230a"),
        ("RecordIO", recordio([b"a"])[:-1], "ends 1 bytes before its 1 do"),
        ("RecordIO", recordio_part(2, b"abcd"), "at byte 0, is not the beginning of a record"),
        ("RecordIO", recordio_part(1, b"abcd") + recordio_part(0, b"efgh"),
         "record 1, at byte 12, is not the next part of its record"),
        ("RecordIO", recordio_part(1, b"ab") + recordio_part(1, b"cd"),
         "at byte 12, is not the next part of its record"),
        ("RecordIO", recordio_part(1, b"abcd"), "record 1, at byte 0, has no last part"),
        ("RecordIO", recordio_part(5, b"abcd"), "says that it is part 5 of 0 to 3"),
    ],
)  # fmt: skip
def test_damage_is_said_with_its_place(split_type: str, body: bytes, why: str) -> None:
    with pytest.raises(RecordDamaged) as damaged:
        data(body, split_type)
    assert str(damaged.value).startswith(f"not a {split_type} file: record ")
    assert str(damaged.value).endswith(why)


def test_a_length_that_no_memory_holds_is_only_damage() -> None:
    length = (2**64 - 1).to_bytes(8, "little")
    body = length + tfrecord_frame(length)[20:] + b"x"
    with pytest.raises(RecordDamaged):
        data(body, "TFRecord")


def flipped(body: bytes, number: int) -> bytes:
    bit = number % (len(body) * 8)
    changed = bytearray(body)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)
