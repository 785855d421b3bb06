"""Inputs that failed twice, or whose answers are not as many as their records: cut into chunks,
and put together again without their bad records."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .cutting import HELD_BYTES, PIECES, Cutter
from .lines import NoLines, write_lines
from .quarantine import SHOWN_BYTES, Bad, quarantine, quarantine_records
from .records import Damaged
from .shard import Shard
from .sharding import Input
from .state import SplitInput, Unit
from .tallying import BLANK, GONE
from .upload import Upload

MAX_BAD_RECORDS = 1000
"""Bad records of one input that are told apart; one with more is quarantined whole."""

_TOO_MANY_RECORDS = "larger than maximum input batch size"
"""What TensorFlow Serving says of a request of more instances than its max_batch_size, where
batching was left on (tensorflow, core/kernels/batching_util/shared_batch_scheduler.h)."""

MAX_INPUT_BYTES = 5 * 1024**3
"""An input over that is not cut; reading it twice would take more than a call may."""

MAX_INPUTS = 100
"""Inputs of one shard that are cut: where more fail, something else is wrong."""


def bisect(shard: Shard) -> dict[str, Any]:
    """Cut what the step before wants to be cut, and write the outputs of what is through."""
    state = shard.state
    _give_up_the_hopeless(shard)
    cutter = Cutter(shard)
    chunks: list[Unit] = []
    while state.to_cut and (not chunks or shard.in_time()):
        chunks += cutter.cut(state.to_cut.pop(0))
    if chunks:
        state.groups.append(chunks)
    _put_together(shard)
    return shard.next_step()


def _give_up_the_hopeless(shard: Shard) -> None:
    """Inputs of which nothing went through, or too much did not, are not cut any finer.

    What has answers, but not as many as records, is cut until each has one; so is what was refused
    for its size.
    """
    state = shard.state
    chunks = [each for each in state.to_cut if Unit(**each["unit"]).is_chunk]
    failed = Counter(str(each["unit"]["input"]) for each in chunks)
    smaller_may_do = {
        str(each["unit"]["input"])
        for each in chunks
        if each["differs"] or _TOO_MANY_RECORDS in each["error"]
    }
    for index, split in state.split_inputs.items():
        cut = failed[index]
        if split.is_over or cut == 0:
            continue
        if not split.good and cut >= PIECES // 2 and index not in smaller_may_do:
            _refuse_all(shard, index, f"none of its {cut} parts went through")
        elif len(split.bad) + cut > MAX_BAD_RECORDS:
            _refuse_all(shard, index, f"more than {MAX_BAD_RECORDS:,} of its records are bad")
    wanted = [each for each in state.to_cut if not Unit(**each["unit"]).is_chunk]
    room = MAX_INPUTS - sum(1 for split in state.split_inputs.values() if split.good or split.bad)
    for each in wanted[max(room, 0) :]:
        why = f"not taken apart: more than {MAX_INPUTS} inputs of its shard failed"
        _refuse_all(shard, str(each["unit"]["input"]), why)
    _, gone = shard.look_again([Unit(input=each["unit"]["input"]) for each in wanted])
    for each in wanted:
        if Unit(input=each["unit"]["input"]) in gone:
            _refuse_all(shard, str(each["unit"]["input"]), GONE)
        if shard.inputs[each["unit"]["input"]].size > MAX_INPUT_BYTES:
            _refuse_all(shard, str(each["unit"]["input"]), "too large to be taken apart")


def _refuse_all(shard: Shard, index: str, why: str) -> None:
    """An input goes into quarantine as it is, for ``why`` and what was said of it."""
    state = shard.state
    split = state.split_inputs[index]
    state.to_cut = [each for each in state.to_cut if str(each["unit"]["input"]) != index]
    kept = ([unit for unit in group if str(unit.input) != index] for group in state.groups)
    state.groups = [group for group in kept if group]
    bad = [{"error": f"{why}; {split.error}", "records": split.records}]
    state.split_inputs[index] = SplitInput(error=split.error, records=split.records, bad=bad)


def _put_together(shard: Shard) -> None:
    """Write the list and the output of each input that has no chunk to run any more."""
    state = shard.state
    running = {str(unit.input) for group in state.groups for unit in group}
    running |= {str(each["unit"]["input"]) for each in state.to_cut}
    through = [
        index
        for index, split in state.split_inputs.items()
        if not split.is_over and index not in running
    ]
    changed, gone = shard.look_again([Unit(input=int(index)) for index in through])
    for index in through:
        split = state.split_inputs[index]
        unit = Unit(input=int(index))
        if unit in changed:
            shard.run_anew(unit, changed[unit])
            continue
        entry = shard.input_of(unit)
        bad = _with_bytes(shard, unit, split, is_gone=unit in gone)
        if not split.good:
            quarantine(shard.run, entry.name, bad)
        else:
            if bad:
                quarantine_records(shard.run, entry.name, bad)
            try:
                _join(shard, entry, unit, split)
            except NoLines as reason:
                why = f"no line for each record: {reason}"
                split.good, split.bad = [], [{"error": why, "records": split.records}]
                quarantine(shard.run, entry.name, [Bad(error=why, records=split.records)])
        split.is_over = True
        _note(shard, split)


def _note(shard: Shard, split: SplitInput) -> None:
    """Count the records of an input that is through; those that nobody counted are left out."""
    if split.records is None:
        return
    whole = any("record" not in bad for bad in split.bad)
    blank = sum(bad["error"] == BLANK for bad in split.bad)
    listed = sum(bad.get("records") or 1 for bad in split.bad)
    shard.state.add(
        records=split.records,
        answers=sum(count for _, count in split.good) - blank,
        refused=split.records if whole else listed,
    )


def _join(shard: Shard, entry: Input, whole: Unit, split: SplitInput) -> None:
    """The chunks' outputs in the order of their records, as the input's output."""
    target = shard.run.output_place / f"{entry.name}.out"
    if shard.run.line_per_record:
        assert split.records is not None
        parts = [
            (shard.output_of(Unit(input=whole.input, first=first, count=count)), first, count)
            for first, count in split.good
        ]
        missing = {
            bad["record"] + each: str(bad["error"])
            for bad in split.bad
            for each in range(bad.get("records") or 1)
        }
        write_lines(shard.run, target, parts, missing, split.records)
        return
    with Upload(shard.run, target) as upload:
        for first, count in sorted(split.good):
            unit = Unit(input=whole.input, first=first, count=count)
            body = shard.run.store.open(shard.output_of(unit))
            while part := body.read(1 << 20):
                upload.write(part)


def _with_bytes(shard: Shard, whole: Unit, split: SplitInput, *, is_gone: bool) -> list[Bad]:
    """The bad records in order, each with how it begins where that can still be read."""
    listed = [dict(bad) for bad in sorted(split.bad, key=lambda bad: bad.get("record", 0))]
    by_offset = {bad["offset"]: bad for bad in listed if bad.get("length") is not None}
    if by_offset and not is_gone:
        last = max(by_offset)
        try:
            for record in shard.records_of(whole, limit=HELD_BYTES):
                if record.offset in by_offset:
                    by_offset[record.offset]["data"] = record.data[:SHOWN_BYTES]
                if record.offset >= last:
                    break
        except Damaged:
            pass
    return [Bad(**bad) for bad in listed]
