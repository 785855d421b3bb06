"""Of files with one wrong change, made from schemas and documents, each is named; no right one is.

`python -m benchmarks mistakes` judges thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import mistakes
from benchmarks.figures import Figure, Ratio


def test_wrong_changes_are_named_and_right_ones_are_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert judged(monkeypatch, tmp_path, mistakes.environments, cases=200) == (100, 0, 0)


@pytest.mark.slow
def test_wrong_templates_are_named_and_right_ones_are_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mistakes, "PEERS", 0)
    assert judged(monkeypatch, tmp_path, mistakes.templates, cases=32) == (100, 0, 0)


def judged(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    measure: Callable[[Path], Iterator[Figure | Ratio]],
    cases: int,
) -> tuple[float, ...]:
    """How many per cent of the wrong are named, the false alarms, and the tracebacks."""
    monkeypatch.setattr(mistakes, "CASES", cases)
    monkeypatch.setattr(mistakes, "SEED", 1)
    return tuple(each.value for each in measure(folder) if isinstance(each, Ratio))
