"""Asynchronous events: taken at once, run in their turn, tried again, and let go of in the end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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

RETRY_SECONDS = (0.5, 1.0)
"""Before the second and the third attempt, divided by the time scale."""

RETRY_SECONDS_ON_AWS = (60.0, 120.0)
"""By so much an event ages meanwhile, as on AWS (AWS Lambda developer guide, "How Lambda handles
errors and retries with asynchronous invocation", read 2026-11-21)."""

THROTTLED_SECONDS = 1.0
"""Between attempts of an event that finds no room; they do not count."""

_AGE = "MaximumEventAgeInSeconds"

DEFAULT_AGE_SECONDS = 6 * 3600
WORKERS = CONCURRENT_EXECUTIONS


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event on its way to a version of a function: what runs is seen at each attempt."""

    function: Function
    qualifier: str
    payload: str
    request_id: str
    taken_at: float


class Queue:
    """The events of every function; `close` forgets what has not begun."""

    def __init__(
        self,
        context: LocalContext,
        store: Store,
        invoker: Invoker,
        records: Records,
        retry_seconds: tuple[float, float] = RETRY_SECONDS,
    ) -> None:
        self._context = context
        self._store = store
        self._invoker = invoker
        self._retry_seconds = retry_seconds
        self._records = records
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="lambda-event")
        self._closing = threading.Event()

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
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _run(self, event: Event) -> None:
        try:
            self._attempt(event)
        except Exception:
            _log.exception("an event of %s was lost", event.function.name)

    def _attempt(self, event: Event) -> None:
        attempts, paused, paused_on_aws = 0, 0.0, 0.0
        while not self._closing.is_set():
            function = event.function
            if self._store.find(function.region, function.name) is not function:
                return  # deleted, and its events with it
            config = _config(event)
            most = config.get("MaximumRetryAttempts", len(RETRY_SECONDS))
            if function.reserved_concurrency == 0:
                self._let_go(event, config, "ZeroReservedConcurrency", attempts, None)
                return
            result = self._result(event)
            if result is not None:
                attempts += 1
                if not result.failed:
                    self._record(
                        event, config, "OnSuccess", _fate(event, "Success", attempts, result)
                    )
                    return
            if attempts > most:
                self._let_go(event, config, "RetriesExhausted", attempts, result)
                return
            pause, on_aws = self._pause(event, attempts, result)
            age = (time.time() - event.taken_at - paused) * self._context.time_scale
            if age + paused_on_aws + on_aws > config.get(_AGE, DEFAULT_AGE_SECONDS):
                self._let_go(event, config, "EventAgeExceeded", attempts, result)
                return
            paused, paused_on_aws = paused + pause, paused_on_aws + on_aws
            self._closing.wait(pause)

    def _pause(self, event: Event, attempts: int, result: Result | None) -> tuple[float, float]:
        """Seconds until the next attempt, here and on AWS, by which an event ages."""
        if result is not None:
            here, on_aws = self._retry_seconds[attempts - 1], RETRY_SECONDS_ON_AWS[attempts - 1]
            return self._context.seconds(here), on_aws
        on_aws = SETTLING_SECONDS if _running(event) is None else THROTTLED_SECONDS
        return self._context.seconds(on_aws), on_aws

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
        attempts: int,
        result: Result | None,
    ) -> None:
        reason = "throttled" if result is None else result.reason
        _log.warning("%s gave an event up (%s): %s", event.function.name, why, reason)
        self._context.callbacks.abandon(event.payload, f"{event.function.name}: {reason}")
        fate = _fate(event, why, attempts, result)
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


def _fate(event: Event, condition: str, attempts: int, result: Result | None) -> Fate:
    return Fate(
        request_id=event.request_id,
        function_arn=f"{event.function.arn}:{event.qualifier or LATEST}",
        payload=event.payload,
        condition=condition,
        attempts=attempts,
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
