"""The items of a Distributed Map that lie in S3.

https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itemreader.html.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

_DELIMITERS = {"COMMA": ",", "PIPE": "|", "SEMICOLON": ";", "SPACE": " ", "TAB": "\t"}


class UnreadableItems(Exception):
    """The data set cannot be read as the reader is configured; the message is the cause."""


def listed(s3: Any, parameters: Mapping[str, Any], max_items: int | None) -> list[Any]:
    """Every object that ``s3:listObjectsV2`` finds, as items.

    Raises botocore's ClientError.
    """
    pages = s3.get_paginator("list_objects_v2").paginate(**parameters)
    items: list[Any] = []
    for page in pages:
        items += [
            {
                "Etag": found["ETag"],
                "Key": found["Key"],
                "LastModified": int(found["LastModified"].timestamp()),
                "Size": found["Size"],
                "StorageClass": found.get("StorageClass", "STANDARD"),
            }
            for found in page.get("Contents", [])
        ]
        if max_items and len(items) >= max_items:  # 0 sets no limit
            break
    return _first(items, max_items)


def read(
    s3: Any, parameters: Mapping[str, Any], config: Mapping[str, Any], max_items: int | None
) -> list[Any]:
    """The items in the object that ``s3:getObject`` fetches.

    ``config`` is the ReaderConfig. Raises botocore's ClientError, and UnreadableItems.
    """
    body = s3.get_object(**parameters)["Body"].read()
    if config["InputType"] == "MANIFEST":
        return _first(_inventory(s3, _json(body)), max_items)
    return _first(parsed(body, config), max_items)


def parsed(body: bytes, config: Mapping[str, Any]) -> list[Any]:
    """The items in a file's content, by its InputType: CSV, JSON or JSONL.

    Raises UnreadableItems.
    """
    match config["InputType"]:
        case "CSV":
            return _csv(_text(body), config)
        case "JSONL":
            return [_json(line.encode()) for line in _text(body).split("\n") if line.strip()]
        case _:
            return _array(_pointed(_json(body), config.get("ItemsPointer", "")))


def _csv(text: str, config: Mapping[str, Any]) -> list[Any]:
    rows = csv.reader(io.StringIO(text), delimiter=_DELIMITERS[config.get("CSVDelimiter", "COMMA")])
    given = config["CSVHeaderLocation"] == "GIVEN"
    headers = config.get("CSVHeaders", []) if given else next(rows, [])
    if len(set(headers)) < len(headers):
        raise UnreadableItems("CSV headers cannot contain duplicates.")
    return [_record(headers, row) for row in rows if row]


def _record(headers: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    fields = [(name, row[n] if n < len(row) else "") for n, name in enumerate(headers)]
    return dict(sorted(fields, key=lambda field: _slot(field[0], len(fields))))


def _slot(name: str, count: int) -> int:
    """Where Java's HashMap of so many keys has one: AWS writes a row's fields in that order."""
    units = name.encode("utf-16-be")
    value = 0
    for at in range(0, len(units), 2):
        value = (value * 31 + int.from_bytes(units[at : at + 2])) & 0xFFFFFFFF
    slots = 16
    while count > slots * 3 // 4:
        slots *= 2
    return (value ^ value >> 16) & (slots - 1)


def _inventory(s3: Any, manifest: Any) -> list[Any]:
    """What an S3 Inventory lists: one item per object."""
    if not isinstance(manifest, dict) or "files" not in manifest:
        raise UnreadableItems("The manifest is not one of an S3 Inventory: it has no 'files'.")
    if manifest.get("fileFormat") != "CSV":
        raise UnreadableItems(
            f"The inventory's format is {manifest.get('fileFormat')!r}; only CSV can be read."
        )
    bucket = str(manifest["destinationBucket"]).rpartition(":")[2]
    headers = [name.strip() for name in str(manifest["fileSchema"]).split(",")]
    items: list[Any] = []
    for file in manifest["files"]:
        body = s3.get_object(Bucket=bucket, Key=file["key"])["Body"].read()
        content = gzip.decompress(body) if file["key"].endswith(".gz") else body
        rows = csv.reader(io.StringIO(_text(content)))
        items += [_record(headers, row) for row in rows if row]
    return items


def _pointed(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(document, dict) or key not in document:
            raise UnreadableItems(f"The ItemsPointer '{pointer}' finds nothing in the file.")
        document = document[key]
    return document


def _array(document: Any) -> list[Any]:
    if not isinstance(document, list):
        raise UnreadableItems("Attempting to map over non-iterable node.")
    return document


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise UnreadableItems(f"The file is not valid JSON: {error}") from None


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableItems(f"The file is not UTF-8: {error}") from None


def _first(items: list[Any], max_items: int | None) -> list[Any]:
    return items if max_items is None or max_items == 0 else items[:max_items]
