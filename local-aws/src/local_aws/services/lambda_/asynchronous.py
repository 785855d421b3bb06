"""Asynchronous events: taken at once, run in their turn, tried again, and let go of in the end."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.functions import SETTLING_SECONDS
from local_aws.services.lambda_.invocations import (
    Invoker,
    Result,
    check_payload,
    version_to_invoke,
)
from local_aws.services.lambda_.limits import CONCURRENT_EXECUTIONS
from local_aws.services.lambda_.names import find_version, qualifier_of, version_of
from local_aws.services.lambda_.records import Fate, Records
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store

_log = logging.getLogger(__name__)

RETRY_SECONDS = (60.0, 120.0)
"""Before the second and the third attempt (AWS Lambda developer guide, "How Lambda handles errors
and retries with asynchronous invocation")."""

_AWAITED_SECONDS = 1.0
"""At most so long does a custom resource's event wait for its next attempt: the stack stands still
meanwhile. One whose code cannot be loaded is not tried again, as nothing changes that code."""

THROTTLED_SECONDS = 1.0
"""Between attempts of an event that finds no room; they do not count."""

_AGE = "MaximumEventAgeInSeconds"

DEFAULT_AGE_SECONDS = 6 * 3600
WORKERS = CONCURRENT_EXECUTIONS


@dataclass(kw_only=True)
class Event:
    """One event on its way to a version of a function: what runs is seen at each attempt.

    ``waited`` are the seconds that have passed between its attempts, as on AWS.
    """

    function: Function
    qualifier: str
    payload: str
    request_id: str
    taken_at: float
    attempts: int = 0
    waited: float = 0.0


class Queue:
    """The events of every function; `close` forgets what has not begun.

    An event that waits for its next attempt is in nobody's way: one thread wakes them all.
    """

    def __init__(
        self, context: LocalContext, store: Store, invoker: Invoker, records: Records
    ) -> None:
        self._context = context
        self._store = store
        self._invoker = invoker
        self._records = records
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="lambda-event")
        self._closing = threading.Event()
        self._waiting = asyncio.new_event_loop()
        self._waker = threading.Thread(target=self._waiting.run_forever, name="lambda-retries")

    def start(self) -> None:
        """Begin: called before any event is taken."""
        self._waker.start()

    def put(self, region: str, given: Mapping[str, Any], request_id: str) -> dict[str, Any]:
        """Take an event, as Invoke with InvocationType Event does."""
        version_to_invoke(self._store, region, given)
        return self.take(region, given, request_id)

    def take(self, region: str, given: Mapping[str, Any], request_id: str) -> dict[str, Any]:
        """Take an event of a service of AWS, which waits for a function that is Pending."""
        function, _ = find_version(self._store, region, given)
        payload = given.get("Payload") or b""
        check_payload(payload, "Event")
        self._workers.submit(
            self._run,
            Event(
                function=function,
                qualifier=qualifier_of(given, region),
                payload=payload.decode() or "{}",
                request_id=request_id,
                taken_at=time.time(),
            ),
        )
        return {"StatusCode": 202}

    def close(self) -> None:
        """Take no more events and end those that wait; one that runs is ended by the pool."""
        self._closing.set()
        if self._waker.is_alive():
            self._waiting.call_soon_threadsafe(self._waiting.stop)
            self._waker.join()
        self._waiting.close()
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _run(self, event: Event) -> None:
        try:
            self._attempt(event)
        except Exception:
            if not self._closing.is_set():
                _log.exception("an event of %s was lost", event.function.name)

    def _attempt(self, event: Event) -> None:
        """One attempt, and what follows from it."""
        function = event.function
        if self._store.find(function.region, function.name) is not function:
            return  # deleted, and its events with it
        config = _config(event)
        if function.reserved_concurrency == 0:
            self._let_go(event, config, "ZeroReservedConcurrency", None)
            return
        result = self._result(event)
        if result is not None:
            event.attempts += 1
            if not result.failed:
                self._record(event, config, "OnSuccess", _fate(event, "Success", result))
                return
        is_over = event.attempts > config.get("MaximumRetryAttempts", len(RETRY_SECONDS))
        awaited = self._context.callbacks.is_named_in(event.payload)
        if is_over or (awaited and result is not None and result.cannot_start):
            self._let_go(event, config, "RetriesExhausted", result)
            return
        pause = _pause(event, result)
        if self._age(event) + pause > config.get(_AGE, DEFAULT_AGE_SECONDS):
            self._let_go(event, config, "EventAgeExceeded", result)
            return
        event.waited += pause
        seconds = self._context.seconds(pause)
        if awaited and seconds > _AWAITED_SECONDS:
            _log.warning(
                "%s failed and is tried again after %g s, not %g, since a stack waits for it: %s",
                *(event.function.name, _AWAITED_SECONDS, seconds),
                "no room" if result is None else result.reason,
            )
            seconds = _AWAITED_SECONDS
        again = partial(self._workers.submit, self._run, event)
        self._waiting.call_soon_threadsafe(lambda: self._waiting.call_later(seconds, again))

    def _age(self, event: Event) -> float:
        """In seconds as on AWS: its waits pass by the time scale, what functions take does not."""
        shortened = event.waited - self._context.seconds(event.waited)
        return time.time() - event.taken_at + shortened

    def _result(self, event: Event) -> Result | None:
        """None when there was no room for it."""
        running = _running(event)
        if running is None:
            return None
        try:
            return self._invoker.run(
                event.function,
                running,
                event.payload,
                request_id=event.request_id,
                qualifier=event.qualifier,
            )
        except AwsError as error:
            if self._closing.is_set() or error.status != 429:
                raise
            return None

    def _let_go(
        self,
        event: Event,
        config: Mapping[str, Any],
        why: str,
        result: Result | None,
    ) -> None:
        reason = "throttled" if result is None else result.reason
        _log.warning("%s gave an event up (%s): %s", event.function.name, why, reason)
        self._context.callbacks.abandon(event.payload, f"{event.function.name}: {reason}")
        fate = _fate(event, why, result)
        self._record(event, config, "OnFailure", fate)
        configuration = _configuration(event)
        target = (configuration.get("DeadLetterConfig") or {}).get("TargetArn")
        if target:
            self._records.bury(target, fate, configuration)

    def _record(self, event: Event, config: Mapping[str, Any], which: str, fate: Fate) -> None:
        """Tell the destination, when there is one, what became of the event."""
        target = ((config.get("DestinationConfig") or {}).get(which) or {}).get("Destination")
        if target:
            self._records.tell(target, fate, _configuration(event))


def _pause(event: Event, result: Result | None) -> float:
    """Seconds until the next attempt, as on AWS; ``result`` is None when there was no room."""
    if result is not None:
        return RETRY_SECONDS[event.attempts - 1]
    return SETTLING_SECONDS if _running(event) is None else THROTTLED_SECONDS


def _fate(event: Event, condition: str, result: Result | None) -> Fate:
    return Fate(
        request_id=event.request_id,
        function_arn=f"{event.function.arn}:{event.qualifier or LATEST}",
        payload=event.payload,
        condition=condition,
        attempts=event.attempts,
        result=result,
    )


def _version(event: Event) -> str:
    return version_of(event.function, event.qualifier or LATEST)


def _running(event: Event) -> Configuration | None:
    """What runs of the event's version by now, which may be newer than the event."""
    return event.function.running(_version(event))


def _configuration(event: Event) -> Configuration:
    """The settings of the event's version; of one that is gone by now, the function's."""
    versions = event.function.versions
    return versions.get(_version(event), versions[LATEST])


def _config(event: Event) -> Mapping[str, Any]:
    return event.function.invoke_configs.get(event.qualifier or LATEST, {})
