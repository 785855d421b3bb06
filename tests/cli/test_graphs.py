"""Graphs as text and as a picture."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

pytest.importorskip("plotext", reason="pip install 'sagemaker-serving[plots]'")

from sagemaker_serving.cli.graphs import Panel, draw, save_png
from sagemaker_serving.errors import Failure

LATENCY = Panel(
    title="Latency",
    unit="ms",
    lines=[("gpu p99", [(0.0, 10.0), (60.0, 30.0), (120.0, 20.0)]), ("none", [])],
)
NOTHING = Panel(title="Errors", lines=[("5XX", [])])


def test_a_graph_has_its_title_its_scale_and_its_lines_names() -> None:
    text = draw([LATENCY], width=70, colours=False)
    assert "Latency, ms" in text
    assert "gpu p99" in text
    assert "none" not in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 70


def test_a_graph_without_data_says_so() -> None:
    assert draw([NOTHING], width=70, colours=False) == "Errors: no data\n"


def test_no_line_crosses_a_gap() -> None:
    def width_of_mark(points: list[tuple[float, float]]) -> int:
        panel = Panel(title="Requests", lines=[("a", points)])
        return draw([panel], width=70, colours=False).count("o")

    joined: list[tuple[float, float]] = [(0.0, 10.0), (60.0, 10.0), (600.0, 10.0)]
    apart = [*joined[:2], (300.0, math.nan), joined[2]]
    assert width_of_mark(apart) < width_of_mark(joined) / 2


def test_colours_are_for_terminals() -> None:
    assert "\x1b" in draw([LATENCY], width=70, colours=True)


@pytest.mark.parametrize("points", [[(5.0, 0.0)], [(5.0, 0.0), (6.0, 0.0)], [(5.0, 1e9)]])
def test_flat_and_single_points_are_drawn(points: list[tuple[float, float]]) -> None:
    panel = Panel(title="Flat", lines=[("a", points)], x="requests")
    assert "Flat" in draw([panel], width=60, colours=False)


def test_a_picture_has_three_graphs_to_a_row(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    save_png([LATENCY, NOTHING, LATENCY, LATENCY], path, title="page")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", content[16:24]) == (1500, 660)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="can't be written: No such file or directory"):
        save_png([LATENCY], tmp_path / "no" / "page.png", title="page")
