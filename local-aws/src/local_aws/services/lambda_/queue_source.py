"""Queues as event sources: messages are hidden while a function has them, then deleted.

One poller for each mapping reads in the name of the function's role, as AWS's does; it keeps
nothing.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.invocations import Invoker, Result, version_to_invoke
from local_aws.services.lambda_.names import session_name
from local_aws.services.lambda_.store import Configuration, Function, Store

_log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
"""Between two looks at a source that had nothing; AWS waits at a queue for 20 seconds."""

Record = dict[str, Any]

_MOST_MESSAGES = 10
"""Of one ReceiveMessage, and of one DeleteMessageBatch (SQS API reference)."""

_BATCHES = 5
"""At one time, where no MaximumConcurrency is set; AWS begins with as many, and takes more ("Using
Lambda with Amazon SQS")."""


class Target:
    """The function of a mapping, and what is done in its role's name."""

    def __init__(self, context: LocalContext, store: Store, invoker: Invoker, kept: Record) -> None:
        self.context = context
        self.kept = kept
        self.mapping: Mapping[str, Any] = kept["mapping"]
        self.region: str = self.mapping["EventSourceMappingArn"].split(":")[3]
        self._store = store
        self._invoker = invoker

    def version(self) -> tuple[Function, Configuration]:
        """What runs now. Raises `AwsError` when nothing does."""
        given = {"FunctionName": self.mapping["FunctionArn"]}
        return version_to_invoke(self._store, self.region, given)

    def client(self, service: str) -> Any:
        """A client of the source's service in the role's name."""
        _, configuration = self.version()
        name = session_name(configuration["FunctionName"])
        session = self.context.sessions.assume(configuration["Role"], name)
        return self.context.client_as(session, service, self.region)

    def invoke(self, records: Sequence[Record]) -> Result:
        """Give the function a batch. Raises `AwsError` where it finds no room."""
        function, configuration = self.version()
        qualifier = self.mapping["FunctionArn"].partition(f":function:{function.name}")[2]
        event = json.dumps({"Records": list(records)})
        return self._invoker.run(function, configuration, event, qualifier=qualifier.lstrip(":"))

    def wanted(self, record: Record) -> bool:
        """Whether a record, its body read where it is JSON, passes one of the filters."""
        filters = (self.mapping.get("FilterCriteria") or {}).get("Filters") or ()
        if not filters:
            return True
        from moto.events.models import EventPattern  # loading it takes long

        return any(EventPattern.load(each["Pattern"]).matches_event(record) for each in filters)

    def failed_items(self, result: Result, known: Sequence[str]) -> set[str]:
        """Which records of a batch are to come again: all where the function, or its answer,
        failed ("Implementing partial batch responses")."""
        if result.failed:
            return set(known)
        if "ReportBatchItemFailures" not in self.mapping["FunctionResponseTypes"]:
            return set()
        answer = json.loads(result.body) or {}
        failures = answer.get("batchItemFailures") if isinstance(answer, dict) else answer
        if not failures:
            return set()
        try:
            failed = {each["itemIdentifier"] for each in failures}
        except (KeyError, TypeError):
            return set(known)
        return failed if failed <= set(known) else set(known)


class QueueSource:
    """One queue. A message whose batch failed is seen again after its visibility timeout."""

    def __init__(self, target: Target, stopping: threading.Event) -> None:
        self._target = target
        self._stopping = stopping
        self._arn: str = target.mapping["EventSourceArn"]
        parsed = Arn.parse(self._arn)
        self._place = parsed
        # Made up, not asked for: AWS needs no leave for sqs:GetQueueUrl.
        self._url = f"{target.context.url}/{parsed.account}/{parsed.resource}"
        most = (target.mapping.get("ScalingConfig") or {}).get("MaximumConcurrency", _BATCHES)
        self._is_fifo = parsed.resource.endswith(".fifo")
        self._room = threading.Semaphore(1 if self._is_fifo else most)
        self._workers = ThreadPoolExecutor(most, thread_name_prefix="lambda-queue")

    def poll(self) -> bool:
        """Receive one batch and have it handled beside others; of a FIFO queue, alone."""
        if not self._has_messages() or not self._room.acquire(blocking=False):
            return False
        try:
            messages = self._receive()
        except BaseException:
            self._room.release()
            raise
        groups: dict[str, list[Record]] = {}
        for message in messages:
            group = message["Attributes"].get("MessageGroupId", "") if self._is_fifo else ""
            groups.setdefault(group, []).append(message)
        self._workers.submit(self._handle_all, list(groups.values()))
        return bool(messages)

    def close(self) -> None:
        """Receive nothing more."""
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _has_messages(self) -> bool:
        """Looked up where they are, so that nothing is asked, judged and kept for nothing."""
        from moto.backends import get_backend

        queues = get_backend("sqs")[self._place.account][self._place.region].queues
        queue = queues.get(self._place.resource)
        return queue is not None and queue.approximate_number_of_messages > 0

    def _receive(self) -> list[Record]:
        """A batch: what is there or, within the batching window, as much as belongs into one."""
        size: int = self._target.mapping["BatchSize"]
        window = self._target.context.seconds(
            self._target.mapping["MaximumBatchingWindowInSeconds"]
        )
        end = time.monotonic() + window
        client = self._target.client("sqs")
        messages: list[Record] = []
        while True:
            messages += client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=min(_MOST_MESSAGES, size - len(messages)),
                MessageAttributeNames=["All"],
                MessageSystemAttributeNames=["All"],
            ).get("Messages", ())
            left = end - time.monotonic()
            if len(messages) >= size or left <= 0:
                return messages
            self._stopping.wait(min(left, LOOK_SECONDS))

    def _handle_all(self, groups: Sequence[list[Record]]) -> None:
        try:
            for messages in groups:
                self._handle(messages)
        except (AwsError, BotoCoreError, ClientError) as error:
            if not self._stopping.is_set():
                _log.warning("messages of %s stay where they are: %s", self._arn, error)
        except Exception:
            _log.exception("messages of %s stay where they are", self._arn)
        finally:
            self._room.release()

    def _handle(self, messages: list[Record]) -> None:
        records = {each["MessageId"]: self._record(each) for each in messages}
        wanted = {
            name: record for name, record in records.items() if self._target.wanted(_read(record))
        }
        failed: set[str] = set()
        if wanted:
            result = self._target.invoke(list(wanted.values()))
            failed = self._target.failed_items(result, list(wanted))
            if failed:
                reason = result.reason if result.failed else "the function reports them"
                _log.warning("%d messages of %s come again: %s", len(failed), self._arn, reason)
        done = [each["ReceiptHandle"] for each in messages if each["MessageId"] not in failed]
        for start in range(0, len(done), _MOST_MESSAGES):
            entries = [
                {"Id": str(number), "ReceiptHandle": handle}
                for number, handle in enumerate(done[start : start + _MOST_MESSAGES])
            ]
            self._target.client("sqs").delete_message_batch(QueueUrl=self._url, Entries=entries)

    def _record(self, message: Record) -> Record:
        """A message as a function is given it (recorded by LocalStack's suite, 2024)."""
        attributes = {
            name: {
                "stringListValues": [],
                "binaryListValues": [],
                **{_lower(key): value for key, value in each.items() if key != "BinaryValue"},
            }
            for name, each in message.get("MessageAttributes", {}).items()
        }
        digest = message.get("MD5OfMessageAttributes")
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "messageAttributes": attributes,
            **({"md5OfMessageAttributes": digest} if digest else {}),
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self._arn,
            "awsRegion": self._place.region,
        }


def _read(record: Record) -> Record:
    """A record as filters see it: its body read where it is JSON."""
    try:
        body: Any = json.loads(record["body"])
    except ValueError:
        body = record["body"]
    return {**record, "body": body}


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


class Pollers:
    """The pollers of every mapping that is enabled."""

    def __init__(self, context: LocalContext, store: Store, invoker: Invoker) -> None:
        self._of = (context, store, invoker)
        self._store = store
        self._running: dict[str, _Poller] = {}
        self._lock = threading.Lock()

    def reconcile(self) -> None:
        """Have a poller for each enabled mapping as it is now, and no other."""
        with self._lock:
            wanted = {
                uuid: kept
                for uuid, kept in self._store.sources.items()
                if kept["mapping"]["State"] == "Enabled"
            }
            for uuid, poller in list(self._running.items()):
                if wanted.get(uuid) is not poller.target.kept:
                    self._running.pop(uuid).stop()
            for uuid, kept in wanted.items():
                if uuid not in self._running:
                    self._running[uuid] = _Poller(Target(*self._of, kept))

    def close(self) -> None:
        """End every poller; what is under way is ended by the pool."""
        with self._lock:
            for poller in self._running.values():
                poller.stop()
            self._running.clear()


class _Poller:
    def __init__(self, target: Target) -> None:
        self.target = target
        self._stopping = threading.Event()
        self._source = QueueSource(target, self._stopping)
        threading.Thread(target=self._run, name="lambda-poller", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        self._source.close()

    def _run(self) -> None:
        said, pause = "", LOOK_SECONDS
        while not self._stopping.wait(pause):
            try:
                pause = 0.0 if self._source.poll() else LOOK_SECONDS
                said = ""
            except (AwsError, BotoCoreError, ClientError) as error:
                if str(error) != said and not self._stopping.is_set():
                    source = self.target.mapping["EventSourceArn"]
                    _log.warning("the messages of %s reach no function: %s", source, error)
                said, pause = str(error), 5 * LOOK_SECONDS
            except Exception:
                _log.exception("a poller of %s failed", self.target.mapping["EventSourceArn"])
                pause = 5 * LOOK_SECONDS
