"""A wrong model is caught, the right one is not, and neither is one that answers at random."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Failure, NotFound
from sagemaker_serving.operations.golden import Answer, Request
from sagemaker_serving.operations.replay import Options, ReplayReport, Target, page, replay
from sagemaker_serving.operations.traffic import open_capture
from tests.operations.captures import NOON, event, exchanges, write

Model = Callable[[Any], Any]


def right(asked: Any) -> Any:
    return {"scores": [value * 2.0 for value in asked]}


def target(model: Model, name: str = "candidate", most_bytes: int = 1000) -> Target:
    def send(request: Request) -> Answer:
        answer = model(json.loads(request.body))
        return (
            answer
            if isinstance(answer, Answer)
            else Answer(status=200, body=json.dumps(answer).encode())
        )

    return Target(name=name, send=send, most_bytes=most_bytes)


def replayed(
    place: Path, model: Model, *, baseline: Model | None = None, **options: Any
) -> ReplayReport:
    with open_capture(str(place)) as capture:
        return replay(
            capture,
            target(model),
            name=str(place),
            baseline=None if baseline is None else target(baseline, "baseline"),
            options=Options(**{"speed": None, "concurrency": 4, **options}),
        )


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A hundred requests as `right` answered them."""
    asked = [[float(number), number / 7] for number in range(100)]
    return exchanges(tmp_path / "captured.jsonl", ((one, right(one)) for one in asked))


def test_the_same_model_answers_as_it_did(capture: Path) -> None:
    report = replayed(capture, right)
    assert report.counts == {"equal": 100}
    assert (report.different_percent, len(report.worst)) == (0.0, 0)
    assert len(report.candidate.seconds) == 100


def test_numbers_may_be_apart_by_the_tolerance(capture: Path) -> None:
    def nearly(asked: Any) -> Any:
        return {"scores": [value * 2.0 + 1e-6 for value in asked]}

    assert replayed(capture, nearly).counts == {"within tolerance": 100}
    assert replayed(capture, nearly, tolerance=1e-9).counts == {"different": 100}


def test_a_wrong_model_is_caught_with_its_worst_requests_first(capture: Path) -> None:
    def wrong(asked: Any) -> Any:
        answer = right(asked)
        if asked[0] in (10.0, 20.0, 30.0):
            answer["scores"][1] += asked[0] ** 2 / 1000
        return {"labels": answer} if asked[0] == 40.0 else answer

    report = replayed(capture, wrong, kept=3)
    assert report.counts == {"equal": 96, "different": 4}
    assert report.different_percent == 4.0
    assert [one.where for one in report.worst] == [f"{capture}:{line}" for line in (41, 31, 21)]
    form, number, _ = report.worst
    assert form.differences[0] == "scores: it is not there"
    assert number.differences[0].startswith("scores[1]: expected 8.57")
    assert json.loads(number.request) == [30.0, 30 / 7]
    assert json.dumps(report.as_dict(), allow_nan=False)


def test_a_random_model_is_no_false_alarm_once_its_noise_is_known(capture: Path) -> None:
    numbers = random.Random(1)

    def noisy(asked: Any) -> Any:
        return {"id": str(numbers.random()), "scores": [numbers.gauss(2 * x, 0.1) for x in asked]}

    asked = [json.loads(event_["request"]) for event_ in _kept(capture)]
    exchanges(capture, ((one, noisy(one)) for one in asked))
    report = replayed(capture, noisy, noise=40)
    assert report.counts == {"within noise": 100}
    assert report.noise.ignored == {"id"}
    assert replayed(capture, noisy, noise=0).counts["different"] == 100


def _kept(capture: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, capture.read_text(encoding="utf-8").splitlines())
    return [{"request": line["captureData"]["endpointInput"]["data"]} for line in lines]


def test_noise_in_one_place_hides_nothing_in_another(tmp_path: Path) -> None:
    numbers = random.Random(1)

    def noisy(asked: Any, shift: float = 0.0) -> Any:
        return {"rows": [[numbers.random(), x + shift] for x in asked]}

    path = exchanges(tmp_path / "a.jsonl", (([n], noisy([n])) for n in range(50)))
    assert set(replayed(path, noisy).counts) == {"within noise"}
    report = replayed(path, lambda asked: noisy(asked, 0.5))
    assert report.counts == {"different": 50}
    assert report.worst[0].differences == ("rows[0][1]: expected 0.0, got 0.5",)


def test_what_fails_is_counted_by_what_was_said(capture: Path) -> None:
    def failing(asked: Any) -> Any:
        if asked[0] < 2:
            raise Failure("no answer\nand a trace")
        return Answer(status=500, body=b"oh") if asked[0] == 2 else right(asked)

    report = replayed(capture, failing)
    assert report.counts == {"equal": 97, "failed": 3}
    assert report.failures == {"no answer": 2, "status 500": 1}
    assert report.worst[-1].differences == ("status 500: oh",)


@pytest.mark.parametrize("noise", [0, 5])
def test_a_target_that_is_not_there_ends_it(capture: Path, noise: int) -> None:
    def missing(asked: Any) -> Any:
        raise NotFound("no such endpoint")

    with pytest.raises(NotFound, match="no such endpoint"):
        replayed(capture, missing, noise=noise)


def test_what_cannot_be_replayed_is_counted_with_its_reason(tmp_path: Path) -> None:
    long = json.dumps([1.0] * 500)
    path = write(
        tmp_path / "a.jsonl",
        event(asked="[1]", answered='{"scores": [2.0]}'),
        event(asked=None),
        event(asked="[1]", answered=None),
        event(asked=long),
        "torn",
    )
    report = replayed(path, right)
    assert (report.events, report.counts) == (4, {"equal": 1})
    assert report.not_replayed.places == {
        "the request was not captured": [f"{path}:2"],
        "the answer was not captured": [f"{path}:3"],
        "the request is larger than the 1000 bytes that the target takes": [f"{path}:4"],
    }
    assert report.passed_over.total == 1
    assert replayed(path, right, baseline=right).counts == {"equal": 2}, "needs no answer"


def test_a_baseline_s_answers_take_the_place_of_the_captured(capture: Path) -> None:
    def other(asked: Any) -> Any:
        return {"scores": [value * 3.0 for value in asked]}

    report = replayed(capture, other, baseline=other)
    assert report.counts == {"equal": 100}
    assert report.compared_with == "baseline"
    assert report.baseline is not None
    assert len(report.baseline.seconds) == 100
    assert replayed(capture, right, baseline=other).counts["different"] == 99


def test_requests_go_in_the_order_of_time_and_no_more_at_once_than_asked(tmp_path: Path) -> None:
    moments = [NOON + timedelta(seconds=number // 3) for number in range(30)]
    path = write(
        tmp_path / "a.jsonl",
        *reversed([event(at, f"[{number}]") for number, at in enumerate(moments)]),
    )
    came: list[float] = []
    inside: list[int] = []
    under_way = 0
    lock = threading.Lock()

    def watched(asked: Any) -> Any:
        nonlocal under_way
        with lock:
            under_way += 1
            inside.append(under_way)
            came.append(asked[0])
        with lock:
            under_way -= 1
        return right(asked)

    replayed(path, watched, speed=1000.0, concurrency=1, noise=0)
    assert [number // 3 for number in map(int, came)] == [number // 3 for number in range(30)]
    replayed(path, watched, concurrency=3, noise=0)
    assert max(inside) <= 3


def test_the_answers_type_is_asked_for_as_it_was_captured(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", event())
    asked: list[str | None] = []

    def send(request: Request) -> Answer:
        asked.append(request.accept)
        return Answer(status=200, body=b"2")

    for accept in (None, "x/y", ""):
        with open_capture(str(path)) as capture:
            replay(
                capture,
                Target(name="c", send=send, most_bytes=9),
                name="n",
                options=Options(accept=accept, noise=0),
            )
    assert asked == ["text/csv", "x/y", None]


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_says_all_of_it_and_needs_nothing_else(tmp_path: Path) -> None:
    path = exchanges(tmp_path / "a.jsonl", [(["<b>"], {"a": "<i>"})])
    with path.open("a", encoding="utf-8") as file:
        file.write(f"torn\n{event(asked=None)}\n")
    report = replayed(path, lambda asked: {"a": "</pre>"}, baseline=lambda asked: {"a": "<i>"})
    text = page(report, "1 of 1 <differs>")
    read = _Balanced()
    read.feed(text)
    assert read.open == []
    for said in ("1 of 1 <differs>", '["<b>"]', '{"a": "</pre>"}', "baseline", "p99 ms", "torn"):
        assert said in read.text
    assert "http" not in text
