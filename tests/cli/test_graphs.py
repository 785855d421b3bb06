"""Distributions as a picture."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="pip install 'sagemaker-serving[plots]'")

from sagemaker_serving.cli.graphs import Panel, save_png
from sagemaker_serving.errors import Failure

LATENCY = Panel(
    title="Latency",
    x="milliseconds",
    of="requests",
    lines={"gpu": [10.0, 30.0, 20.0], "none": []},
)
NOTHING = Panel(title="Errors", x="error", of="numbers", lines={"f32": []})


def test_graphs_stand_beside_one_another_even_without_values(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    save_png([LATENCY, NOTHING], path, title="page")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", content[16:24]) == (1000, 360)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="can't be written: No such file or directory"):
        save_png([LATENCY], tmp_path / "no" / "page.png", title="page")
