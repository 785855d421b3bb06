"""The gate catches planted faults, and lets harmless retrainings pass: a few of the benchmark's."""

from __future__ import annotations

import pytest

pytest.importorskip("openvino", reason="openvino is here in test_with_openvino.py only")
pytestmark = pytest.mark.slow


def test_swapped_classes_are_refused_and_harmless_retrainings_are_not() -> None:
    from benchmarks.compiled import Trial, classes_swapped

    trial = Trial(seed=27)
    assert [trial.is_refused(classes_swapped) for _ in range(2)] == [True, True]
    assert [trial.is_false_alarm() for _ in range(3)] == [False, False, False]
