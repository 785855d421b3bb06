"""Planner and reconciler with many keys, in a process whose memory is measured.

``python -m benchmarks.batch_keys 5000000`` prints JSON: seconds and peak memory in MB of each.
S3 is a generator of listings here, so what is measured is the function's own work.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from benchmarks.cost import own_peak
from sagemaker_serving.functions.batch_transform.plan import begin, plan
from sagemaker_serving.functions.batch_transform.report import report
from sagemaker_serving.functions.batch_transform.store import Store

PAGE = 1000
_OLD, _NEW = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
SETTINGS = {
    "work": "s3://data/work/",
    "reports": "s3://data/reports/",
    "input_type": "S3Prefix",
    "job": {"ModelName": "m", "TransformInput": {}, "TransformOutput": {}},
    "limits": {
        "max_objects_per_shard": 5000,
        "max_bytes_per_shard": 10 * 1024**3,
        "max_concurrent_jobs": 4,
    },
    "retries": {},
    "fail_on_quarantine": False,
}


class GeneratedS3:
    """``count`` inputs under ``in/``, after `answer` all with outputs; what is put is on disk."""

    def __init__(self, count: int, folder: Path) -> None:
        self._count = count
        self._folder = folder
        self._answered = False
        self._kept: dict[str, Path] = {}

    def answer(self) -> None:
        """From now on each input has its output."""
        self._answered = True

    def list_objects_v2(self, *, Bucket: str, Prefix: str, **where: str) -> dict[str, Any]:
        after = where.get("ContinuationToken", where.get("StartAfter", ""))
        if Prefix == "in/" or (Prefix == "out/" and self._answered):
            return self._generated(Prefix, after)
        keys = sorted(key for key in self._kept if key.startswith(Prefix) and key > after)
        return {"Contents": [self._entry(key, _NEW) for key in keys], "IsTruncated": False}

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, **_: Any) -> dict[str, str]:
        self._kept[Key] = self._folder / str(len(self._kept))
        self._kept[Key].write_bytes(Body)
        return {"ETag": "1"}

    def get_object(self, *, Bucket: str, Key: str) -> dict[str, Any]:
        if Key not in self._kept:
            raise ClientError({"Error": {"Code": "NoSuchKey"}}, "GetObject")
        return {"Body": _Body(self._kept[Key].read_bytes()), "ETag": "1"}

    def delete_object(self, *, Bucket: str, Key: str) -> None:
        self._kept.pop(Key, None)

    def _generated(self, prefix: str, after: str) -> dict[str, Any]:
        ending, put = (".png", _OLD) if prefix == "in/" else (".png.out", _NEW)
        first = _first_after(prefix, after, ending)
        last = min(first + PAGE, self._count)
        keys = [f"{prefix}{n // 10_000:06}/{n % 10_000:010}{ending}" for n in range(first, last)]
        page = {"Contents": [self._entry(key, put) for key in keys], "IsTruncated": False}
        if last < self._count:
            page |= {"IsTruncated": True, "NextContinuationToken": keys[-1]}
        return page

    def _entry(self, key: str, put: datetime) -> dict[str, Any]:
        return {"Key": key, "Size": 10_000, "LastModified": put}


class _Body(io.BytesIO):
    def iter_lines(self, chunk_size: int) -> Any:
        return iter(self)


def _first_after(prefix: str, after: str, ending: str) -> int:
    """The number of the first key after a text, found by halving."""
    low, high = 0, 1 << 40
    while low < high:
        middle = (low + high) // 2
        if f"{prefix}{middle // 10_000:06}/{middle % 10_000:010}{ending}" > after:
            high = middle
        else:
            low = middle + 1
    return low


def measure(count: int) -> dict[str, tuple[float, float]]:
    """Seconds and peak megabytes of each step."""
    with tempfile.TemporaryDirectory() as folder:
        return _measure(GeneratedS3(count, Path(folder)), count)


def _measure(s3: GeneratedS3, count: int) -> dict[str, tuple[float, float]]:
    given = {"input": "s3://data/in/", "output": "s3://data/out/"}
    began = time.monotonic()
    run = begin(Store(s3), None, SETTINGS, given, "arn:aws:states:::execution:m:run", 0)
    assert run is not None
    state = plan(run, None, lambda: True)
    assert (state["planned"], state["more"]) == (count, False)
    found = {"planner": (time.monotonic() - began, own_peak())}
    s3.answer()
    began = time.monotonic()
    counts = report(run, None, lambda: True, 0)["counts"]
    assert (counts["answered"], counts["unaccounted"]) == (count, 0)
    return {**found, "reconciler": (time.monotonic() - began, own_peak())}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
