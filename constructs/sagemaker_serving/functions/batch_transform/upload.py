"""An object written piece by piece: in one request when it is small, in parts when it is not."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from .run import Run
from .store import Place

_PART_BYTES = 8 * 1024 * 1024
"""S3 takes parts from 5 MiB on, and 10,000 of them (S3 user guide, "Multipart upload limits")."""


class Upload:
    """Collects what is written; the object is there when the block has ended well, else never.

    It has the type and the key that the run's jobs give to outputs.
    """

    def __init__(self, run: Run, place: Place) -> None:
        self._s3 = run.store.s3
        self._where = {"Bucket": place.bucket, "Key": place.key}
        self._as = written_as(run)
        self._held = bytearray()
        self._upload: dict[str, Any] | None = None
        self._parts: list[dict[str, Any]] = []

    def __enter__(self) -> Upload:
        return self

    def write(self, data: bytes) -> None:
        """Add bytes to the object."""
        self._held += data
        if len(self._held) >= _PART_BYTES:
            self._send()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._abort()
        elif self._upload is None:
            self._s3.put_object(**self._where, Body=bytes(self._held), **self._as)
        else:
            if self._held:
                self._send()
            self._s3.complete_multipart_upload(
                **self._where, **self._upload, MultipartUpload={"Parts": self._parts}
            )

    def _send(self) -> None:
        if self._upload is None:
            answer = self._s3.create_multipart_upload(**self._where, **self._as)
            self._upload = {"UploadId": answer["UploadId"]}
        number = len(self._parts) + 1
        try:
            part = self._s3.upload_part(
                **self._where, **self._upload, PartNumber=number, Body=bytes(self._held)
            )
        except BaseException:
            self._abort()
            raise
        self._parts.append({"ETag": part["ETag"], "PartNumber": number})
        self._held.clear()

    def _abort(self) -> None:
        if self._upload is not None:
            self._s3.abort_multipart_upload(**self._where, **self._upload)


def written_as(run: Run) -> dict[str, str]:
    """The type and the key of outputs, as S3 is told them."""
    output = run.job["TransformOutput"]
    content_type, key = output.get("Accept"), output.get("KmsKeyId")
    arguments = {} if content_type is None else {"ContentType": content_type}
    if key:
        arguments |= {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": key}
    return arguments
