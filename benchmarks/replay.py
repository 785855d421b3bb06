"""100,000 captured requests replayed, in a process whose memory is measured.

``python -m benchmarks.replay`` prints JSON. The candidate is a function of that process, which
answers at once: what is measured is the replay's own work.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cost import own_peak
from benchmarks.figures import Figure, Ratio

REQUESTS, FILES, NUMBERS, WRONG = 100_000, 20, 32, 1000
"""A thousandth of the answers is another."""


def measure() -> Iterator[Figure | Ratio]:
    """Seconds, requests a second and memory; and whether what is wrong was found, and only that."""
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.replay"], check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    yield (
        f"a capture of {REQUESTS:,} requests, {found['megabytes']:.0f} MB, put in order",
        (f"{found['read']:.1f} s"),
    )
    yield "replayed as fast as a candidate that answers at once", f"{found['replayed']:.1f} s"
    yield "requests a second", f"{REQUESTS / found['replayed']:,.0f}"
    yield Ratio(name="peak memory of the process", value=found["peak"], at_most=512, unit=" MB")
    missed = abs(found["different"] - REQUESTS // WRONG)
    yield Ratio(name="wrong answers missed, or right ones called wrong", value=missed, at_most=0)


def _replayed(folder: Path) -> dict[str, float]:
    from sagemaker_serving.operations.golden import Answer, Request
    from sagemaker_serving.operations.replay import Options, Target, replay
    from sagemaker_serving.operations.traffic import open_capture

    def send(request: Request) -> Answer:
        scores = [2.0 * number for number in json.loads(request.body)]
        return Answer(status=200, body=json.dumps({"scores": scores}).encode())

    began = time.perf_counter()
    with open_capture(str(folder)) as capture:
        read = time.perf_counter() - began
        report = replay(
            capture,
            Target(name="candidate", send=send, most_bytes=1 << 20),
            name="captured",
            options=Options(speed=None, concurrency=8),
        )
    return {
        "read": read,
        "replayed": report.seconds,
        "different": report.counts["different"],
        "peak": own_peak(),
    }


def _write(folder: Path) -> float:
    """The capture's files; how many megabytes they are."""
    each = REQUESTS // FILES
    for file in range(FILES):
        lines = (_line(file * each + number) for number in range(each))
        (folder / f"{file:02}.jsonl").write_text("".join(lines), encoding="utf-8")
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def _line(number: int) -> str:
    asked = [(number * 7 + place * 13) % 1000 / 7 for place in range(NUMBERS)]
    answered = [2.0 * value for value in asked]
    if number % WRONG == 0:
        answered[number % NUMBERS] += 0.5
    sides = {
        key: {
            "observedContentType": "application/json",
            "mode": mode,
            "data": json.dumps(data),
            "encoding": "JSON",
        }
        for key, mode, data in (
            ("endpointInput", "INPUT", asked),
            ("endpointOutput", "OUTPUT", {"scores": answered}),
        )
    }
    minute, second = divmod(number * 3600 // REQUESTS, 60)
    metadata = {"eventId": str(number), "inferenceTime": f"2026-11-24T12:{minute:02}:{second:02}Z"}
    event = {"captureData": sides, "eventMetadata": metadata, "eventVersion": "0"}
    return f"{json.dumps(event)}\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        size = _write(Path(scratch))
        print(json.dumps({"megabytes": size, **_replayed(Path(scratch))}))
