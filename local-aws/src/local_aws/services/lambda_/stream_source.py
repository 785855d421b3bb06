"""A stream of DynamoDB as an event source: its shards, each in order."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from local_aws.arn import Arn
from local_aws.protocol import AwsError
from local_aws.services.lambda_.invocations import Result
from local_aws.services.lambda_.records import Fate
from local_aws.services.lambda_.source_target import LOOK_SECONDS, Record, Target

_RETRY_SECONDS = (0.1, 5.0)
"""Before the second attempt of a batch, and at most; each pause is twice the one before. AWS says
no figures. Divided by the time scale."""


@dataclass(frozen=True, kw_only=True)
class _BatchFate(Fate):
    """What became of a batch: ``batch`` says where it lies ("Retain discarded records"), for its
    records are not sent."""

    batch: Mapping[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        whole = super().record()
        del whole["requestPayload"]
        whole.pop("responsePayload", None)
        return {**whole, **self.batch}


class StreamSource:
    """One stream. A batch that fails holds its shard up until it is let go of."""

    def __init__(self, target: Target, stopping: threading.Event) -> None:
        self._target = target
        self._stopping = stopping
        self._arn: str = target.mapping["EventSourceArn"]
        self._place = Arn.parse(self._arn)
        self._iterators: dict[str, str] = {}

    def poll(self) -> bool:
        """Have a batch of each shard handled."""
        found = False
        client = self._target.client("dynamodbstreams")
        for shard in self._shards(client):
            try:
                found = self._poll_shard(client, shard) or found
            except Exception:
                self._iterators.pop(shard, None)
                raise
        return found

    def close(self) -> None:
        """Nothing goes on beside `poll`."""

    def _shards(self, client: Any) -> list[str]:
        if self._iterators:
            return list(self._iterators)
        described = client.describe_stream(StreamArn=self._arn)["StreamDescription"]
        return [shard["ShardId"] for shard in described["Shards"]]

    def _poll_shard(self, client: Any, shard: str) -> bool:
        """The shard's next batch: what is there, gathered for as long as the window is open."""
        mapping = self._target.mapping
        end: float | None = None
        found: list[Record] = []
        iterator = self._iterators.get(shard) or self._begin(client, shard)
        while True:
            answer = client.get_records(
                ShardIterator=iterator, Limit=mapping["BatchSize"] - len(found)
            )
            found += answer["Records"]
            if answer["Records"]:
                # The emulator keeps every iterator: one that read nothing still serves.
                iterator = answer.get("NextShardIterator") or iterator
            self._iterators[shard] = iterator
            if end is None:
                window = mapping["MaximumBatchingWindowInSeconds"]
                end = time.monotonic() + self._target.context.seconds(window)
            left = end - time.monotonic()
            if not found or len(found) >= mapping["BatchSize"] or left <= 0:
                break
            self._stopping.wait(min(left, LOOK_SECONDS))
        if found:
            records = [self._record(each) for each in found]
            wanted = [each for each in records if self._target.wanted(each)]
            if wanted and not self._handle(shard, wanted):
                self._iterators.pop(shard, None)
                return False
            self._target.kept["positions"][shard] = _sequence(records[-1])
        return bool(found)

    def _begin(self, client: Any, shard: str) -> str:
        mapping = self._target.mapping
        stream = {"StreamArn": self._arn, "ShardId": shard}
        done = self._target.kept["positions"].get(shard)
        if done is not None:
            stream |= {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER"}
            stream |= {"SequenceNumber": done}
        else:
            stream |= {"ShardIteratorType": mapping["StartingPosition"]}
        iterator: str = client.get_shard_iterator(**stream)["ShardIterator"]
        return iterator

    def _handle(self, shard: str, records: Sequence[Record]) -> bool:
        """Give the function a batch until it has taken it, or it is let go of; False when the
        poller stops before that."""
        mapping = self._target.mapping
        pause, most = _RETRY_SECONDS
        attempts = 0
        while not self._stopping.is_set():
            result = self._result(records)
            attempts += 1
            known = [_sequence(each) for each in records]
            failed = set(known) if result is None else self._target.failed_items(result, known)
            if not failed:
                return True
            first = min(map(known.index, failed))
            records = records[first:]
            why = self._given_up(records, attempts)
            if why:
                self._let_go(shard, records, why, attempts, result)
                return True
            if result is not None and result.failed and mapping["BisectBatchOnFunctionError"]:
                half = len(records) // 2
                if half:
                    return self._handle(shard, records[:half]) and self._handle(
                        shard, records[half:]
                    )
            self._stopping.wait(self._target.context.seconds(pause))
            pause = min(2 * pause, most)
        return False

    def _result(self, records: Sequence[Record]) -> Result | None:
        """None when there was no room for it."""
        try:
            return self._target.invoke(records)
        except AwsError as error:
            if error.status != 429:
                raise
            return None

    def _given_up(self, records: Sequence[Record], attempts: int) -> str:
        """Why a batch is not tried again, or ""."""
        mapping = self._target.mapping
        if 0 <= mapping["MaximumRetryAttempts"] < attempts:
            return "RetryAttemptsExhausted"
        age = (time.time() - _arrival(records[0])) * self._target.context.time_scale
        return "RecordAgeExceeded" if 0 <= mapping["MaximumRecordAgeInSeconds"] < age else ""

    def _let_go(
        self,
        shard: str,
        records: Sequence[Record],
        why: str,
        attempts: int,
        result: Result | None,
    ) -> None:
        destination = (self._target.mapping["DestinationConfig"].get("OnFailure") or {}).get(
            "Destination"
        )
        if not destination:
            return
        _, configuration = self._target.version()
        batch = {
            "shardId": shard,
            "startSequenceNumber": _sequence(records[0]),
            "endSequenceNumber": _sequence(records[-1]),
            "approximateArrivalOfFirstRecord": _moment(_arrival(records[0])),
            "approximateArrivalOfLastRecord": _moment(_arrival(records[-1])),
            "batchSize": len(records),
            "streamArn": self._arn,
        }
        fate = _BatchFate(
            request_id=str(uuid4()) if result is None else result.request_id,
            function_arn=self._target.mapping["FunctionArn"],
            payload="null",
            condition=why,
            attempts=attempts,
            result=result,
            batch={"DDBStreamBatchInfo": batch},
        )
        self._target.records.tell(destination, fate, configuration)

    def _record(self, found: Record) -> Record:
        """A record as a function is given it (recorded by LocalStack's suite, 2025)."""
        whole = {**found, "eventSourceARN": self._arn, "awsRegion": self._place.region}
        record: Record = json.loads(json.dumps(whole, default=_plain))
        return record


def _sequence(record: Record) -> str:
    number: str = record["dynamodb"]["SequenceNumber"]
    return number


def _arrival(record: Record) -> float:
    return float(record["dynamodb"]["ApproximateCreationDateTime"])


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return moment.replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    """What botocore reads, as JSON carries it."""
    if isinstance(value, datetime):
        return value.timestamp()
    return base64.b64encode(value).decode()
