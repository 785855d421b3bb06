"""A function's log: written through the logs API in its role's name, after the answer is given."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from local_aws.permissions import RoleSession

_log = logging.getLogger(__name__)

_BATCH = 1000


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Where the lines of one process go, and in whose name they are written."""

    session: RoleSession
    region: str
    group: str
    name: str


class LogWriter:
    """Writes lines in the order in which they are given, from a thread of its own."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._waiting: queue.SimpleQueue[tuple[Stream, list[dict[str, object]]] | Event | None]
        self._waiting = queue.SimpleQueue()
        self._made: set[tuple[str, str, str]] = set()
        self._refused: set[str] = set()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def write(self, stream: Stream, lines: Sequence[str]) -> None:
        """Have ``lines`` written; a role that may not write them loses them, as on AWS."""
        now = int(time.time() * 1000)
        events: list[dict[str, object]] = [
            {"timestamp": now, "message": f"{line}\n"} for line in lines if line
        ]
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lambda-logs", daemon=True)
                self._thread.start()
        self._waiting.put((stream, events))

    def finish(self) -> None:
        """Return when all that was given before is written, or after 30 seconds."""
        if self._thread is not None:
            written = Event()
            self._waiting.put(written)
            written.wait(timeout=30)

    def close(self) -> None:
        """Write what waits, then end; for as long as a write takes, not longer."""
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while (item := self._waiting.get()) is not None:
            if isinstance(item, Event):
                item.set()
                continue
            stream, events = item
            try:
                self._put(stream, events)
            except (BotoCoreError, ClientError) as error:
                if stream.group not in self._refused:
                    self._refused.add(stream.group)
                    _log.warning(
                        "the log of %s is not written: %s", stream.session.session_name, error
                    )

    def _put(self, stream: Stream, events: list[dict[str, object]]) -> None:
        client = self._context.client_as(stream.session, "logs", stream.region)
        place = {"logGroupName": stream.group, "logStreamName": stream.name}
        known = (stream.region, stream.group, stream.name)
        if known not in self._made:
            try:
                _make(client, place)
            except client.exceptions.ResourceNotFoundException:
                # Only now: a role may write into a group that is there without leave to make one.
                with contextlib.suppress(client.exceptions.ResourceAlreadyExistsException):
                    client.create_log_group(logGroupName=stream.group)
                _make(client, place)
            self._made.add(known)
        for start in range(0, len(events), _BATCH):
            client.put_log_events(**place, logEvents=events[start : start + _BATCH])


def _make(client: Any, place: Mapping[str, str]) -> None:
    with contextlib.suppress(client.exceptions.ResourceAlreadyExistsException):
        client.create_log_stream(**place)
