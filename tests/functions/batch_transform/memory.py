"""S3 in memory, as far as the function uses it: listings of 1,000 keys, conditions, and no more."""

from __future__ import annotations

import io
from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any

from botocore.exceptions import ClientError

PAGE = 1000


class Body(io.BytesIO):
    """An object's content as botocore streams it."""

    def iter_lines(self, chunk_size: int) -> Iterator[bytes]:
        for line in self:
            yield line.rstrip(b"\n")


class MemoryS3:
    """Objects by bucket and key; ``now`` is the time that the next object is put, in seconds."""

    def __init__(self) -> None:
        self.now = 1_000_000
        self.lists = 0
        self._keys: dict[str, list[str]] = {}
        self._objects: dict[tuple[str, str], tuple[bytes, int, str]] = {}
        self._etags = count(1)

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **given: Any) -> dict[str, str]:
        kept = self._objects.get((Bucket, Key))
        if given.get("IfNoneMatch") == "*" and kept is not None:
            raise failure("PreconditionFailed")
        if "IfMatch" in given and (kept is None or kept[2] != given["IfMatch"]):
            raise failure("PreconditionFailed")
        if kept is None:
            insort(self._keys.setdefault(Bucket, []), Key)
        etag = f'"{next(self._etags)}"'
        self._objects[Bucket, Key] = (Body, self.now, etag)
        return {"ETag": etag}

    def get_object(self, *, Bucket: str, Key: str, Range: str = "bytes=0-") -> dict[str, Any]:
        if (Bucket, Key) not in self._objects:
            raise failure("NoSuchKey")
        body, _, etag = self._objects[Bucket, Key]
        first = int(Range.removeprefix("bytes=").removesuffix("-"))
        if first and first >= len(body):
            raise failure("InvalidRange")
        return {"Body": Body(body[first:]), "ETag": etag}

    def copy_object(
        self, *, Bucket: str, Key: str, CopySource: Mapping[str, str], **given: Any
    ) -> dict[str, str]:
        body = self._objects[CopySource["Bucket"], CopySource["Key"]][0]
        return self.put_object(Bucket=Bucket, Key=Key, Body=body, **given)

    def delete_object(self, *, Bucket: str, Key: str) -> None:
        if self._objects.pop((Bucket, Key), None) is not None:
            self._keys[Bucket].remove(Key)

    def list_objects_v2(self, *, Bucket: str, Prefix: str, **where: str) -> dict[str, Any]:
        self.lists += 1
        keys = self._keys.get(Bucket, [])
        after = where.get("ContinuationToken", where.get("StartAfter", ""))
        start = max(bisect_right(keys, after), bisect_right(keys, Prefix) - (Prefix in keys))
        found: list[str] = []
        for key in keys[start : start + PAGE + 1]:
            if not key.startswith(Prefix):
                break
            found.append(key)
        page = found[:PAGE]
        contents = [self._listed(Bucket, key) for key in page]
        if len(found) <= PAGE:
            return {"Contents": contents, "IsTruncated": False}
        return {"Contents": contents, "IsTruncated": True, "NextContinuationToken": page[-1]}

    def _listed(self, bucket: str, key: str) -> dict[str, Any]:
        body, put, _ = self._objects[bucket, key]
        return {"Key": key, "Size": len(body), "LastModified": datetime.fromtimestamp(put, UTC)}


def failure(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, "Operation")
