"""A variant without instances: a process that starts at a request and goes when none come."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from dataclasses import replace

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.container import Container, ContainerFailed
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.hosting.host import Invocation, Observe
from sagemaker_serving.local_sagemaker.hosting.kept import KeptContainer

START_SECONDS = 180.0
"""How long a serverless container may take to answer /ping (SageMaker developer guide,
"Serverless Inference")."""

IDLE_SECONDS = 300.0
"""How long a process stays without requests. AWS does not say; by users' reports, minutes."""

MAX_BODY_BYTES = 4 * 1024 * 1024
"""A request's body (SageMaker developer guide, "Serverless Inference")."""


class Serverless:
    """One process for all concurrent requests; with provisioned concurrency it never goes.

    Creating the variant starts the container once, as AWS does, so that a
    broken model fails then; without provisioned concurrency it then goes, and
    the first request finds it cold. Metrics: developer guide, "Alarms and logs
    for tracking metrics from serverless endpoints".
    """

    def __init__(
        self, kept: KeptContainer, config: Resource, settings: Settings, observe: Observe
    ) -> None:
        self._kept = kept
        self._settings = settings
        self._observe = observe
        self._lock = threading.Lock()
        self._in_flight = 0
        self._waking: Future[None] | None = None
        self._idle: threading.Timer | None = None
        self.configure(config)

    def configure(self, config: Resource) -> None:
        """Take another ServerlessConfig; what it provisions is warm from the next request on."""
        self._max_concurrency: int = config["MaxConcurrency"]
        self._provisioned: int = config.get("ProvisionedConcurrency", 0)

    @property
    def containers(self) -> Sequence[Container]:
        """Its one container."""
        return [self._kept.container]

    @property
    def restarts(self) -> int:
        """Deaths, not cold starts."""
        return self._kept.restarts

    def start(self, deadline_seconds: float) -> None:
        """Try the container; raises `ContainerFailed` after 3 minutes at the latest."""
        self._kept.start(min(deadline_seconds, START_SECONDS))
        self._rest_if_idle()

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """The model's answer, after a cold start where there is no process.

        Raises `NoAnswer`; ThrottlingException above MaxConcurrency,
        ModelNotReadyException when the cold start outlasts the request.
        """
        if len(invocation.body) > MAX_BODY_BYTES:
            # In SageMaker's words (aws/sagemaker-python-sdk#4271).
            raise AwsError("ValidationError", f"Request {uuid.uuid4()} has oversize body.")
        with self._one_of_them():
            setup = self._warm(invocation.timeout_seconds)
            answer = self._kept.ask(
                invocation.body,
                invocation.headers,
                timeout_seconds=max(invocation.timeout_seconds - setup, 0.1),
                path=invocation.path,
            )
            return replace(answer, waited_seconds=setup)

    def kill(self) -> None:
        """End the process as a crash would."""
        self._kept.container.kill()

    def rest(self) -> None:
        """End the process."""
        self._kept.rest()

    def wake(self, deadline_seconds: float) -> None:
        """Start the process; raises `ContainerFailed`."""
        self._kept.wake(min(deadline_seconds, START_SECONDS))

    def stop(self) -> None:
        """End the process for good."""
        self._cancel_idle()
        self._kept.stop()

    @contextmanager
    def _one_of_them(self) -> Iterator[None]:
        """Count a request among the concurrent ones; raises ThrottlingException above the most.

        AWS says nothing beside the code (github.com/opensearch-project/ml-commons/issues/2429).
        """
        with self._lock:
            if self._in_flight >= self._max_concurrency:
                raise AwsError(
                    "ThrottlingException",
                    f"Rate exceeded: {self._in_flight} requests are under way, and MaxConcurrency "
                    f"is {self._max_concurrency}",
                )
            self._in_flight += 1
            concurrent = self._in_flight
            self._cancel_idle()
        self._count(concurrent)
        try:
            yield
        finally:
            with self._lock:
                self._in_flight -= 1
                if self._in_flight == 0 and self._provisioned == 0:
                    idle = self._settings.seconds(IDLE_SECONDS)
                    self._idle = threading.Timer(idle, self._rest_if_idle)
                    self._idle.daemon = True
                    self._idle.start()

    def _count(self, concurrent: int) -> None:
        utilization = concurrent / self._max_concurrency
        self._observe("ServerlessConcurrentExecutionsUtilization", utilization, "None")
        if self._provisioned:
            used = min(concurrent, self._provisioned)
            spilled = concurrent > self._provisioned
            prefix = "ServerlessProvisionedConcurrency"
            self._observe(f"{prefix}Executions", used, "Count")
            self._observe(f"{prefix}Utilization", used / self._provisioned, "None")
            self._observe(f"{prefix}Invocations", float(not spilled), "Count")
            self._observe(f"{prefix}SpilloverInvocations", float(spilled), "Count")

    def _warm(self, patience_seconds: float) -> float:
        """Return when there is a process; the seconds that took."""
        began = time.monotonic()
        with self._lock:
            if not self._kept.is_resting:
                return 0.0
            if self._waking is None:
                self._waking = Future()
                threading.Thread(target=self._wake_up, args=(self._waking,), daemon=True).start()
            waking = self._waking
        try:
            waking.result(patience_seconds)
        except NotYet:
            raise AwsError(
                "ModelNotReadyException",
                "The serverless endpoint's resources are still being provisioned. Try again.",
                status=429,
            ) from None
        except ContainerFailed as failed:
            raise NoAnswer(str(failed), timed_out=False) from None
        return time.monotonic() - began

    def _wake_up(self, waking: Future[None]) -> None:
        began = time.monotonic()
        try:
            self._kept.wake(START_SECONDS)
        except ContainerFailed as failed:
            self._waking = None
            waking.set_exception(failed)
            return
        self._observe("ModelSetupTime", (time.monotonic() - began) * 1e6, "Microseconds")
        self._waking = None
        waking.set_result(None)

    def _rest_if_idle(self) -> None:
        with self._lock:
            if self._in_flight == 0 and self._provisioned == 0 and self._waking is None:
                self._kept.rest()

    def _cancel_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
