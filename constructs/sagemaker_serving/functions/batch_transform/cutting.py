"""A failed input or chunk in pieces, each an object that a job reads as any other."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from .quarantine import SHOWN_BYTES, Bad
from .records import Damaged, Framed
from .shard import Shard
from .state import Unit

PIECES = 64
"""Chunks that one failed thing becomes, or as many as it has records: a bad one among a thousand
records is found in two jobs, among 200,000 in three."""

MAX_CHUNK_BYTES = 16 * 1024 * 1024

HELD_BYTES = 100 * 1024 * 1024
"""Of chunks that are uploaded at once, and the most of a record where payloads have no limit."""

_DEFAULT_PAYLOAD_MB = 6
_AT_ONCE = 8


class Cutter:
    """Cuts one input or chunk at a time, and uploads the chunks several at once."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard
        payload = shard.run.job.get("MaxPayloadInMB", _DEFAULT_PAYLOAD_MB)
        self._limit = payload * 1024 * 1024 if payload else HELD_BYTES
        largest = max(self._limit, MAX_CHUNK_BYTES)
        self._at_once = max(1, min(_AT_ONCE, HELD_BYTES // largest))

    def cut(self, failed: dict[str, Any]) -> list[Unit]:
        """The chunks of a unit of ``to_cut``; what can be no chunk is bad already."""
        unit = Unit(**failed["unit"])
        split = self._shard.state.split_inputs[str(unit.input)]
        if unit.is_chunk:
            count = unit.count
        else:
            split.records = self._count(unit) if split.records is None else split.records
            count = split.records
        assert count is not None
        if count == 0:
            split.bad.append({"error": failed["error"]})
            return []
        units: list[Unit] = []
        uploads: list[Future[None]] = []
        with ThreadPoolExecutor(self._at_once) as pool:
            for chunk in self._chunks(unit, -(-count // PIECES)):
                if isinstance(chunk, Bad):
                    split.bad.append(chunk.kept())
                    continue
                made = Unit(
                    input=unit.input,
                    first=chunk.first,
                    count=len(chunk.records),
                    offset=chunk.records[0].offset,
                    length=sum(record.length for record in chunk.records),
                )
                units.append(made)
                uploads.append(pool.submit(self._upload, made, chunk))
                if len(uploads) > self._at_once:
                    uploads.pop(0).result()
            for upload in uploads:
                upload.result()
        return units

    def _count(self, unit: Unit) -> int:
        count = 0
        try:
            for _ in self._records(unit):
                count += 1
        except Damaged:
            count += 1
        return count

    def _chunks(self, unit: Unit, most: int) -> Iterator[_Chunk | Bad]:
        number = unit.first if unit.first is not None else 1
        base = unit.offset if unit.offset is not None else 0
        held: list[Framed] = []
        size, after = 0, base
        try:
            for record in self._records(unit):
                record = replace(record, offset=record.offset + base)
                full = len(held) >= most or size + record.length > MAX_CHUNK_BYTES
                if held and (full or record.is_cut):
                    yield _Chunk(number - len(held), held)
                    held, size = [], 0
                if record.is_cut:
                    yield self._too_large(number, record)
                else:
                    held.append(record)
                    size += record.length
                number += 1
                after = record.offset + record.length
        except Damaged as damaged:
            if held:
                yield _Chunk(number - len(held), held)
            yield Bad(record=number, offset=after, error=f"from here to the end: {damaged}")
            return
        if held:
            yield _Chunk(number - len(held), held)

    def _too_large(self, number: int, record: Framed) -> Bad:
        return Bad(
            record=number,
            offset=record.offset,
            length=record.length,
            data=record.data[:SHOWN_BYTES],
            error=f"the record has {record.size:,} bytes; a payload takes {self._limit:,}",
        )

    def _records(self, unit: Unit) -> Iterator[Framed]:
        return self._shard.records_of(unit, limit=self._limit)

    def _upload(self, unit: Unit, chunk: _Chunk) -> None:
        body = b"".join(record.data for record in chunk.records)
        if self._shard.run.is_gzip:
            body = gzip.compress(body, compresslevel=1, mtime=0)
        self._shard.run.store.write(self._shard.source_of(unit), body, "application/octet-stream")


@dataclass(frozen=True)
class _Chunk:
    first: int
    records: list[Framed]
