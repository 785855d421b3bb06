"""Asynchronous endpoints: a request is handed in, its answer comes to S3."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.catalog.request_sizes import INLINE_BYTES
from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.objects import read_object
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.runtime_errors import model_failed
from sagemaker_serving.errors import Failure, Mistake
from sagemaker_serving.s3_address import split_s3

LONGEST_SECONDS = 3600 + 21_600
"""A request may wait in the queue for 21,600 s and be worked on for 3600 s (API reference,
InvokeEndpointAsync)."""

_NOT_THERE = {"NoSuchKey", "404", "NotFound", "AccessDenied", "403", "Forbidden"}
"""Without s3:ListBucket, S3 says AccessDenied of a key that does not exist yet (S3 API reference,
GetObject)."""


@dataclass(frozen=True, kw_only=True)
class AsyncInference:
    """A request that was handed in: its id, and where its answer or its failure will be.

    ``failure_location`` is None when the endpoint names no place for failures.
    """

    endpoint_name: str
    inference_id: str
    output_location: str
    failure_location: str | None
    request_bytes: int = 0
    s3: Any = field(repr=False, compare=False)

    def result(self, *, deadline_seconds: float = 900.0, poll_seconds: float = 5.0) -> Prediction:
        """Waits for the answer.

        It looks at once, and then ever less often, every ``poll_seconds`` at
        last. Raises `ModelFailed` with what the model said, and `Failure` after
        ``deadline_seconds`` (default 900, the longest that AWS lets a request
        be worked on unless told otherwise).
        """
        began = time.monotonic()
        for wait in (min(poll_seconds, 0.1 * 2**n) for n in itertools.count()):
            found = self._object(self.output_location)
            if found is not None:
                body, content_type = found
                return Prediction(
                    body=body,
                    content_type=content_type,
                    variant="",
                    seconds=time.monotonic() - began,
                    request_bytes=self.request_bytes,
                )
            failure = self._object(self.failure_location)
            if failure is not None:
                told = failure[0].decode("utf-8", "replace")
                raise model_failed(self.endpoint_name, None, told, None)
            left = began + deadline_seconds - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(wait, left))
        raise Failure(
            f"there is no answer at {self.output_location} after {deadline_seconds:.0f} s; the "
            "request may still be in the endpoint's queue, or S3 refuses to let you read it"
        )

    def _object(self, location: str | None) -> tuple[bytes, str] | None:
        if location is None:
            return None
        bucket, key = split_s3(location)
        with aws_failures():
            try:
                return read_object(self.s3, bucket, key)
            except ClientError as error:
                if error.response["Error"].get("Code") in _NOT_THERE:
                    return None
                raise


def submit(
    runtime: Any,
    s3: Any,
    *,
    members: Mapping[str, Any],
    body: bytes,
    upload_to: str | None,
) -> AsyncInference:
    """InvokeEndpointAsync: in the request itself up to 128,000 bytes, else by way of S3.

    ``upload_to`` is the prefix, ``s3://bucket/prefix/``, that larger bodies are
    put under. Raises `Mistake` when one is needed and there is none.
    """
    given = dict(members)
    if len(body) <= INLINE_BYTES:
        given["Body"] = body
    else:
        if upload_to is None:
            raise Mistake(
                f"the body has {len(body):,} bytes, and a request to an asynchronous endpoint "
                f"carries {INLINE_BYTES:,}; give upload_to, a prefix in S3 such as s3://bucket/in/"
            )
        given["InputLocation"] = location = f"{upload_to.rstrip('/')}/{uuid.uuid4()}"
        bucket, key = split_s3(location)
        with aws_failures():
            content_type = given.get("ContentType", "application/octet-stream")
            s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=content_type)
    with aws_failures():
        answer = runtime.invoke_endpoint_async(**given)
    return AsyncInference(
        endpoint_name=given["EndpointName"],
        inference_id=answer.get("InferenceId", ""),
        output_location=answer["OutputLocation"],
        failure_location=answer.get("FailureLocation"),
        request_bytes=len(body),
        s3=s3,
    )
