"""A job's outputs counted against its inputs, and those that are whole put where they go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from .counting import Differs, Unfinished, Whole, count
from .lines import MAX_BYTES, NoLines, write_lines
from .quarantine import Bad, quarantine_records
from .run import Run
from .shard import Shard
from .state import Tally, Unit
from .store import Entry, Place
from .upload import written_as

GONE = "the object was deleted while it was transformed"
BLANK = "blank line; the container passes over it"

_AT_ONCE = 8
_TOGETHER = 64
"""Outputs that are counted before their inputs are looked at again, and they are published."""

_HELD_BYTES = 100 * 1024 * 1024
_WRITTEN_BYTES = 256 * 1024 * 1024


def tally_outputs(shard: Shard, tally: Tally, outputs: Mapping[Unit, Entry]) -> bool:
    """Count all outputs, and publish those that are whole; False when the time is up before.

    What is counted leaves the group that runs, so that another call does the rest.
    """
    rest, is_first = list(outputs), True
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while rest and (is_first or shard.in_time()):
            size = _together(shard, [outputs[unit].size for unit in rest[:_TOGETHER]])
            batch, rest = rest[:size], rest[size:]
            batch_of = _Batch(shard, tally, outputs, pool)
            rest = [*batch_of.count(batch, begun_now=is_first), *rest]
            is_first = False
    left = set(rest)
    group = shard.state.groups[0]
    shard.state.groups[0] = [unit for unit in group if unit not in outputs or unit in left]
    return not rest


def _together(shard: Shard, sizes: Sequence[int]) -> int:
    """How many outputs are taken at once: few where they are large, and written anew."""
    if not shard.run.line_per_record:
        return len(sizes)
    fit = sum(total <= _WRITTEN_BYTES for total in accumulate(sizes))
    return max(fit, 1)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Some outputs at once."""

    _shard: Shard
    _tally: Tally
    _outputs: Mapping[Unit, Entry]
    _pool: ThreadPoolExecutor

    def count(self, units: Sequence[Unit], *, begun_now: bool) -> list[Unit]:
        """Count and publish; those that are not counted yet."""

        def counted(unit: Unit) -> Whole | Differs | Unfinished:
            if not self._shard.run.is_split:
                return Whole(records=1)
            cursor = self._tally.cursors.pop(unit.key, None)
            return count(self._shard, unit, cursor, begun_now=begun_now)

        there = self._without_gone(units)
        found = dict(zip(there, self._pool.map(counted, there), strict=True))
        changed, _ = self._shard.look_again([unit for unit in there if not unit.is_chunk])
        unfinished: list[Unit] = []
        whole: dict[Unit, Whole] = {}
        for unit, result in found.items():
            if unit in changed:
                self._shard.run_anew(unit, changed[unit])
            elif isinstance(result, Unfinished):
                self._tally.cursors[unit.key] = dict(result.cursor)
                unfinished.append(unit)
            elif isinstance(result, Differs):
                self._shard.refuse(
                    unit,
                    result.error,
                    differs=True,
                    records=result.records,
                    is_final=result.is_final,
                )
            else:
                whole[unit] = result
        # Lines are written one output after the other: a document may have 100 MB.
        at_once = map if self._shard.run.line_per_record else self._pool.map
        for unit, result, settled in at_once(self._settle, whole, whole.values()):
            if isinstance(settled, str):
                self._shard.refuse(unit, settled, records=result.records, is_final=True)
            else:
                self._note(unit, result, settled)
        return unfinished

    def _without_gone(self, units: Sequence[Unit]) -> list[Unit]:
        """Those of units whose inputs are still there to be counted; the others go on the list."""
        if not self._shard.run.is_split:
            return list(units)
        _, gone = self._shard.look_again([unit for unit in units if not unit.is_chunk])
        for unit in gone:
            self._shard.refuse(unit, GONE, is_final=True)
        return [unit for unit in units if unit not in gone]

    def _settle(self, unit: Unit, result: Whole) -> tuple[Unit, Whole, list[Bad] | str]:
        """Put a whole output where it goes, and before it what it lacks on the list.

        Gives what is on the list, or why the output cannot be written.
        """
        shard = self._shard
        blanks = _blank_lines(shard, unit) if result.blanks else []
        if unit.is_chunk or not shard.run.is_split:
            return unit, result, blanks
        name = shard.input_of(unit).name
        if blanks:
            quarantine_records(shard.run, name, blanks)
        target = shard.run.output_place / f"{name}.out"
        size = self._outputs[unit].size
        if not shard.run.line_per_record:
            publish(shard.run, shard.output_of(unit), target, size)
            return unit, result, blanks
        if size > MAX_BYTES:
            return unit, result, f"its answers have {size:,} bytes; lines are written of 1 GiB"
        missing = {blank.record: blank.error for blank in blanks if blank.record is not None}
        parts = [(shard.output_of(unit), 1, result.records)]
        try:
            write_lines(shard.run, target, parts, missing, result.records)
        except NoLines as reason:
            return unit, result, f"no line for each record: {reason}"
        return unit, result, blanks

    def _note(self, unit: Unit, result: Whole, blanks: Sequence[Bad]) -> None:
        state = self._shard.state
        if not unit.is_chunk:
            state.add(
                records=result.records,
                answers=result.records - result.blanks,
                refused=len(blanks),
            )
            state.with_blanks += [unit.input] if blanks else []
            return
        assert unit.first is not None
        assert unit.count is not None
        split = state.split_inputs[str(unit.input)]
        split.good.append([unit.first, unit.count])
        split.bad += [blank.kept() for blank in blanks]


def _blank_lines(shard: Shard, unit: Unit) -> list[Bad]:
    """The blank lines of a unit, as they stand in its input."""
    first = unit.first if unit.first is not None else 1
    base = unit.offset if unit.offset is not None else 0
    return [
        Bad(
            record=number,
            offset=base + line.offset,
            length=line.length,
            data=line.data,
            error=BLANK,
        )
        for number, line in enumerate(shard.records_of(unit, limit=_HELD_BYTES), start=first)
        if not line.data.strip()
    ]


MAX_ONE_COPY_BYTES = 256 * 1024 * 1024
"""What is larger is copied in parts, so that no request takes longer than a client waits. One
request copies 5 GiB at most (API reference, CopyObject)."""

_PART_BYTES = 128 * 1024 * 1024
_MAX_PARTS = 10_000


def publish(run: Run, source: Place, target: Place, size: int) -> None:
    """Copy an output of ``size`` bytes; it is there whole or not at all, with outputs' key."""
    where = {"Bucket": target.bucket, "Key": target.key}
    copied = {"Bucket": source.bucket, "Key": source.key}
    output = written_as(run)
    if size > MAX_ONE_COPY_BYTES:
        _in_parts(run.store.s3, where, copied, output, size)
        return
    encrypted = {name: value for name, value in output.items() if name != "ContentType"}
    run.store.s3.copy_object(**where, CopySource=copied, **encrypted)


def _in_parts(
    s3: Any, where: dict[str, str], source: dict[str, str], output: dict[str, str], size: int
) -> None:
    kind = s3.head_object(**source).get("ContentType")
    as_it_is = {} if kind is None else {"ContentType": kind}
    upload = s3.create_multipart_upload(**where, **{**as_it_is, **output})["UploadId"]
    part_bytes = max(_PART_BYTES, -(-size // _MAX_PARTS))

    def copy(number: int) -> dict[str, object]:
        first = (number - 1) * part_bytes
        last = min(first + part_bytes, size) - 1
        answer = s3.upload_part_copy(
            **where,
            UploadId=upload,
            PartNumber=number,
            CopySource=source,
            CopySourceRange=f"bytes={first}-{last}",
        )
        return {"ETag": answer["CopyPartResult"]["ETag"], "PartNumber": number}

    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            parts = list(pool.map(copy, range(1, -(-size // part_bytes) + 1)))
        s3.complete_multipart_upload(**where, UploadId=upload, MultipartUpload={"Parts": parts})
    except BaseException:
        s3.abort_multipart_upload(**where, UploadId=upload)
        raise
