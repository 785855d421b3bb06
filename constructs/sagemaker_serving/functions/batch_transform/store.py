"""Objects in S3: listed page by page, looked up by the page, read and written as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

_CONFLICTS = ("PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey")
"""Somebody else wrote before, writes now, or has just deleted what was to be replaced."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One object of a listing; ``modified`` is in seconds since the epoch."""

    key: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class Place:
    """A bucket, and a key or a key's beginning."""

    bucket: str
    key: str

    @classmethod
    def parse(cls, uri: str) -> Place:
        """Of ``s3://bucket/key``."""
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        return cls(bucket, key)

    def __truediv__(self, name: str) -> Place:
        """The place whose key goes on with ``name``; no slash is put between."""
        return Place(self.bucket, self.key + name)

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


class Store:
    """S3 through a boto3 client; botocore's errors pass."""

    def __init__(self, s3: Any) -> None:
        self.s3 = s3

    def listed(self, place: Place, *, after: str | None = None) -> Iterator[Entry]:
        """The objects under a prefix in the order of their keys, those after ``after``."""
        more = {} if after is None else {"StartAfter": after}
        while True:
            page = self.s3.list_objects_v2(Bucket=place.bucket, Prefix=place.key, **more)
            yield from map(_entry, page.get("Contents", ()))
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def found(self, place: Place, keys: Sequence[str]) -> dict[str, Entry]:
        """Those of ``keys`` that exist; the keys are sorted, and all begin as ``place`` does.

        It goes from page to page where keys are dense, and jumps where they are not: never
        more requests than there are keys, nor than there are pages, and one page in memory.
        """
        found: dict[str, Entry] = {}
        index = 0
        while index < len(keys):
            page = self.s3.list_objects_v2(
                Bucket=place.bucket, Prefix=place.key, StartAfter=_just_before(keys[index])
            )
            there = {entry["Key"]: entry for entry in page.get("Contents", ())}
            last = next(reversed(there)) if page.get("IsTruncated") else None
            while index < len(keys) and (last is None or keys[index] <= last):
                if keys[index] in there:
                    found[keys[index]] = _entry(there[keys[index]])
                index += 1
        return found

    def open(self, place: Place, *, offset: int = 0) -> Any:
        """The object from a byte on as a stream with ``read(size)``; it has to be there.

        From its end on it is an empty one.
        """
        part = {"Range": f"bytes={offset}-"} if offset else {}
        try:
            return self.s3.get_object(Bucket=place.bucket, Key=place.key, **part)["Body"]
        except ClientError as error:
            if error.response["Error"].get("Code") != "InvalidRange":
                raise
            return io.BytesIO()

    def read(self, place: Place) -> bytes:
        """The whole object; it has to be there."""
        body: bytes = self.open(place).read()
        return body

    def read_if_there(self, place: Place) -> bytes | None:
        """The whole object, None when there is none.

        It is looked for by listing: to a role that may list some prefixes only, S3 does not say
        that an object is missing but refuses to read it.
        """
        folder = Place(place.bucket, place.key[: place.key.rfind("/") + 1])
        return self.read(place) if self.found(folder, [place.key]) else None

    def write(self, place: Place, body: bytes, content_type: str = "application/json") -> None:
        """Put the object, over any that is there."""
        self.s3.put_object(Bucket=place.bucket, Key=place.key, Body=body, ContentType=content_type)

    def write_if(self, place: Place, body: bytes, *, etag: str | None) -> bool:
        """Put the object if it still has that ETag, or if there is none (None); whether it was.

        S3 decides, so of two that write at once one only is told True (S3 user guide,
        "Conditional writes").
        """
        condition = {"IfNoneMatch": "*"} if etag is None else {"IfMatch": etag}
        try:
            self.s3.put_object(Bucket=place.bucket, Key=place.key, Body=body, **condition)
        except ClientError as error:
            if error.response["Error"].get("Code") in _CONFLICTS:
                return False
            raise
        return True

    def delete(self, place: Place) -> None:
        """Delete the object, whether it is there or not."""
        self.s3.delete_object(Bucket=place.bucket, Key=place.key)

    def read_json(self, place: Place) -> Any:
        """The object's JSON; it has to be there."""
        return json.loads(self.read(place))

    def write_json(self, place: Place, value: Any) -> None:
        """Put a value as compact JSON."""
        self.write(place, compact(value).encode())

    def read_lines(self, place: Place) -> Iterator[Any]:
        """The values of an object with one JSON document in each line; it has to be there."""
        for line in self.open(place).iter_lines(1 << 16):
            yield json.loads(line)

    def write_lines(self, place: Place, values: Iterable[Any]) -> None:
        """Put values as JSON, one in each line."""
        text = "".join(f"{compact(value)}\n" for value in values)
        self.write(place, text.encode(), "application/jsonlines")


def compact(value: Any) -> str:
    """JSON without blanks, other letters as they are."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _entry(listed: dict[str, Any]) -> Entry:
    return Entry(
        key=listed["Key"], size=listed["Size"], modified=int(listed["LastModified"].timestamp())
    )


def _just_before(key: str) -> str:
    """A text before ``key`` with hardly any key between; listings begin after it."""
    head, last = key[:-1], ord(key[-1])
    if last <= 0x20 or 0xD800 <= last - 1 <= 0xDFFF:
        return head
    return f"{head}{chr(last - 1)}~~~"
