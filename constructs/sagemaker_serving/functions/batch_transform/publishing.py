"""Outputs that were found whole, copied by S3 itself from a shard's own files to where they go."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .run import Run
from .store import Place
from .upload import written_as

MAX_ONE_COPY_BYTES = 256 * 1024 * 1024
"""What is larger is copied in parts, so that no request takes longer than a client waits. One
request copies 5 GiB at most (API reference, CopyObject)."""

_PART_BYTES = 128 * 1024 * 1024
_MAX_PARTS = 10_000
_AT_ONCE = 8


def publish(run: Run, source: Place, target: Place, size: int) -> None:
    """Copy an output of ``size`` bytes; it is there whole or not at all, with outputs' key."""
    where = {"Bucket": target.bucket, "Key": target.key}
    copied = {"Bucket": source.bucket, "Key": source.key}
    output = written_as(run)
    if size > MAX_ONE_COPY_BYTES:
        _in_parts(run.store.s3, where, copied, output, size)
        return
    encrypted = {name: value for name, value in output.items() if name != "ContentType"}
    run.store.s3.copy_object(**where, CopySource=copied, **encrypted)


def _in_parts(
    s3: Any, where: dict[str, str], source: dict[str, str], output: dict[str, str], size: int
) -> None:
    kind = s3.head_object(**source).get("ContentType")
    as_it_is = {} if kind is None else {"ContentType": kind}
    upload = s3.create_multipart_upload(**where, **{**as_it_is, **output})["UploadId"]
    part_bytes = max(_PART_BYTES, -(-size // _MAX_PARTS))

    def copy(number: int) -> dict[str, object]:
        first = (number - 1) * part_bytes
        last = min(first + part_bytes, size) - 1
        answer = s3.upload_part_copy(
            **where,
            UploadId=upload,
            PartNumber=number,
            CopySource=source,
            CopySourceRange=f"bytes={first}-{last}",
        )
        return {"ETag": answer["CopyPartResult"]["ETag"], "PartNumber": number}

    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            parts = list(pool.map(copy, range(1, -(-size // part_bytes) + 1)))
        s3.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})
    except BaseException:
        s3.abort_multipart_upload(**where, UploadId=upload)
        raise
