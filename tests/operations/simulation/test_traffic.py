"""Files and shapes of traffic, and what is said of those that are none."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.operations.simulation import Traffic, traffic_of


def per_minute(traffic: Traffic, seed: int = 0) -> Counter[int]:
    return Counter(int(at // 60) for at in traffic.arrivals(Random(seed)))


def test_a_constant_shape_lasts_an_hour_unless_it_says_how_long() -> None:
    assert traffic_of("constant:5").seconds == 3600
    traffic = traffic_of("constant:5/30m")
    assert traffic.seconds == 1800
    assert sum(per_minute(traffic).values()) == pytest.approx(5 * 1800, rel=0.05)


def test_a_ramp_rises() -> None:
    found = per_minute(traffic_of("ramp:0-100/10m"))
    assert found[9] == pytest.approx(60 * 95, rel=0.1)
    assert found[0] == pytest.approx(60 * 5, rel=0.2)


def test_a_day_has_its_peak_where_it_is_told_and_its_trough_twelve_hours_from_it() -> None:
    found = per_minute(traffic_of("day:peak=2,trough=0.2,at=9"))
    hours = [sum(found[60 * hour + each] for each in range(60)) for hour in range(24)]
    assert hours.index(max(hours)) in (8, 9)
    assert hours.index(min(hours)) in (20, 21)
    assert max(hours) == pytest.approx(7200, rel=0.05)


def test_numbers_are_requests_of_one_minute_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "counts.txt"
    file.write_text("# of yesterday\n10\n0\n300\n")
    traffic = traffic_of(str(file), datetime(2026, 11, 23, 8, tzinfo=UTC))
    assert per_minute(traffic) == {0: 10, 2: 300}
    assert (traffic.start.hour, traffic.seconds) == (8, 180)


def test_a_time_with_a_count_is_a_minute_and_those_that_are_missing_had_none(
    tmp_path: Path,
) -> None:
    file = tmp_path / "minutes.csv"
    file.write_text("2026-11-23T08:00:00Z,3\n2026-11-23T08:02:00+00:00,4\n")
    traffic = traffic_of(str(file))
    assert per_minute(traffic) == {0: 3, 2: 4}
    assert traffic.start == datetime(2026, 11, 23, 8, tzinfo=UTC)


def test_times_are_requests_at_exactly_these(tmp_path: Path) -> None:
    file = tmp_path / "times.txt"
    file.write_text("2026-11-23T09:00:01.250+01:00\n2026-11-23T08:00:00.500Z\n")
    traffic = traffic_of(str(file))
    assert list(traffic.arrivals(Random(0))) == [0.5, 1.25]
    assert traffic.start == datetime(2026, 11, 23, 8, tzinfo=UTC)


def test_captured_requests_come_when_they_came(tmp_path: Path) -> None:
    lines = [
        {
            "captureData": {"endpointInput": {"data": "1", "encoding": "CSV"}},
            "eventMetadata": {"eventId": str(each), "inferenceTime": f"2026-11-23T08:00:0{each}Z"},
            "eventVersion": "0",
        }
        for each in (1, 1, 3)
    ]
    file = tmp_path / "capture.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for place in (file, tmp_path):
        traffic = traffic_of(str(place))
        assert traffic.start == datetime(2026, 11, 23, 8, tzinfo=UTC)
        assert list(traffic.arrivals(Random(0))) == [1, 1.5, 3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("constnat:50", "it is no shape; write, say, constant:50/1h"),
        ("monday.csv", "--traffic monday.csv: there is no such file"),
        ("constant:fast", "this is no constant; write it as constant:50/1h"),
        ("ramp:10-20/soon", "'soon' is no duration; write 90s, 30m or 24h"),
        ("day:peak=3", "this is no day; write it as day:peak=300,trough=20"),
        ("constant:0", "there are no requests in it; write a number over 0"),
    ],
)
def test_what_is_no_traffic_is_told_how_to_write_it(text: str, said: str) -> None:
    with pytest.raises(Mistake, match="--traffic") as raised:
        traffic_of(text)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("2026-11-23T08:00:00Z,3\nyesterday\n", "traffic.txt:2: 'yesterday' is no time"),
        ("2026-11-23T08:00:00Z,3\n2026-11-23T08:00:00Z\n", "some lines have a count"),
        ("", "there are no requests in it"),
        ("0\n0\n", "there are no requests in it"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, lines: str, said: str) -> None:
    file = tmp_path / "traffic.txt"
    file.write_text(lines)
    with pytest.raises(Mistake) as raised:
        traffic_of(str(file))
    assert said in str(raised.value)
