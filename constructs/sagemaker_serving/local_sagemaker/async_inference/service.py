"""The queue of an asynchronous endpoint, and those who work on it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sagemaker_serving.local_sagemaker.async_inference.request import AsyncRequest

DEFAULT_CONCURRENCY = 4
"""Requests of one instance at one time where the config does not say: AWS chooses a number that
suits the model (API reference, AsyncInferenceClientConfig)."""

_POLL_SECONDS = 0.2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """What CloudWatch is told of a queue: AWS counts what is under way among it."""

    waiting: int
    running: int
    oldest_seconds: float


class AsyncQueue:
    """Requests wait here, first come first served, until an instance has room.

    ``room`` is how many may run at one time now: 0 where there is no instance,
    and then all wait. It is asked without the queue's lock: who holds what it needs may be asking
    for the backlog. ``work`` does one request, in a thread of its own, and tells whether it is
    done: one that is not waits again, as the next. One that ``is_expired`` is handed over whether
    there is room or not.
    """

    def __init__(
        self,
        *,
        room: Callable[[], int],
        work: Callable[[AsyncRequest], bool],
        is_expired: Callable[[AsyncRequest], bool],
    ) -> None:
        self._room = room
        self._work = work
        self._is_expired = is_expired
        self._waiting: deque[AsyncRequest] = deque()
        self._running: set[AsyncRequest] = set()
        self._changed = threading.Condition()
        self._closed = False
        threading.Thread(target=self._dispatch, name="async queue", daemon=True).start()

    def put(self, request: AsyncRequest) -> None:
        """Take a request; it is done later."""
        with self._changed:
            self._waiting.append(request)
            self._changed.notify_all()

    def backlog(self) -> Backlog:
        """How much there is to do."""
        with self._changed:
            every: Iterable[AsyncRequest] = (*self._waiting, *self._running)
            oldest = min((request.received_at for request in every), default=time.time())
            return Backlog(
                waiting=len(self._waiting),
                running=len(self._running),
                oldest_seconds=max(time.time() - oldest, 0.0),
            )

    def close(self) -> None:
        """Begin no further request; what waits is forgotten."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _dispatch(self) -> None:
        """A look now and then: instances come without telling."""
        while True:
            room = self._room()
            with self._changed:
                if self._closed:
                    return
                request = self._next(room)
                if request is None:
                    self._changed.wait(_POLL_SECONDS if self._waiting else None)
                    continue
                self._waiting.remove(request)
                self._running.add(request)
            threading.Thread(target=self._do, args=(request,), daemon=True).start()

    def _next(self, room: int) -> AsyncRequest | None:
        if self._waiting and len(self._running) < room:
            return self._waiting[0]
        return next((request for request in self._waiting if self._is_expired(request)), None)

    def _do(self, request: AsyncRequest) -> None:
        is_done = True
        try:
            is_done = self._work(request)
        except Exception:
            _log.exception("asynchronous request %s", request.inference_id)
        finally:
            with self._changed:
                self._running.discard(request)
                if not is_done:
                    self._waiting.appendleft(request)
                self._changed.notify_all()
