"""One request to an endpoint: sent, tried again, explained, timed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.retrying import RETRIED, Retries
from sagemaker_serving.client.runtime_errors import explained
from sagemaker_serving.client.whole import ATTEMPTS, CutOff, after_attempts, read_whole
from sagemaker_serving.errors import Failure, Mistake

T = TypeVar("T")

LONGEST_CUSTOM_ATTRIBUTES = 1024
"""Visible ASCII characters (API reference, InvokeEndpoint, CustomAttributes; read 2026-11-21)."""


class Caller:
    """Sends requests by one boto3 client; threads may share it."""

    def __init__(self, client: Any, retries: Retries) -> None:
        self._client = client
        self._retries = retries
        self._closed = threading.Event()

    def invoke(self, members: Mapping[str, Any], body: bytes) -> Prediction:
        """InvokeEndpoint with ``members`` and ``body``; the answer is read whole."""

        def call() -> tuple[Any, bytes]:
            answer = self._client.invoke_endpoint(**members, Body=body)
            return answer, read_whole(answer["Body"], answer.get("ContentType", ""))

        began = time.perf_counter()
        (answer, content), seconds, attempts = self.attempt(call, members["EndpointName"])
        return Prediction(
            body=content,
            content_type=answer.get("ContentType", "application/octet-stream"),
            variant=answer.get("InvokedProductionVariant", ""),
            seconds=seconds,
            waited_seconds=max(0.0, time.perf_counter() - began - seconds),
            attempts=attempts,
            request_bytes=len(body),
            custom_attributes=answer.get("CustomAttributes", ""),
        )

    def attempt(self, call: Callable[[], T], endpoint: str) -> tuple[T, float, int]:
        """What ``call`` returns, the seconds it took at last, and the attempts it took.

        Raises `Failure` when the model is still not ready at the deadline, and
        when the answer broke off every time.
        """
        deadline = time.monotonic() + self._retries.deadline_seconds
        broke_off = 0
        for attempts, wait in enumerate(self._retries.waits(), start=1):
            began = time.perf_counter()
            with aws_failures():
                try:
                    return call(), time.perf_counter() - began, attempts
                except CutOff as error:
                    broke_off += 1
                    if broke_off == ATTEMPTS:
                        raise after_attempts(error, endpoint) from None
                    reason = None
                except ClientError as error:
                    if not is_retried(error):
                        raise explained(error, endpoint) from None
                    reason = _reason(error)
            if reason is not None and time.monotonic() + wait > deadline:
                raise Failure(
                    f"{endpoint}: {reason} after {attempts} "
                    f"attempt{'s' if attempts > 1 else ''} in "
                    f"{self._retries.deadline_seconds:.0f} s; try again later, or allow more time"
                )
            if self._closed.wait(wait):
                raise Failure(f"{endpoint}: the predictor was closed while it waited")
        raise AssertionError("waits never end")

    def close(self) -> None:
        """Ends the waits before further attempts, with an error."""
        self._closed.set()


def is_retried(error: ClientError) -> bool:
    """Whether another attempt may help; see `RETRIED`."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    return error.response["Error"].get("Code") in RETRIED or status == 530


def must_be_attributes(text: str | None) -> None:
    """Raises `Mistake` for custom attributes that AWS would refuse."""
    if text is not None and (
        len(text) > LONGEST_CUSTOM_ATTRIBUTES or not text.isascii() or not text.isprintable()
    ):
        raise Mistake(
            f"custom_attributes has {len(text)} characters; SageMaker takes "
            f"{LONGEST_CUSTOM_ATTRIBUTES} visible ASCII characters at most"
        )


def _reason(error: ClientError) -> str:
    answer = error.response["Error"]
    return f"{answer.get('Code')}: {str(answer.get('Message', '')).rstrip('.')}"
