"""A container that will not come up is known by its log, and one that does all the same is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sagemaker_serving.operations.rollout.logs import LogLine
from sagemaker_serving.operations.rollout.signs import FailureSigns


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def line(text: str, stream: str = "blue/i-1") -> LogLine:
    return LogLine(at=datetime.now(UTC), stream=stream, text=text)


SIGNS = [
    ("ValueError: no SavedModel bundles found!", "there is no SavedModel in the archive"),
    (
        "E tensorflow_serving/util/retrier.cc:47] Loading servable: {name: x version: 1} failed: "
        "NOT_FOUND: Could not find meta graph def matching supplied tags",
        "TensorFlow Serving could not load the model",
    ),
    ("[ERROR] Worker failed to boot.", "inference.py could not be loaded"),
    ("ERROR: No matching distribution found for nonsense==1", "code/requirements.txt could not"),
    ("Traceback (most recent call last):", "the container's own code failed as it started"),
    ("org.pytorch.serve Load model failed: m, error: Worker died.", "TorchServe could not load"),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "memory ran out"),
    ("exec /usr/bin/serve: exec format error", "the image is for another processor"),
]


@pytest.mark.parametrize(("text", "meaning"), SIGNS)
def test_a_sign_counts_once_its_time_has_gone_by(text: str, meaning: str) -> None:
    clock = Clock()
    signs = FailureSigns(grace_seconds=5.0, clock=clock)
    signs.see(line(text))
    assert signs.failed() is None
    clock.now = 5.0
    failed = signs.failed()
    assert failed is not None
    assert failed[0] == "blue/i-1"
    assert failed[1].startswith(meaning)


def test_a_container_that_answers_the_health_check_is_well() -> None:
    clock = Clock()
    signs = FailureSigns(grace_seconds=5.0, clock=clock)
    signs.see(line("Traceback (most recent call last):"))
    signs.see(line("Traceback (most recent call last):", stream="blue/i-2"))
    signs.see(line('169.254.178.2 - - [21/Nov/2026] "GET /ping HTTP/1.1" 200 0 "-" "AHC/2.0"'))
    clock.now = 5.0
    failed = signs.failed()
    assert failed is not None
    assert failed[0] == "blue/i-2"


@pytest.mark.parametrize(
    "text",
    [
        "INFO loaded servable version {name: half_plus_three version: 1}",
        "WARNING: retrying (Retry(total=4)) after connection broken",
        '"GET /ping HTTP/1.1" 502 0',
        "an error rate of 0 was seen",
    ],
)
def test_what_is_usual_is_no_sign(text: str) -> None:
    signs = FailureSigns(grace_seconds=0.0, clock=Clock())
    signs.see(line(text))
    assert signs.failed() is None
