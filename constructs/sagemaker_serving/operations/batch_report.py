"""What a batch execution leaves to be read: counts, and what has no answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class BatchReport:
    """An execution's report, the ``report.json`` of its output.

    ``status`` is COMPLETE, QUARANTINED where that was to be a failure, UNANSWERED when all there
    was is in quarantine, or INCOMPLETE. ``quarantined`` and ``unaccounted`` begin the lists, each
    line with ``object``, ``error`` and, for records, ``record``, ``offset`` and ``length``.
    ``reasons`` counts the list's ``lines`` by ``error``, each with its ``first``. ``page_uri`` is
    where the report lies as a page.
    """

    status: str
    seconds: int
    counts: Mapping[str, int]
    quarantine_uri: str
    page_uri: str
    reasons: Sequence[Mapping[str, Any]]
    quarantined: Sequence[Mapping[str, Any]]
    unaccounted: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, read: Mapping[str, Any]) -> BatchReport:
        """The report of its JSON."""
        return cls(
            status=read["status"],
            seconds=read["seconds"],
            counts=read["counts"],
            quarantine_uri=read["quarantine"],
            page_uri=read["page"],
            reasons=read["reasons"],
            quarantined=read["first_quarantined"],
            unaccounted=read["first_unaccounted"],
        )

    def lines(self) -> list[str]:
        """The report in a few lines for people."""
        counts = self.counts
        lines = [
            f"{self.status.lower()} in {self.seconds:,} s: {counts['objects']:,} "
            f"object{'s' * (counts['objects'] != 1)}, "
            f"{counts['answered']:,} with an output, {counts['quarantined']:,} in quarantine, "
            f"{counts['unaccounted']:,} not done"
        ]
        if counts["records"]:
            lines.append(
                f"records: {counts['records']:,} in, {counts['records_answered']:,} answered, "
                f"{counts['records_quarantined']:,} in quarantine"
            )
        if counts["in_part"]:
            lines.append(f"outputs without those in quarantine: {counts['in_part']:,}")
        lines += [f"  quarantined: {line}" for line in self.first_reasons(_SHOWN)]
        lines += [f"  not done: {_place(line)}: {line['error']}" for line in self.unaccounted]
        if counts["quarantine_lines"]:
            lines.append(f"lines of the whole list: {counts['quarantine_lines']:,}")
            lines.append(f"the list: {self.quarantine_uri}")
        lines.append(f"the report: {self.page_uri}")
        return lines

    def first_reasons(self, most: int) -> list[str]:
        """Why things are in quarantine, the most frequent reasons first, with what has them.

        Without a handler's trace, which the list has, and the report.
        """
        shown = []
        for reason in self.reasons[:most]:
            more = reason["lines"] - 1
            others = f", and {more:,} like it" if more else ""
            told = reason["error"].partition(" Traceback (most recent call last):")[0]
            shown.append(f"{_place(reason['first'])}: {told}{others}")
        rest = len(self.reasons) - most
        return [*shown, f"{rest:,} reasons more"] if rest > 0 else shown


def report_folder(output_uri: str) -> str:
    """Where the report on an output ``s3://…/`` lies below its pipeline's reports."""
    last = re.sub(r"[^a-zA-Z0-9._-]+", "-", output_uri.rstrip("/").rsplit("/", 1)[-1])[:24]
    return f"{last}-{hashlib.sha256(output_uri.encode()).hexdigest()[:12]}/"


def report_folder_beside(outputs: Path) -> Path:
    """Where the report on downloaded ``outputs`` goes: ``answers-report`` beside ``answers``."""
    whole = outputs.resolve()
    return whole.with_name(f"{whole.name}-report") if whole.name else whole / "report"


def _place(line: Mapping[str, Any]) -> str:
    record = f" record {line['record']:,}" if "record" in line else ""
    return f"{line['object']}{record}"
