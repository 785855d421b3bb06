"""One request to an endpoint: sent, tried again, explained, timed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.pace import Pace, closed
from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.retrying import Retries, is_busy, is_not_ready
from sagemaker_serving.client.runtime_errors import explained, given_up
from sagemaker_serving.client.whole import ATTEMPTS, CutOff, after_attempts, read_whole
from sagemaker_serving.errors import Mistake

T = TypeVar("T")

LONGEST_CUSTOM_ATTRIBUTES = 1024
"""Visible ASCII characters (API reference, InvokeEndpoint, CustomAttributes)."""


class Caller:
    """Sends requests by one boto3 client; threads may share it.

    ``pace`` is how many requests may be under way at a time.
    """

    def __init__(self, client: Any, retries: Retries) -> None:
        self.pace = Pace()
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
            new_session_id=answer.get("NewSessionId", ""),
            closed_session_id=answer.get("ClosedSessionId", ""),
        )

    def attempt(self, call: Callable[[], T], endpoint: str) -> tuple[T, float, int]:
        """What ``call`` returns, the seconds it took at last, and the attempts it took.

        Raises `Failure` when the model is still not ready, or still busy, at the
        deadline, and when the answer broke off every time. Waiting for the
        predictor's own other requests does not count.
        """
        left = self._retries.deadline_seconds
        broke_off = 0
        for attempts, wait in enumerate(self._retries.waits(), start=1):
            with self.pace.turn() as turn, aws_failures():
                began = time.perf_counter()
                try:
                    found = call()
                except CutOff as error:
                    broke_off += 1
                    if broke_off == ATTEMPTS:
                        raise after_attempts(error, endpoint) from None
                except ClientError as error:
                    busy = is_busy(error)
                    if not busy and not is_not_ready(error):
                        raise explained(error, endpoint, self._client.meta.region_name) from None
                    left -= time.perf_counter() - began + wait
                    if left < 0:
                        raise given_up(
                            error,
                            endpoint,
                            self._client.meta.region_name,
                            attempts,
                            self._retries.deadline_seconds,
                        ) from None
                    if busy:
                        turn.refused()
                else:
                    turn.answered()
                    return found, time.perf_counter() - began, attempts
            if self._closed.wait(wait):
                raise closed()
        raise AssertionError("waits never end")

    def close(self) -> None:
        """Ends the waits before further attempts, with an error."""
        self._closed.set()
        self.pace.close()


def must_be_attributes(text: str | None) -> None:
    """Raises `Mistake` for custom attributes that AWS would refuse."""
    if text is not None and (
        len(text) > LONGEST_CUSTOM_ATTRIBUTES or not text.isascii() or not text.isprintable()
    ):
        raise Mistake(
            f"custom_attributes has {len(text)} characters; SageMaker takes "
            f"{LONGEST_CUSTOM_ATTRIBUTES} visible ASCII characters at most"
        )
