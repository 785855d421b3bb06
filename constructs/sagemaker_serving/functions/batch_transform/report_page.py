"""The report as one HTML page: no script, nothing from elsewhere, and every word escaped.

What stands in it was written by whoever named the objects and by the model, so it is data: it is
escaped, signs that are not printed are shown as what they are, and the page forbids itself
everything but its own styles.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from .page_style import STYLE
from .reasons import OTHER, alike

MAX_ENTRIES = 1000
"""Entries of the quarantine that the page has; the whole list is a file beside it."""

MAX_BARS = 1000
"""Bars that the page has; more shards share them."""

_MAX_REASONS = 100
_ERROR_LETTERS = 600
_SHOWN_BYTES = 160
_KINDS = (
    ("answered", "answered"),
    ("part", "answered in part"),
    ("quarantined", "in quarantine"),
    ("open", "not done"),
)


def report_page(
    report: Mapping[str, Any],
    *,
    entries: Sequence[Mapping[str, Any]],
    shards: Sequence[Sequence[int]],
    folder: str,
) -> str:
    """The page of a report.

    ``entries`` begin the quarantine's list, ``shards`` have of each the objects that are answered,
    answered in part, in quarantine and not done, and inputs' names go on from ``folder``.
    """
    status = str(report["status"])
    name = str(report["execution"]).rsplit(":", 1)[-1]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">",
        f"<title>{_text(name)}: {_text(status.lower())}</title>",
        f"<style>{STYLE}</style></head><body>",
        f'<header><p class="status {_text(status.lower())}">{_text(status.lower())}</p>',
        f"<h1>{_text(name)}</h1>",
        f"<p>{_text(report['input'])} <span>→</span> {_text(report['output'])}</p></header>",
        *_numbers(report),
        *_bars(shards),
        *_reasons(report, entries, folder),
        *_open(report),
        *_asked(report),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _numbers(report: Mapping[str, Any]) -> Iterator[str]:
    counts = report["counts"]
    shown = [
        ("objects", counts["objects"]),
        ("with an output", counts["answered"]),
        ("in quarantine", counts["quarantined"]),
        ("not done", counts["unaccounted"]),
        ("records in", counts["records"]),
        ("answers out", counts["records_answered"]),
        ("records in quarantine", counts["records_quarantined"]),
        ("bytes", counts["bytes"]),
    ]
    yield '<dl class="numbers">'
    yield f"<div><dt>duration</dt><dd>{_text(_duration(report['seconds']))}</dd></div>"
    for title, number in shown:
        yield f"<div><dt>{title}</dt><dd>{number:,}</dd></div>"
    yield "</dl>"
    before = counts["answered_before"] + counts["quarantined_before"]
    if before:
        yield (
            f"<p>{counts['answered_before']:,} objects had an output before, and "
            f"{counts['quarantined_before']:,} stood in quarantine; records are those of what ran "
            "this time.</p>"
        )
    if counts["in_part"]:
        yield f"<p>Outputs without those in quarantine: {counts['in_part']:,}.</p>"


def _bars(shards: Sequence[Sequence[int]]) -> Iterator[str]:
    """A bar for each shard, or for several that follow one another."""
    if not shards:
        return
    together = -(-len(shards) // MAX_BARS)
    yield "<section><h2>Shards</h2>"
    keys = "".join(f'<span class="{kind}">{title}</span>' for kind, title in _KINDS)
    yield f'<p class="keys">{keys}</p>'
    if together > 1:
        yield f"<p>{len(shards):,} shards, {together:,} in each bar.</p>"
    yield '<ol class="bars">'
    for first in range(0, len(shards), together):
        joined = shards[first : first + together]
        numbers = [sum(shard[kind] for shard in joined) for kind in range(len(_KINDS))]
        yield _bar(first, first + len(joined) - 1, numbers)
    yield "</ol></section>"


def _bar(first: int, last: int, numbers: Sequence[int]) -> str:
    said = ", ".join(
        f"{number:,} {title}" for number, (_, title) in zip(numbers, _KINDS, strict=True) if number
    )
    name = f"{first:,}" if first == last else f"{first:,} to {last:,}"
    whole = max(sum(numbers), 1)
    pieces = "".join(
        f'<i class="{kind}" style="width:{100 * number / whole:.3f}%"></i>'
        for number, (kind, _) in zip(numbers, _KINDS, strict=True)
        if number
    )
    return f'<li title="shard {name}: {said}"><span>{name}</span><b>{pieces}</b></li>'


def _reasons(
    report: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], folder: str
) -> Iterator[str]:
    """The quarantine: its reasons, and below each the entries that the page has of it."""
    reasons = report["reasons"][:_MAX_REASONS]
    lines = report["counts"]["quarantine_lines"]
    yield '<section id="quarantine"><h2>Quarantine</h2>'
    if not lines:
        yield "<p>Nothing is in quarantine.</p></section>"
        return
    keys = {alike(str(reason["error"])): number for number, reason in enumerate(reasons)}
    other = keys.get(OTHER)
    by_reason: dict[int | None, list[tuple[int, Mapping[str, Any]]]] = {}
    for number, entry in enumerate(entries, start=1):
        place = keys.get(alike(str(entry["error"])), other)
        by_reason.setdefault(place, []).append((number, entry))
    yield '<ul class="reasons">'
    for number, reason in enumerate(reasons):
        text = _text(str(reason["error"])[:_ERROR_LETTERS])
        linked = f'<a href="#reason-{number}">{text}</a>' if number in by_reason else text
        yield f"<li><b>{reason['lines']:,}</b> {linked}</li>"
    yield "</ul>"
    whole = _text(report["quarantine"])
    if lines > len(entries):
        yield f"<p>Here are the first {len(entries):,} of {lines:,}; all are in {whole}.</p>"
    else:
        yield f"<p>The same as a file: {whole}.</p>"
    for place, found in sorted(by_reason.items(), key=lambda each: (each[0] is None, each[0])):
        title = OTHER if place is None else str(reasons[place]["error"])[:_ERROR_LETTERS]
        ended = "" if place is None else f' id="reason-{place}"'
        yield f'<h3{ended}>{_text(title)}</h3><ol class="entries">'
        for number, entry in found:
            yield _entry(number, entry, folder, title)
        yield "</ol>"
    yield "</section>"


def _entry(number: int, entry: Mapping[str, Any], folder: str, title: str) -> str:
    facts = [f"record {entry['record']:,}"] if "record" in entry else []
    if "length" in entry:
        facts.append(f"{entry['length']:,} bytes from byte {entry['offset']:,}")
    elif "offset" in entry:
        facts.append(f"from byte {entry['offset']:,} on")
    if "records" in entry:
        facts.append(f"{entry['records']:,} records")
    where = f"<code>{_text(folder + str(entry['object']))}</code>"
    said = str(entry["error"])[:_ERROR_LETTERS]
    error = "" if said == title else f"<p>{_text(said)}</p>"
    begins = ""
    if entry.get("bytes"):
        data = base64.b64decode(entry["bytes"])[:_SHOWN_BYTES]
        begins = f"<pre>{_text(data.decode('utf-8', 'backslashreplace'))}</pre>"
    link = f'<a href="#entry-{number}">{number:,}</a>'
    said = f"{link} {where} <small>{', '.join(facts)}</small>{error}{begins}"
    return f'<li id="entry-{number}">{said}</li>'


def _open(report: Mapping[str, Any]) -> Iterator[str]:
    number = report["counts"]["unaccounted"]
    if not number:
        return
    yield f"<section><h2>Not done</h2><p>{number:,} objects; start again with the same output to go"
    yield f' on. All are in {_text(report["unaccounted"])}.</p><ol class="entries">'
    for line in report["first_unaccounted"]:
        error = _text(str(line["error"])[:_ERROR_LETTERS])
        yield f"<li><code>{_text(line['object'])}</code><p>{error}</p></li>"
    yield "</ol></section>"


def _asked(report: Mapping[str, Any]) -> Iterator[str]:
    """What the execution was given, and when it ran."""
    yield '<section><h2>What was asked</h2><dl class="asked">'
    asked = {
        "execution": report["execution"],
        "began": _moment(report["began"]),
        "ended": _moment(report["ended"]),
        **report["asked"],
    }
    for name, value in asked.items():
        yield f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>"
    yield "</dl></section>"


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _duration(seconds: int) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (rest, "s")]
    shown = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(shown) if shown else "0 s"


def _text(value: Any) -> str:
    """A value as HTML; what is not printed, such as a mark that turns letters round, is shown."""
    text = str(value)
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() else _named(sign) for sign in text)
    return escape(text)


def _named(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
