"""Inputs that failed twice: cut into chunks, and put together again without their bad records."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .inputs import folder_of
from .jobs import chunks_of
from .plan import inputs_of
from .quarantine import SHOWN_BYTES, Bad, quarantine, quarantine_records
from .records import Damaged, Framed, records_of
from .run import Run
from .settle import MAX_BAD_RECORDS, go_on
from .sharding import Input
from .state import Apart, ShardState, Unit
from .store import Place, Store
from .upload import Upload

PIECES = 64
"""Chunks that one failed thing becomes, or as many as it has records: a bad one among a thousand
records is found in two jobs, among 200,000 in three."""

MAX_CHUNK_BYTES = 16 * 1024 * 1024
MAX_INPUT_BYTES = 5 * 1024**3
"""An input over that is not taken apart; reading it twice would take more than a call may."""

MAX_INPUTS = 100
"""Inputs of one shard that are taken apart: where more fail, something else is wrong."""

_HELD_BYTES = 100 * 1024 * 1024
"""Of chunks that are uploaded at once, and the most of a record where payloads have no limit."""

_DEFAULT_PAYLOAD_MB = 6
_AT_ONCE = 8


def isolate(
    store: Store, run: Run, shard: int, step: int, in_time: Callable[[], bool]
) -> dict[str, Any]:
    """Cut what step ``step`` wants to be cut, and write the outputs of what is through."""
    inputs = inputs_of(store, run, shard)
    state = ShardState.load(store, run, shard, step)
    _give_up_the_hopeless(state, inputs)
    cutter = _Cutter(store, run, shard, inputs, state)
    chunks: list[Unit] = []
    while state.to_cut and (not chunks or in_time()):
        chunks += cutter.cut(state.to_cut.pop(0))
    if chunks:
        state.groups.append(chunks)
    _put_together(store, run, shard, inputs, state)
    return go_on(store, run, shard, step + 1, state, inputs, wait=0)


def _give_up_the_hopeless(state: ShardState, inputs: Sequence[Input]) -> None:
    """Inputs of which nothing went through, or too much did not, are not cut any finer."""
    failed: dict[str, int] = {}
    for each in state.to_cut:
        if Unit(**each["unit"]).is_chunk:
            failed[str(each["unit"]["input"])] = failed.get(str(each["unit"]["input"]), 0) + 1
    for index, apart in state.apart.items():
        cut = failed.get(index, 0)
        if apart.is_over or cut == 0:
            continue
        if not apart.good and cut >= PIECES // 2:
            _refuse_all(state, index, f"none of its {cut} parts went through")
        elif len(apart.bad) + cut > MAX_BAD_RECORDS:
            _refuse_all(state, index, f"more than {MAX_BAD_RECORDS:,} of its records are bad")
    wanted = [each for each in state.to_cut if not Unit(**each["unit"]).is_chunk]
    room = MAX_INPUTS - sum(1 for apart in state.apart.values() if apart.good or apart.bad)
    for each in wanted[max(room, 0) :]:
        _refuse_all(
            state,
            str(each["unit"]["input"]),
            f"not taken apart: more than {MAX_INPUTS} inputs of its shard failed",
        )
    for each in wanted:
        if inputs[each["unit"]["input"]].size > MAX_INPUT_BYTES:
            _refuse_all(state, str(each["unit"]["input"]), "too large to be taken apart")


def _refuse_all(state: ShardState, index: str, why: str) -> None:
    """An input goes into quarantine as it is, for ``why`` and what was said of it."""
    said = [each["error"] for each in state.to_cut if str(each["unit"]["input"]) == index]
    said += [bad["error"] for bad in state.apart[index].bad]
    state.to_cut = [each for each in state.to_cut if str(each["unit"]["input"]) != index]
    kept = ([unit for unit in group if str(unit.input) != index] for group in state.groups)
    state.groups = [group for group in kept if group]
    error = "; ".join([why, *said[:1]])
    state.apart[index] = Apart(bad=[{"error": error}])


class _Cutter:
    """Cuts one failed input or chunk at a time, and uploads the chunks several at once."""

    def __init__(
        self, store: Store, run: Run, shard: int, inputs: Sequence[Input], state: ShardState
    ) -> None:
        self._store = store
        self._run = run
        self._shard = shard
        self._inputs = inputs
        self._state = state
        payload = run.job.get("MaxPayloadInMB", _DEFAULT_PAYLOAD_MB)
        self._limit = payload * 1024 * 1024 if payload else _HELD_BYTES
        largest = max(self._limit, MAX_CHUNK_BYTES)
        self._at_once = max(1, min(_AT_ONCE, _HELD_BYTES // largest))

    def cut(self, failed: dict[str, Any]) -> list[Unit]:
        """The chunks of a failed unit; what can be no chunk is bad already."""
        unit = Unit(**failed["unit"])
        apart = self._state.apart[str(unit.input)]
        count = unit.count if unit.count is not None else self._count(unit)
        if count == 0:
            apart.bad.append({"error": failed["error"]})
            return []
        units: list[Unit] = []
        uploads: list[Future[None]] = []
        with ThreadPoolExecutor(self._at_once) as pool:
            for chunk in self._chunks(unit, -(-count // PIECES)):
                if isinstance(chunk, Bad):
                    apart.bad.append(_kept(chunk))
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
                record = _moved(record, base)
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
        place = _place_of(self._store, self._run, self._shard, unit, self._inputs)
        body = self._store.s3.get_object(Bucket=place.bucket, Key=place.key)["Body"]
        return records_of(body, self._run.split_type, is_gzip=self._run.is_gzip, limit=self._limit)

    def _upload(self, unit: Unit, chunk: _Chunk) -> None:
        body = b"".join(record.data for record in chunk.records)
        if self._run.is_gzip:
            body = gzip.compress(body, compresslevel=1, mtime=0)
        place = chunks_of(self._run, self._shard) / unit.chunk_name
        self._store.write(place, body, "application/octet-stream")


@dataclass(frozen=True)
class _Chunk:
    first: int
    records: list[Framed]


def _moved(record: Framed, by: int) -> Framed:
    return Framed(
        offset=record.offset + by,
        length=record.length,
        size=record.size,
        data=record.data,
        is_cut=record.is_cut,
    )


def _kept(bad: Bad) -> dict[str, Any]:
    """A bad record as the state keeps it: without its bytes, which the list reads again."""
    fields = {"record": bad.record, "offset": bad.offset, "length": bad.length}
    return {
        **{key: value for key, value in fields.items() if value is not None},
        "error": bad.error,
    }


def _place_of(store: Store, run: Run, shard: int, unit: Unit, inputs: Sequence[Input]) -> Place:
    if unit.is_chunk:
        return chunks_of(run, shard) / unit.chunk_name
    return folder_of(store, run) / inputs[unit.input].name


def _put_together(
    store: Store,
    run: Run,
    shard: int,
    inputs: Sequence[Input],
    state: ShardState,
) -> None:
    """Write the list and the output of each input that has no chunk to run any more."""
    running = {str(unit.input) for group in state.groups for unit in group}
    running |= {str(each["unit"]["input"]) for each in state.to_cut}
    for index, apart in state.apart.items():
        if apart.is_over or index in running:
            continue
        entry = inputs[int(index)]
        bad = _with_bytes(store, run, entry, apart)
        if not apart.good:
            quarantine(store, run, entry.name, bad)
            state.quarantined += 1
        else:
            if bad:
                quarantine_records(store, run, entry.name, bad)
            _join(store, run, shard, entry, int(index), apart)
        apart.is_over = True


def _join(store: Store, run: Run, shard: int, entry: Input, index: int, apart: Apart) -> None:
    """The chunks' outputs in the order of their records, as the input's output."""
    with Upload(store, run, run.output_place / f"{entry.name}.out") as upload:
        for first, count in sorted(apart.good):
            name = Unit(input=index, first=first, count=count).chunk_name
            place = run.shard(shard) / f"answers/{name}.out"
            body = store.s3.get_object(Bucket=place.bucket, Key=place.key)["Body"]
            while part := body.read(1 << 20):
                upload.write(part)


def _with_bytes(store: Store, run: Run, entry: Input, apart: Apart) -> list[Bad]:
    """The bad records in order, each with how it begins."""
    listed = [dict(bad) for bad in sorted(apart.bad, key=lambda bad: bad.get("record", 0))]
    by_offset = {bad["offset"]: bad for bad in listed if bad.get("length") is not None}
    if by_offset:
        place = folder_of(store, run) / entry.name
        body = store.s3.get_object(Bucket=place.bucket, Key=place.key)["Body"]
        last = max(by_offset)
        limit = _HELD_BYTES
        try:
            for record in records_of(body, run.split_type, is_gzip=run.is_gzip, limit=limit):
                if record.offset in by_offset:
                    by_offset[record.offset]["data"] = record.data[:SHOWN_BYTES]
                if record.offset >= last:
                    break
        except Damaged:
            pass
    return [Bad(**bad) for bad in listed]
