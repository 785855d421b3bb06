"""What a soak (`benchmarks.soak`) excuses, and what it calls growth."""

from __future__ import annotations

import pytest

from benchmarks.soak.faults import CLOCK, DISK, KILL_ALL, Made
from benchmarks.soak.watch import Sample, growth


def test_a_request_is_excused_only_while_a_fault_lasts() -> None:
    fault = Made(kind=KILL_ALL, began=10.0, ended=20.0)
    assert fault.excuses(9.0, 10.5)
    assert fault.excuses(19.9, 25.0)
    assert not fault.excuses(20.1, 21.0)
    assert not fault.excuses(8.0, 9.9)


def test_a_fault_that_goes_on_excuses_to_its_end() -> None:
    assert Made(kind=KILL_ALL, began=10.0).excuses(1000.0, 1001.0)


@pytest.mark.parametrize("kind", [DISK, CLOCK])
def test_neither_a_full_disk_nor_a_wrong_clock_excuses_a_request(kind: str) -> None:
    assert not Made(kind=kind, began=10.0, ended=20.0).excuses(11.0, 12.0)


def test_growth_leaves_out_what_was_filled_at_first() -> None:
    def samples(memory: list[float]) -> list[Sample]:
        return [
            Sample(at=float(number), memory_mb=each, open_files=1, processes=1, files=1)
            for number, each in enumerate(memory)
        ]

    assert growth(samples([100, 200, 400, 400, 400, 400]), "memory_mb") == 1.0
    assert growth(samples([100, 200, 300, 400, 500, 600]), "memory_mb") == pytest.approx(11 / 7)
