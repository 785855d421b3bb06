"""Distributions in a PNG file, by matplotlib: the extra ``plots``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from sagemaker_serving.errors import Failure
from sagemaker_serving.extras import need
from sagemaker_serving.whole_files import whole_file


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One graph: for each line, which share of its values is no larger than ``x``.

    ``x`` and ``of`` say what the values are, in words.
    """

    title: str
    x: str
    of: str
    lines: Mapping[str, Sequence[float]]


def save_png(panels: Sequence[Panel], path: Path, *, title: str) -> None:
    """The panels side by side in the PNG file ``path``.

    Raises `Mistake` without the extra ``plots``, `Failure` where nothing can be written.
    """
    need("plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(5 * len(panels), 8), 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title)
    for number, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(1, len(panels), number)
        axes.set(title=panel.title, xlabel=panel.x, ylabel=f"share of {panel.of}")
        axes.grid(alpha=0.3)
        drawn = {label: values for label, values in panel.lines.items() if values}
        for label, values in drawn.items():
            axes.ecdf(values, label=label)
        if drawn:
            axes.legend(fontsize="small")
    try:
        with whole_file(path) as partial:
            figure.savefig(partial, format="png", dpi=100)
    except OSError as error:
        raise Failure(f"{path} can't be written: {error.strerror}") from None
    click.echo(f"drawn: {path}", err=True)
