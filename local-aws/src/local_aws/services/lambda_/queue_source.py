"""A queue as an event source: messages are hidden while a function has them, then deleted."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn
from local_aws.protocol import AwsError
from local_aws.services.lambda_.source_target import LOOK_SECONDS, Record, Target

_log = logging.getLogger(__name__)

_MOST_MESSAGES = 10
"""Of one ReceiveMessage, and of one DeleteMessageBatch (SQS API reference)."""

_BATCHES = 5
"""At one time, where no MaximumConcurrency is set; AWS begins with as many, and takes more ("Using
Lambda with Amazon SQS")."""


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
