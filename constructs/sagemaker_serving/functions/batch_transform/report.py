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
from .fields import JOB_FIELDS
from .inputs import folder_of
from .ledger import Accounts, accounts
from .plan import inputs_of
from .quarantine import OBJECTS, RECORDS
from .reasons import Reasons
from .report_page import MAX_ENTRIES, report_page
from .run import Run
from .sharding import Input
from .store import Entry, Place
from .upload import Upload

SHOWN = 20
"""Names and reasons that the report itself has; the rest is in the lists beside it."""

_AT_ONCE = 8
_TOGETHER = 16
_MEANWHILE = "it was put anew again and again meanwhile, or its output was deleted"
_RECORDS = ("records", "records_answered", "records_quarantined")
_COUNTS = ("answered", "refused", "in_part", "unaccounted", "failed_shards", *_RECORDS)


def report(
    run: Run, cursor: Mapping[str, Any] | None, in_time: Callable[[], bool], now: int
) -> dict[str, Any]:
    """Look shards up until all are, or the time is up; then write the lists and the report.

    Returns the cursor for the next call, ``more`` true, or the report's counts.
    """
    planned = run.store.read_json(run.work_place / "counts.json")
    state = dict(cursor) if cursor is not None else {"shard": 0, **dict.fromkeys(_COUNTS, 0)}
    begun = state["shard"]
    bars: list[list[int]] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while state["shard"] < planned["shards"] and (not bars or in_time()):
            first = state["shard"]
            last = min(first + _AT_ONCE, planned["shards"])
            for counts in pool.map(lambda shard: _look_up(run, shard), range(first, last)):
                bars.append(
                    [
                        counts["answered"] - counts["in_part"],
                        *(counts[name] for name in ("in_part", "refused", "unaccounted")),
                    ]
                )
                for name in _COUNTS:
                    state[name] += counts[name]
            state["shard"] = last
    run.store.write_lines(run.work_place / f"looked_up/{begun:09}.jsonl", bars)
    if state["shard"] < planned["shards"]:
        return {**state, "more": True}
    return {"more": False, **_finish(run, planned, state, now)}


def _look_up(run: Run, shard: int) -> dict[str, int]:
    """What there is of a shard's inputs; those without anything are listed beside its files."""
    inputs = inputs_of(run, shard)
    found: Accounts = accounts(run, inputs)
    settled = found.settled
    missing: list[Input] = [entry for entry in inputs if entry.name not in settled]
    ended = run.store.read_if_there(run.ended(shard))
    how: dict[str, Any] = {"ended": "broken off", "reason": None}
    how |= {} if ended is None else json.loads(ended)
    if missing:
        why = _MEANWHILE if how["ended"] == "done" else how["reason"] or how["ended"]
        run.store.write_lines(
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
    run: Run, planned: Mapping[str, int], state: Mapping[str, int], now: int
) -> dict[str, Any]:
    """Write the lists, the report and its summary, and give the lock back."""
    listed = (
        entry for kind in (OBJECTS, RECORDS) for entry in run.store.listed(run.quarantined / kind)
    )
    quarantined = _join(run, run.reports_place / "quarantine.jsonl", listed)
    missing = _join(
        run,
        run.reports_place / "unaccounted.jsonl",
        run.store.listed(run.work_place / "unaccounted/"),
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
        "reasons": quarantined.reasons.by_number()[:SHOWN],
        "first_quarantined": quarantined.first,
        "first_unaccounted": missing.first,
        "page": str(run.reports_place / "report.html"),
        "asked": _asked(run),
    }
    text = summary(body)
    run.store.write(
        run.reports_place / "report.json", json.dumps(body, indent=1, ensure_ascii=False).encode()
    )
    run.store.write(run.reports_place / "summary.txt", text.encode(), "text/plain; charset=utf-8")
    page = report_page(
        {**body, "reasons": quarantined.reasons.by_number()},
        entries=quarantined.entries,
        shards=[
            counts
            for part in run.store.listed(run.work_place / "looked_up/")
            for counts in run.store.read_lines(Place(run.work_place.bucket, part.key))
        ],
        folder=str(folder_of(run)),
    )
    html = page.encode("utf-8", "replace")
    run.store.write(run.reports_place / "report.html", html, "text/html; charset=utf-8")
    lock.release(run)
    return {
        "status": ended,
        "counts": counts,
        "seconds": body["seconds"],
        "report": str(run.reports_place / "report.json"),
        "summary": text[:4000],
    }


def _verdict(run: Run, counts: Mapping[str, int]) -> str:
    """How the execution ends: INCOMPLETE, UNANSWERED, QUARANTINED or COMPLETE."""
    objects = counts["answered"] + counts["quarantined"]
    records = counts["records_answered"] + counts["records_quarantined"]
    if counts["unaccounted"] or objects != counts["objects"] or records != counts["records"]:
        return "INCOMPLETE"
    if counts["quarantined"] and not counts["answered"]:
        return "UNANSWERED"
    bad = counts["quarantined"] or counts["in_part"]
    return "QUARANTINED" if bad and run.fail_on_quarantine else "COMPLETE"


def _asked(run: Run) -> dict[str, str]:
    """The job's fields by the names that an execution's input has for them, as they were given."""
    found = {}
    for name, field in JOB_FIELDS.items():
        value: Any = run.job
        for part in field.path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None:
            shown = ", ".join(sorted(value)) if isinstance(value, Mapping) else str(value)
            found[name] = shown
    return found


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
        f"records of what ran this time: {counts['records']:,} in, "
        f"{counts['records_answered']:,} answered, {counts['records_quarantined']:,} in quarantine",
        f"{counts['unaccounted']:,} are not done; start again with the same output to go on"
        if counts["unaccounted"]
        else "nothing is unaccounted for",
    ]
    lines += [
        f"  quarantined, {reason['lines']:,} times: {str(reason['error'])[:600]}; the first: "
        f"{_place(reason['first'])}"
        for reason in report["reasons"]
    ]
    lines += [
        f"  not done: {_place(line)}: {str(line['error'])[:600]}"
        for line in report["first_unaccounted"]
    ]
    return "\n".join([*lines, f"the same as a page: {report['page']}"]) + "\n"


def _place(line: Mapping[str, Any]) -> str:
    record = f" record {line['record']:,}" if "record" in line else ""
    return f"{line['object']}{record}"


class _Joined:
    """How many lines a list has, why, and its first ones."""

    def __init__(self) -> None:
        self.lines = 0
        self.reasons = Reasons()
        self.entries: list[dict[str, Any]] = []

    @property
    def first(self) -> list[dict[str, Any]]:
        """The first lines without their bytes."""
        return [
            {key: entry[key] for key in entry if key != "bytes"} for entry in self.entries[:SHOWN]
        ]

    def add(self, body: bytes) -> None:
        """Count the lines of one of the list's files."""
        for line in body.splitlines():
            self.lines += 1
            read = json.loads(line)
            self.reasons.add(read)
            if len(self.entries) < MAX_ENTRIES:
                self.entries.append(read)


def _join(run: Run, place: Place, entries: Iterable[Entry]) -> _Joined:
    """The objects one after the other as one; it reads some at once and holds those only."""
    joined = _Joined()

    def read(entry: Entry) -> bytes:
        return run.store.read(Place(place.bucket, entry.key))

    iterator = iter(entries)
    with ThreadPoolExecutor(_AT_ONCE) as pool, Upload(run, place) as upload:
        while batch := list(islice(iterator, _TOGETHER)):
            for body in pool.map(read, batch):
                joined.add(body)
                upload.write(body)
    return joined
