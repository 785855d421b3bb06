"""A container whose server is started again whenever it dies."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from sagemaker_serving.local_sagemaker.containers.container import Container, ContainerFailed
from sagemaker_serving.local_sagemaker.containers.model_client import (
    ModelAnswer,
    ModelClient,
    NoAnswer,
    Part,
)

_POLL_SECONDS = 0.25
_FIRST_RESTART_SECONDS = 0.5
_LONGEST_RESTART_SECONDS = 30.0
_STEADY_SECONDS = 60.0


class KeptContainer:
    """Keeps a container's server alive, but while it rests.

    ``restarted`` is called after each start that followed a death.
    """

    def __init__(
        self, container: Container, *, restarted: Callable[[], None] = lambda: None
    ) -> None:
        self.container = container
        self.restarts = 0
        self._restarted = restarted
        self._deadline = 0.0
        self._stopped = threading.Event()
        self._resting = False
        self._changing = threading.Lock()

    @property
    def client(self) -> ModelClient:
        """Connections to the server that runs now; raises `NoAnswer` when none was started."""
        client = self.container.client
        if client is None:
            name = self.container.plan.name
            raise NoAnswer("the container was never started", timed_out=False, container=name)
        return client

    def start(self, deadline_seconds: float) -> None:
        """Fetch, unpack, start; return when it is healthy. Raises `ContainerFailed`."""
        self._deadline = deadline_seconds
        self.container.start(deadline_seconds)
        title = self.container.plan.title
        threading.Thread(target=self._keep_alive, name=f"watch {title}", daemon=True).start()

    def ask(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_seconds: float,
        stream_seconds: float | None = None,
        path: str = "/invocations",
    ) -> ModelAnswer:
        """The server's answer to one request; raises `NoAnswer`."""
        return self.client.invoke(
            body,
            headers,
            timeout_seconds=timeout_seconds,
            stream_seconds=stream_seconds,
            path=path,
            container=self.container.plan.name,
        )

    def converse(
        self, path: str, sent: Iterator[Part], *, timeout_seconds: float, stream_seconds: float
    ) -> ModelAnswer:
        """What the server says over a WebSocket; raises `NoAnswer`, and then and later as
        `web_socket.converse` does."""
        from sagemaker_serving.local_sagemaker.containers.web_socket import converse

        server, name = self.container.server, self.container.plan.name
        if server is None:
            raise NoAnswer("the container was never started", timed_out=False, container=name)
        return converse(
            server.place,
            path,
            sent,
            timeout_seconds=timeout_seconds,
            stream_seconds=stream_seconds,
            container=name,
        )

    def rest(self) -> None:
        """End the process and leave the unpacked archive; nothing starts it but `wake`."""
        with self._changing:
            self._resting = True
            self.container.rest()

    def wake(self, deadline_seconds: float) -> None:
        """Start the server again, if it rests; raises `ContainerFailed`, and it rests on."""
        with self._changing:
            if self._resting:
                self.container.restart(deadline_seconds)
                self._resting = False

    @property
    def is_resting(self) -> bool:
        """Whether it was told to rest."""
        return self._resting

    def stop(self) -> None:
        """End the process for good."""
        self._stopped.set()
        self.container.stop()

    def _keep_alive(self) -> None:
        """Start the server again whenever it dies, each time after a longer pause.

        One that has run for `_STEADY_SECONDS` is started again at once the next time.
        """
        pause, started_at = _FIRST_RESTART_SECONDS, time.monotonic()
        while not self._stopped.wait(_POLL_SECONDS):
            if self._resting or self.container.is_running():
                continue
            if time.monotonic() - started_at > _STEADY_SECONDS:
                pause = _FIRST_RESTART_SECONDS
            self.restarts += 1
            self.container.note(f"the model server has ended; restart {self.restarts} in {pause} s")
            if self._stopped.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_RESTART_SECONDS)
            started_at = time.monotonic()
            with self._changing, suppress(ContainerFailed):  # it is tried again
                if not self._resting:
                    self.container.restart(self._deadline)
                    self._restarted()
