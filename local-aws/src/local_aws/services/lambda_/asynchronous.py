"""Asynchronous events: taken at once, run in their turn, tried again, and let go of in the end."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.invocations import Invoker, Result, check_payload
from local_aws.services.lambda_.limits import CONCURRENT_EXECUTIONS
from local_aws.services.lambda_.names import find_version, qualifier_of
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store

_log = logging.getLogger(__name__)

RETRY_SECONDS = (0.5, 1.0)
"""Before the second and the third attempt; AWS waits one and two minutes (AWS Lambda developer
guide, "How Lambda handles errors and retries with asynchronous invocation", read 2026-11-21)."""

THROTTLED_SECONDS = 1.0
"""Between attempts of an event that finds no room; they do not count."""

DEFAULT_AGE_SECONDS = 6 * 3600
WORKERS = CONCURRENT_EXECUTIONS


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event on its way to a version of a function."""

    function: Function
    configuration: Configuration
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
        retry_seconds: tuple[float, float] = RETRY_SECONDS,
    ) -> None:
        self._context = context
        self._store = store
        self._invoker = invoker
        self._retry_seconds = retry_seconds
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="lambda-event")
        self._closing = threading.Event()

    def put(self, region: str, given: Mapping[str, Any], request_id: str) -> dict[str, Any]:
        """Take an event, as Invoke with InvocationType Event does."""
        function, configuration = find_version(self._store, region, given)
        payload = given.get("Payload") or b""
        check_payload(payload, "Event")
        self._workers.submit(
            self._run,
            Event(
                function=function,
                configuration=configuration,
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
        config = _config(event)
        most = config.get("MaximumRetryAttempts", len(self._retry_seconds))
        age = config.get("MaximumEventAgeInSeconds", DEFAULT_AGE_SECONDS)
        attempts = 0
        while not self._closing.is_set():
            if event.function.reserved_concurrency == 0:
                self._let_go(event, config, "ZeroReservedConcurrency", attempts, None)
                return
            result = self._result(event)
            if result is not None:
                attempts += 1
                if not result.failed:
                    self._record(event, config, "OnSuccess", "Success", attempts, result)
                    return
            if attempts > most:
                self._let_go(event, config, "RetriesExhausted", attempts, result)
                return
            pause = THROTTLED_SECONDS if result is None else self._retry_seconds[attempts - 1]
            if time.time() + pause > event.taken_at + age:
                self._let_go(event, config, "EventAgeExceeded", attempts, result)
                return
            self._closing.wait(pause)

    def _result(self, event: Event) -> Result | None:
        """None when there was no room for it."""
        try:
            return self._invoker.run(
                event.function,
                event.configuration,
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
        self._record(event, config, "OnFailure", why, attempts, result)
        target = (event.configuration.get("DeadLetterConfig") or {}).get("TargetArn")
        if target:
            self._send(event, target, event.payload)

    def _record(
        self,
        event: Event,
        config: Mapping[str, Any],
        which: str,
        condition: str,
        attempts: int,
        result: Result | None,
    ) -> None:
        """Tell the destination, when there is one, what became of the event."""
        target = ((config.get("DestinationConfig") or {}).get(which) or {}).get("Destination")
        if not target:
            return
        record: dict[str, Any] = {
            "version": "1.0",
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "requestContext": {
                "requestId": event.request_id,
                "functionArn": f"{event.function.arn}:{event.qualifier or LATEST}",
                "condition": condition,
                "approximateInvokeCount": attempts,
            },
            "requestPayload": json.loads(event.payload),
        }
        if result is not None:
            failed = {"functionError": "Unhandled"} if result.failed else {}
            record["responseContext"] = {
                "statusCode": 200,
                "executedVersion": result.version,
                **failed,
            }
            record["responsePayload"] = json.loads(result.body)
        self._send(event, target, json.dumps(record))

    def _send(self, event: Event, target: str, text: str) -> None:
        """Send to a queue, a topic or a function in the name of the function's role."""
        _, service, region, _, name = Arn.parse(target)
        session = self._context.sessions.assume(event.configuration["Role"], event.function.name)
        client = self._context.client_as(session, service, region)
        try:
            if service == "sqs":
                url = client.get_queue_url(QueueName=name)["QueueUrl"]
                client.send_message(QueueUrl=url, MessageBody=text)
            elif service == "sns":
                client.publish(TopicArn=target, Message=text)
            elif service == "lambda":
                client.invoke(FunctionName=target, InvocationType="Event", Payload=text.encode())
            else:
                _log.warning("the local AWS sends no records of functions to %s", target)
        except (BotoCoreError, ClientError) as error:
            _log.warning("the record of an event of %s was lost: %s", event.function.name, error)


def _config(event: Event) -> Mapping[str, Any]:
    return event.function.invoke_configs.get(event.qualifier or LATEST, {})
