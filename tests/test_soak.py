"""What a soak (`benchmarks.soak`) excuses, and what it calls growth."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from benchmarks.soak.faults import CLOCK, DISK, KILL_ALL, Made
from benchmarks.soak.place import Place
from benchmarks.soak.watch import KEPT, Sample, growth, strays


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


@pytest.mark.slow
def test_a_content_of_no_object_is_a_stray(tmp_path: Path) -> None:
    with Place(tmp_path, None, {}) as place:
        s3 = place.aws.client("s3")
        s3.create_bucket(
            Bucket="soak", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
        put = s3.put_object(Bucket="soak", Key="kept", Body=b"content")
        looked = copy.copy(place)
        looked.state = tmp_path / "looked"  # in its own the local AWS deletes strays as it saves
        folder = looked.state / KEPT[0]
        folder.mkdir(parents=True)
        (folder / f"{put['ETag'].strip(chr(34))}-7").touch()
        assert strays(looked) == 0
        (folder / f"{'0' * 32}-7").touch()
        assert strays(looked) == 1
