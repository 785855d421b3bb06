"""A transform job's questions to its model: again when the server fails, not when it refuses."""

from __future__ import annotations

import threading

from local_aws.faults import Faults
from sagemaker_serving.local_sagemaker.common.jobs import ALGORITHM_ERROR, CLIENT_ERROR
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.container import Container
from sagemaker_serving.local_sagemaker.containers.faulty_answers import ask_through
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer

DEFAULT_TIMEOUT_SECONDS = 600
DEFAULT_RETRIES = 3
"""SageMaker API reference, ModelClientConfig."""

_FIRST_PAUSE_SECONDS = 0.1
"""Doubled at each try: a server that has ended begins again meanwhile."""
_AFTER_ITS_ANSWER_SECONDS = 0.01
"""Likewise, of a model that has answered: it is there."""


class Refused(Exception):
    """The model has no answer to a payload, in the data log's words.

    ``kind`` opens the job's FailureReason.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class TransformModel:
    """Asks a job's container, as ModelClientConfig says, until ``stopped`` is set."""

    def __init__(
        self, job: Resource, container: Container, faults: Faults, stopped: threading.Event
    ) -> None:
        self._container = container
        self._faults = faults
        self._stopped = stopped
        self._names = (job["TransformJobName"], job["ModelName"])
        config = job.get("ModelClientConfig", {})
        self._retries: int = config.get("InvocationsMaxRetries", DEFAULT_RETRIES)
        self._timeout: int = config.get("InvocationsTimeoutInSeconds", DEFAULT_TIMEOUT_SECONDS)
        self._is_chunked = job.get("MaxPayloadInMB") == 0
        given = {
            "Content-Type": job["TransformInput"].get("ContentType"),
            "Accept": job["TransformOutput"].get("Accept"),
        }
        self._headers = {name: value for name, value in given.items() if value is not None}

    def ask(self, payload: bytes) -> bytes:
        """The model's answer to one payload. Raises `Refused`.

        A model that gave no answer, or a 5XX, is asked again, up to
        InvocationsMaxRetries times, unless its container has ended.
        """
        failed = Refused(ALGORITHM_ERROR, "the job was stopped")
        pause = _FIRST_PAUSE_SECONDS
        for attempt in range(self._retries + 1):
            if attempt and self._stopped.wait(pause * 2**attempt):
                break
            pause = _FIRST_PAUSE_SECONDS
            try:
                answer = self._invoke(payload)
            except NoAnswer as error:
                failed = Refused(
                    ALGORITHM_ERROR, f"Unable to get response from algorithm\n[local AWS: {error}]"
                )
                if not self._container.is_running():
                    break
                continue
            if 200 <= answer.status < 300:
                return answer.body
            failed = _refusal(answer)
            if answer.status < 500:
                break
            if answer.status == 500:
                pause = _AFTER_ITS_ANSWER_SECONDS
        raise failed

    def _invoke(self, payload: bytes) -> ModelAnswer:
        client = self._container.client
        if client is None:
            raise NoAnswer("the container was never started", timed_out=False)
        return ask_through(
            self._faults,
            lambda seconds: client.invoke(
                payload, self._headers, timeout_seconds=seconds, chunked=self._is_chunked
            ),
            operation="CreateTransformJob",
            names=self._names,
            timeout_seconds=self._timeout,
            wait=self._stopped.wait,
        )


def _refusal(answer: ModelAnswer) -> Refused:
    """An HTTP error as the data log has it: github.com/aws/amazon-sagemaker-examples/issues/1620
    for a 4XX, github.com/aws/sagemaker-tensorflow-serving-container/issues/93 for a 5XX."""
    text = answer.body.decode("utf-8", "replace")
    if answer.status < 500:
        return Refused(CLIENT_ERROR, f"ClientError: {answer.status}\n\nMessage:\n{text}")
    return Refused(
        ALGORITHM_ERROR,
        f"Bad HTTP status received from algorithm: {answer.status}\n\nMessage:\n{text}",
    )
