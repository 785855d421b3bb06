"""Graphs on a terminal, by plotext, and in a PNG file, by matplotlib: the extra ``plots``."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import click

from local_aws.terminal import clean, print_own
from sagemaker_serving.errors import Failure
from sagemaker_serving.extras import need
from sagemaker_serving.whole_files import whole_file

_PIPE_WIDTH = 100
_HEIGHT = 14
_COLUMNS = 3
_TICKS = 5
_MARKERS = "ox+*#%@&"
"""What tells lines apart where there are no colours."""

Points = Sequence[tuple[float, float]]
"""Pairs of x and y; where x is a time, seconds since 1970. A y of NaN is a gap, which no line
crosses."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One graph: its lines by their labels, ``unit`` of the y axis, ``note`` below the title.

    ``x`` is what the x axis counts, "" where it is time, which is shown in UTC.
    """

    title: str
    lines: Sequence[tuple[str, Points]]
    unit: str = ""
    note: str = ""
    x: str = ""

    @property
    def heading(self) -> str:
        """Title, unit and note in one line."""
        unit = f", {self.unit}" if self.unit else ""
        return f"{self.title}{unit}" + (f" ({self.note})" if self.note else "")

    @property
    def drawn(self) -> list[tuple[str, Points]]:
        """The lines that have any points."""
        return [(label, points) for label, points in self.lines if points]


def show(
    panels: Sequence[Panel], *, plot: bool, output: Path | None = None, title: str = ""
) -> None:
    """The panels on the terminal with ``plot``, and in the PNG file ``output`` if one is given."""
    if plot:
        on_terminal = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if on_terminal else _PIPE_WIDTH
        print_own(draw(panels, width=width, colours=on_terminal))
    if output is not None:
        save_png(panels, output, title=title)
        click.echo(f"drawn: {output}", err=True)


def shares(values: Sequence[float]) -> list[tuple[float, float]]:
    """Of each value the share of all that are no larger."""
    ordered = sorted(values)
    return [(value, (place + 1) / len(ordered)) for place, value in enumerate(ordered)]


def draw(panels: Sequence[Panel], *, width: int, colours: bool) -> str:
    """The panels one below the other, ``width`` characters wide; without data a line says so.

    Raises `Mistake` without the extra ``plots``.
    """
    need("plots")
    panels = [_clean(panel) for panel in panels]
    return "\n".join(_drawn(panel, max(width, 40), colours) for panel in panels)


def _clean(panel: Panel) -> Panel:
    """With no more escapes than plotext's own: titles and labels come from CloudWatch."""
    return replace(
        panel,
        title=clean(panel.title),
        note=clean(panel.note),
        lines=[(clean(label), points) for label, points in panel.lines],
    )


def save_png(panels: Sequence[Panel], path: Path, *, title: str) -> None:
    """The panels side by side, three to a row, in the PNG file ``path``.

    Raises `Mistake` without the extra ``plots``, `Failure` where nothing can be written.
    """
    need("plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = max(min(_COLUMNS, len(panels)), 1)
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(max(5 * columns, 8), 0.6 + 3 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    for number, panel in enumerate(panels):
        _fill(figure.add_subplot(rows, columns, number + 1), panel)
    try:
        with whole_file(path) as partial:
            figure.savefig(partial, format="png", dpi=100)
    except OSError as error:
        raise Failure(f"{path} can't be written: {error.strerror}") from None


def _fill(axes: Any, panel: Panel) -> None:
    axes.set_title(panel.title + (f"\n{panel.note}" if panel.note else ""), fontsize=9)
    axes.set_ylabel(panel.unit, fontsize=8)
    axes.set_xlabel(panel.x, fontsize=8)
    axes.tick_params(labelsize=7)
    for label, points in panel.drawn:
        axes.plot(
            [x for x, _ in points],
            [y for _, y in points],
            # What stands between two gaps is no line, and must be seen all the same.
            marker="." if len(points) < 40 or any(math.isnan(y) for _, y in points) else None,
            linewidth=1,
            label=label,
        )
    if not panel.drawn:
        axes.text(0.5, 0.5, "no data", ha="center", va="center", transform=axes.transAxes)
        axes.set_xticks([])
        return
    axes.set_ylim(0, _top(panel))
    if not panel.x:
        places = _places(panel)
        axes.set_xticks(places, [_clock(place) for place in places])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)


def _drawn(panel: Panel, width: int, colours: bool) -> str:
    if not panel.drawn:
        return f"{panel.heading}: no data\n"
    import plotext

    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, _HEIGHT)
    if not colours:
        figure.theme("colorless")
    for (label, points), marker in zip(panel.drawn, cycle(_MARKERS), strict=False):
        known = [(x, y) for x, y in points if not math.isnan(y)]
        signal = figure.signal(
            [x for x, _ in known], [y for _, y in known], marker=None if colours else marker
        )
        signal.label(label).lines()
        for index, ((before, _), (after, _)) in enumerate(pairwise(known), start=1):
            if any(before < x < after and math.isnan(y) for x, y in points):
                signal.line(index, False)
        figure.draw(signal)
    heights = [_top(panel) * number / (_TICKS - 1) for number in range(_TICKS)]
    figure.ruler("y").lim(0, _top(panel)).ticks(heights, [_amount(height) for height in heights])
    places = _places(panel)
    figure.ruler("x").ticks(
        places, [f"{place:g}" if panel.x else _clock(place) for place in places]
    )
    text = str(figure.build())
    plain = text if colours else str(plotext.uncolorize(text))
    return f"{panel.heading}\n{plain}"


def _top(panel: Panel) -> float:
    """A little over the highest point; 1 where all are 0."""
    highest = max(y for _, points in panel.drawn for _, y in points if not math.isnan(y))
    return highest * 1.1 if highest > 0 else 1.0


def _places(panel: Panel) -> list[float]:
    """Where ticks stand on the x axis."""
    every = [x for _, points in panel.drawn for x, _ in points]
    first, last = min(every), max(every)
    if first == last:
        return [first]
    return [first + (last - first) * number / (_TICKS - 1) for number in range(_TICKS)]


def _amount(value: float) -> str:
    """As one writes it: no powers of ten, no digits that nobody reads."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _clock(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%H:%M:%S}"
