"""Items in files, and how they become children's inputs."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_aws.services.stepfunctions.engine import batches, item_reader
from local_aws.services.stepfunctions.engine.item_reader import UnreadableItems


class Bucket:
    """S3's get_object over a dictionary."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        self._objects = objects

    def get_object(self, **asked: str) -> dict[str, Any]:
        return {"Body": io.BytesIO(self._objects[asked["Key"]])}


@pytest.mark.parametrize(
    ("config", "body", "items"),
    [
        ({"InputType": "JSON"}, b'[1, {"a": 2}]', [1, {"a": 2}]),
        ({"InputType": "JSON"}, b"[]", []),
        ({"InputType": "JSON", "ItemsPointer": "/a/b"}, b'{"a": {"b": [3]}}', [3]),
        ({"InputType": "JSONL"}, b'{"a": 1}\n\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        ({"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"}, b'\xef\xbb\xbfa,b\n1,"x,y"\n2\n',
         [{"a": "1", "b": "x,y"}, {"a": "2", "b": ""}]),
        ({"InputType": "CSV", "CSVHeaderLocation": "GIVEN", "CSVHeaders": ["k", "v"],
          "CSVDelimiter": "PIPE"}, b"1|2\r\n", [{"k": "1", "v": "2"}]),
    ],
)  # fmt: skip
def test_each_input_type_is_read(config: dict[str, Any], body: bytes, items: list[Any]) -> None:
    assert item_reader.parsed(body, config) == items


def test_a_rows_fields_come_in_the_order_of_a_java_map() -> None:
    """Recorded by LocalStack's suite, 2023: an item's text shows the order."""
    body = b"0,True,{},\n1,2,3,4\n"
    (item,) = item_reader.parsed(body, {"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"})
    assert list(item.items()) == [("0", "1"), ("", "4"), ("{}", "3"), ("True", "2")]
    wide = b",".join(b"c%d" % n for n in range(30)) + b"\n1"
    (item,) = item_reader.parsed(wide, {"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"})
    assert len(item) == 30


@pytest.mark.parametrize(
    ("config", "body", "cause"),
    [
        ({"InputType": "JSON"}, b"{}", "Attempting to map over non-iterable node."),
        ({"InputType": "JSON"}, b"[1", "The file is not valid JSON"),
        ({"InputType": "JSONL"}, b"[1]\n[", "The file is not valid JSON"),
        ({"InputType": "JSONL"}, b"\xff", "The file is not UTF-8"),
        ({"InputType": "JSON", "ItemsPointer": "/x"}, b"{}", "'/x' finds nothing"),
        (
            {"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"},
            b"a,a\n1,2",
            "CSV headers cannot contain duplicates.",
        ),
    ],
)
def test_what_cannot_be_read_says_why(config: dict[str, Any], body: bytes, cause: str) -> None:
    with pytest.raises(UnreadableItems, match=cause):
        item_reader.parsed(body, config)


def test_an_inventory_lists_its_objects() -> None:
    manifest = {
        "destinationBucket": "arn:aws:s3:::inventories",
        "fileFormat": "CSV",
        "fileSchema": "Bucket, Key, Size",
        "files": [{"key": "data/1.csv.gz"}],
    }
    bucket = Bucket(
        {
            "manifest.json": json.dumps(manifest).encode(),
            "data/1.csv.gz": gzip.compress(b'"b","x/1","5"\n"b","x/2","7"\n'),
        }
    )
    parameters = {"Bucket": "inventories", "Key": "manifest.json"}
    read = item_reader.read(bucket, parameters, {"InputType": "MANIFEST"}, None)
    assert read == [
        {"Bucket": "b", "Key": "x/1", "Size": "5"},
        {"Bucket": "b", "Key": "x/2", "Size": "7"},
    ]


def test_max_items_ends_the_list_and_zero_does_not() -> None:
    bucket = Bucket({"k": b"[1, 2, 3]"})
    parameters, config = {"Bucket": "b", "Key": "k"}, {"InputType": "JSON"}
    assert item_reader.read(bucket, parameters, config, 2) == [1, 2]
    assert item_reader.read(bucket, parameters, config, 0) == [1, 2, 3]


@given(
    st.lists(st.text(max_size=9) | st.integers(), max_size=12),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(20, 100),
)
@settings(max_examples=20)
def test_batches_keep_every_item_in_order_and_within_limits(
    items: list[Any], most: int | None, size: int | None
) -> None:
    found = batches.batched(items, max_items=most, max_bytes=size)
    assert [item for batch in found for item in batch.value["Items"]] == items
    assert sum(batch.item_count for batch in found) == len(items)
    for batch in found:
        assert most is None or batch.item_count <= most
        assert size is None or batch.size <= size or batch.item_count == 1


def test_a_batch_carries_its_input() -> None:
    (batch,) = batches.batched([1], max_items=None, max_bytes=None, batch_input={"a": 1})
    assert batch.value == {"BatchInput": {"a": 1}, "Items": [1]}
