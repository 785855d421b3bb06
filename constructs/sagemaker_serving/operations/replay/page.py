"""A replay's report as one HTML page, which needs nothing beside itself."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from sagemaker_serving.operations.replay.report import OUTCOMES, Different, ReplayReport
from sagemaker_serving.operations.traffic import PassedOver

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1f2328; background: #fff }
table { border-collapse: collapse } td, th { padding: .2rem .8rem .2rem 0; text-align: left }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
pre { background: #f6f8fa; padding: .6rem; overflow-x: auto; white-space: pre-wrap;
  overflow-wrap: anywhere }
.bad { color: #cf222e } details { margin: .6rem 0 } summary { cursor: pointer }
"""


def page(report: ReplayReport, verdict: str) -> str:
    """The page; ``verdict`` is its first sentence."""
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>Replay of {escape(report.capture)}</title><style>{_STYLE}</style></head>",
            f"<body><h1>{escape(report.candidate.name)}</h1>",
            f"<p>{escape(verdict)}</p>",
            f"<p>Replayed: {escape(report.capture)}; compared with "
            f"{escape(report.compared_with)}.</p>",
            *_counts(report),
            *_latencies(report),
            *_noise(report),
            *_worst(report.worst),
            *_passed("Not replayed", report.not_replayed),
            *_passed("Lines that are no events", report.passed_over),
            "</body></html>\n",
        )
    )


def _counts(report: ReplayReport) -> Iterator[str]:
    yield "<h2>Answers</h2>"
    yield _table(
        ("answers", "requests", "percent"),
        [
            (name, f"{report.counts[name]:,}", _percent(report.counts[name], report.replayed))
            for name in OUTCOMES
        ],
    )
    for message, count in report.failures.most_common(10):
        yield f'<p class="bad">{count:,} failed: {escape(message)}</p>'


def _latencies(report: ReplayReport) -> Iterator[str]:
    sides = [side for side in (report.candidate, report.baseline) if side is not None]
    rows = []
    for side in sides:
        figures = side.as_dict()
        milliseconds = (figures[f"p{percent}_ms"] for percent in (50, 90, 99))
        rows.append((side.name, *(_ms(value) for value in milliseconds)))
    yield "<h2>Latency, measured by the replay</h2>"
    yield _table(("", "p50 ms", "p90 ms", "p99 ms"), rows)
    if report.baseline is None:
        yield "<p>Data capture does not hold how long the captured answers took.</p>"


def _noise(report: ReplayReport) -> Iterator[str]:
    noise = report.noise
    yield "<h2>Noise</h2>"
    if not noise.unsteady and not noise.ignored:
        yield f"<p>Of {noise.requests} requests sent twice, none was answered differently.</p>"
        return
    yield (
        f"<p>{noise.requests} requests were sent twice. A difference up to twice the largest "
        "between those answers is taken off, at the places where they differed.</p>"
    )
    rows = [(place, f"{size:.3g}") for place, size in noise.sizes().items()]
    rows += [(place, "not compared") for place in sorted(noise.ignored)]
    yield _table(("place", "largest"), rows)


def _worst(worst: Sequence[Different]) -> Iterator[str]:
    if not worst:
        return
    yield f"<h2>The worst {len(worst)}</h2>"
    for one in worst:
        size = "" if math.isinf(one.size) else f" (by {one.size:.3g})"
        yield (
            f'<details><summary><span class="bad">{escape(one.differences[0])}</span>{size}'
            f"<br>{escape(one.where)}, {escape(one.at)}</summary>"
        )
        yield f"<p>Event {escape(one.event_id)}, {escape(one.content_type)}</p>"
        for title, text in (
            ("Request", one.request),
            ("Expected", one.expected),
            ("Answer", one.came),
            ("Differences", "\n".join(one.differences)),
        ):
            yield f"<h4>{title}</h4><pre>{escape(text)}</pre>"
        yield "</details>"


def _passed(title: str, found: PassedOver) -> Iterator[str]:
    if not found.total:
        return
    yield f"<h2>{title}: {found.total:,}</h2>"
    for reason, count in found.counts.most_common():
        places = ", ".join(found.places[reason])
        more = ", …" if count > len(found.places[reason]) else ""
        yield (
            f"<details><summary>{count:,}: {escape(reason)}</summary>"
            f"<pre>{escape(places)}{more}</pre></details>"
        )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        kinds = ["", *(' class="number"' for _ in row[1:])]
        return "".join(
            f"<{tag}{kind}>{escape(text)}</{tag}>" for kind, text in zip(kinds, row, strict=True)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><tr>{cells('th', head)}</tr>{body}</table>"


def _percent(count: int, of: int) -> str:
    return f"{100 * count / of:.2f}" if of else ""


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
