"""The last step: every input is looked up again, and what there is of each becomes a report.

Nothing is taken from what the shards said of themselves: an input has an output, or it stands
in quarantine, or it is unaccounted for and makes the execution fail.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

from . import lock
from .ledger import Accounts, accounts
from .plan import inputs_of
from .quarantine import OBJECTS, RECORDS
from .run import Run
from .sharding import Input
from .store import Entry, Place, Store
from .upload import Upload

SHOWN = 20
"""Names and reasons that the report itself has; the rest is in the lists beside it."""

_AT_ONCE = 8
_TOGETHER = 16
_MEANWHILE = "it was put anew again and again meanwhile, or its output was deleted"
_RECORDS = ("records", "records_answered", "records_quarantined")
_COUNTS = ("answered", "refused", "in_part", "unaccounted", "failed_shards", *_RECORDS)


def report(
    store: Store, run: Run, cursor: Mapping[str, Any] | None, in_time: Callable[[], bool], now: int
) -> dict[str, Any]:
    """Look shards up until all are, or the time is up; then write the lists and the report.

    Returns the cursor for the next call, ``more`` true, or the report's counts.
    """
    planned = store.read_json(run.work_place / "counts.json")
    state = dict(cursor) if cursor is not None else {"shard": 0, **dict.fromkeys(_COUNTS, 0)}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while state["shard"] < planned["shards"] and in_time():
            first = state["shard"]
            last = min(first + _AT_ONCE, planned["shards"])
            for counts in pool.map(lambda shard: _look_up(store, run, shard), range(first, last)):
                for name in _COUNTS:
                    state[name] += counts[name]
            state["shard"] = last
    if state["shard"] < planned["shards"]:
        return {**state, "more": True}
    return {"more": False, **_finish(store, run, planned, state, now)}


def _look_up(store: Store, run: Run, shard: int) -> dict[str, int]:
    """What there is of a shard's inputs; those without anything are listed beside its files."""
    inputs = inputs_of(store, run, shard)
    found: Accounts = accounts(store, run, inputs)
    settled = found.settled
    missing: list[Input] = [entry for entry in inputs if entry.name not in settled]
    ended = store.read_if_there(run.ended(shard))
    how: dict[str, Any] = {"ended": "broken off", "reason": None}
    how |= {} if ended is None else json.loads(ended)
    if missing:
        why = _MEANWHILE if how["ended"] == "done" else how["reason"] or how["ended"]
        store.write_lines(
            run.work_place / f"unaccounted/{shard:06}.jsonl",
            ({"object": entry.name, "shard": shard, "error": why} for entry in missing),
        )
    return {
        "answered": len(found.answered),
        "refused": len(found.refused),
        "in_part": len(found.in_part),
        "unaccounted": len(missing),
        "failed_shards": int(how["ended"] != "done"),
        **{name: how.get(name, 0) for name in _RECORDS},
    }


def _finish(
    store: Store, run: Run, planned: Mapping[str, int], state: Mapping[str, int], now: int
) -> dict[str, Any]:
    """Write the lists, the report and its summary, and give the lock back."""
    listed = (
        entry for kind in (OBJECTS, RECORDS) for entry in store.listed(run.quarantined / kind)
    )
    quarantined = _join(store, run, run.reports_place / "quarantine.jsonl", listed)
    missing = _join(
        store,
        run,
        run.reports_place / "unaccounted.jsonl",
        store.listed(run.work_place / "unaccounted/"),
    )
    counts = {
        "objects": planned["objects"],
        "answered": planned["answered"] + state["answered"],
        "quarantined": planned["quarantined"] + planned["missing"] + state["refused"],
        "in_part": state["in_part"],
        "unaccounted": state["unaccounted"],
        **{name: state[name] for name in _RECORDS},
        "quarantine_lines": quarantined.lines,
        "answered_before": planned["answered"],
        "quarantined_before": planned["quarantined"],
        "bytes": planned["bytes"],
        "shards": planned["shards"],
        "failed_shards": state["failed_shards"],
    }
    ended = _verdict(run, counts)
    body = {
        "execution": run.execution,
        "status": ended,
        "input": run.source,
        "output": run.output,
        "began": run.began,
        "ended": now,
        "seconds": now - run.began,
        "counts": counts,
        "quarantine": str(run.reports_place / "quarantine.jsonl"),
        "unaccounted": str(run.reports_place / "unaccounted.jsonl"),
        "first_quarantined": quarantined.first,
        "first_unaccounted": missing.first,
    }
    text = summary(body)
    store.write(
        run.reports_place / "report.json", json.dumps(body, indent=1, ensure_ascii=False).encode()
    )
    store.write(run.reports_place / "summary.txt", text.encode(), "text/plain; charset=utf-8")
    lock.release(store, run)
    return {
        "status": ended,
        "counts": counts,
        "seconds": body["seconds"],
        "report": str(run.reports_place / "report.json"),
        "summary": text[:4000],
    }


def _verdict(run: Run, counts: Mapping[str, int]) -> str:
    objects = counts["answered"] + counts["quarantined"]
    records = counts["records_answered"] + counts["records_quarantined"]
    if counts["unaccounted"] or objects != counts["objects"] or records != counts["records"]:
        return "INCOMPLETE"
    bad = counts["quarantined"] or counts["in_part"]
    return "QUARANTINED" if bad and run.fail_on_quarantine else "COMPLETE"


def summary(report: Mapping[str, Any]) -> str:
    """The report in lines for people."""
    counts = report["counts"]
    lines = [
        f"{report['status']}: {report['input']} to {report['output']} in {report['seconds']:,} s, "
        f"{counts['shards']:,} shards",
        f"{counts['objects']:,} objects in, {counts['bytes']:,} bytes",
        f"{counts['answered']:,} have an output ({counts['answered_before']:,} from before), "
        f"{counts['in_part']:,} of these without some of their records",
        f"{counts['quarantined']:,} are in quarantine ({counts['quarantined_before']:,} from "
        f"before); {counts['quarantine_lines']:,} lines in {report['quarantine']}",
        f"{counts['records']:,} records in of what ran this time: {counts['records_answered']:,} "
        f"answers, {counts['records_quarantined']:,} in quarantine",
        f"{counts['unaccounted']:,} are not done; start again with the same output to go on"
        if counts["unaccounted"]
        else "nothing is unaccounted for",
    ]
    for title, key in (("quarantined", "first_quarantined"), ("not done", "first_unaccounted")):
        lines += [f"  {title}: {_shown(line)}" for line in report[key]]
    return "\n".join(lines) + "\n"


def _shown(line: Mapping[str, Any]) -> str:
    record = f" record {line['record']:,}" if "record" in line else ""
    return f"{line['object']}{record}: {str(line['error'])[:600]}"


class _Joined:
    """How many lines a list has, and its first ones, without their bytes."""

    def __init__(self) -> None:
        self.lines = 0
        self.first: list[dict[str, Any]] = []

    def add(self, body: bytes) -> None:
        """Count the lines of one of the list's files."""
        for line in body.splitlines():
            self.lines += 1
            if len(self.first) < SHOWN:
                read = json.loads(line)
                self.first.append({key: read[key] for key in read if key != "bytes"})


def _join(store: Store, run: Run, place: Place, entries: Iterable[Entry]) -> _Joined:
    """The objects one after the other as one; it reads some at once and holds those only."""
    joined = _Joined()

    def read(entry: Entry) -> bytes:
        return store.read(Place(place.bucket, entry.key))

    iterator = iter(entries)
    with ThreadPoolExecutor(_AT_ONCE) as pool, Upload(store, run, place) as upload:
        while batch := list(islice(iterator, _TOGETHER)):
            for body in pool.map(read, batch):
                joined.add(body)
                upload.write(body)
    return joined
