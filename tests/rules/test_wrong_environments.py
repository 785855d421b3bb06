"""Of files with one wrong change, made from schemas and documents, each is named; no right one is.

`python -m benchmarks mistakes` judges 2,000 of each.
"""

from __future__ import annotations

import pytest

from benchmarks import mistakes
from benchmarks.figures import Ratio


def test_wrong_changes_are_named_and_right_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistakes, "CASES", 320)
    monkeypatch.setattr(mistakes, "SEED", 1)
    figures = {each.name: each for each in mistakes.measure() if isinstance(each, Ratio)}
    assert figures["tracebacks"].value == figures["right ones called wrong"].value == 0
    assert figures["wrong ones named"].value == 100
