"""Files of data capture are read in the order of time, and what is none is counted and named."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import NotFound
from sagemaker_serving.local_sagemaker.fleets.capture import Capture as Writer
from sagemaker_serving.local_sagemaker.fleets.capture import Payload, capture_of
from sagemaker_serving.operations.golden import Answer, Request
from sagemaker_serving.operations.traffic import REPLAYED, open_capture
from tests.operations.captures import NOON, event, write


def bodies(
    place: Path, since: datetime | None = None, until: datetime | None = None
) -> list[bytes]:
    with open_capture(str(place), since=since, until=until) as capture:
        return [one.request.body for one in capture if one.request is not None]


def test_a_line_is_a_time_a_request_and_an_answer(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", event(eventId="mine"))
    with open_capture(str(path)) as capture:
        (one,) = capture
    assert (one.at, one.event_id, one.where) == (NOON, "mine", f"{path}:1")
    assert one.request == Request(body=b"1", content_type="text/csv", accept="text/csv")
    assert one.answer == Answer(status=200, body=b"2")


def test_events_of_many_files_come_in_the_order_of_time(tmp_path: Path) -> None:
    later, hour = NOON + timedelta(seconds=5), NOON + timedelta(hours=1)
    write(tmp_path / "e/v/2026/11/24/12/b.jsonl", event(NOON, "1"), event(later, "3"))
    write(tmp_path / "e/w/2026/11/24/12/a.jsonl", event(NOON + timedelta(seconds=1), "2"))
    write(tmp_path / "e/v/2026/11/24/13/a.jsonl", event(hour, "4"))
    assert bodies(tmp_path) == [b"1", b"2", b"3", b"4"]
    assert bodies(tmp_path, since=later) == [b"3", b"4"]
    assert bodies(tmp_path, until=later) == [b"1", b"2"]
    assert bodies(tmp_path, since=later, until=hour) == [b"3"]


def test_events_of_one_second_are_spread_over_it(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", event(), event(), event(NOON + timedelta(seconds=1)))
    with open_capture(str(tmp_path)) as capture:
        begin = NOON.timestamp()
        assert capture.times == [begin, begin + 0.5, begin + 1]


def test_torn_and_foreign_lines_are_counted_and_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", event()[:40], "", "[1]", '{"a": 1}', event(asked="x"))
    write(tmp_path / "b.txt", "not looked at")
    with open_capture(str(tmp_path)) as capture:
        assert [one.where for one in capture] == [f"{path}:5"]
        assert capture.passed_over.counts == {
            "no JSON: torn, or of another format": 1,
            "JSON, but no line of data capture": 2,
        }
        assert capture.passed_over.places["JSON, but no line of data capture"] == [
            f"{path}:3",
            f"{path}:4",
        ]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"asked": None}, "the request was not captured"),
        ({"answered": None}, "the answer was not captured"),
        (
            {"asked": {"data": "x", "encoding": "SECRET"}},
            "the request cannot be decoded; its encoding is SECRET",
        ),
        (
            {"asked": {"data": "*", "encoding": "BASE64"}},
            "the request cannot be decoded; its encoding is BASE64",
        ),
    ],
)
def test_a_side_that_is_not_there_says_why(tmp_path: Path, given: Any, why: str) -> None:
    path = write(tmp_path / "a.jsonl", event(**given))
    with open_capture(str(path)) as capture:
        (one,) = capture
    assert one.unread == why
    assert None in (one.request, one.answer)


def test_what_a_replay_sent_is_no_traffic(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", event(), event(inferenceId=REPLAYED), event(inferenceId="i"))
    with open_capture(str(path)) as capture:
        assert [one.where for one in capture] == [f"{path}:1", f"{path}:3"]
        assert capture.passed_over.counts == {"sent by a replay": 1}


@pytest.mark.parametrize("given", ["a=1", ["a=1"]])
def test_custom_attributes_are_the_request_s(tmp_path: Path, given: Any) -> None:
    path = write(tmp_path / "a.jsonl", event(customAttributes=given))
    with open_capture(str(path)) as capture:
        (one,) = capture
    assert one.request is not None
    assert one.request.custom_attributes == "a=1"


def test_what_the_local_aws_captures_is_read_as_it_was(tmp_path: Path) -> None:
    class Bucket:
        def put_object(self, *, Key: str, Body: bytes, **more: Any) -> None:
            write(tmp_path / Key, *Body.decode().splitlines())

    config = {
        "InitialSamplingPercentage": 100,
        "DestinationS3Uri": "s3://models/captured",
        "CaptureOptions": [{"CaptureMode": "Input"}, {"CaptureMode": "Output"}],
        "CaptureContentTypeHeader": {"JsonContentTypes": ["application/json"]},
    }
    writer = capture_of({"DataCaptureConfig": config}, "e", lambda role: Bucket())
    assert isinstance(writer, Writer)
    asked = Payload(body=b"\xff\x00", content_type="application/x-image")
    answer = Payload(body=b'{"a": 1}', content_type="application/json")
    writer.offer("v", None, request=asked, answer=answer, inference_id=None)
    writer.write()
    with open_capture(str(tmp_path)) as capture:
        (one,) = capture
    assert one.request == Request(
        body=b"\xff\x00", content_type="application/x-image", accept="application/json"
    )
    assert one.answer == Answer(status=200, body=b'{"a": 1}')


@pytest.mark.parametrize("lines", [[], ["{"], [event(NOON - timedelta(days=1))]])
def test_a_capture_without_an_event_is_refused(tmp_path: Path, lines: list[str]) -> None:
    write(tmp_path / "a.jsonl", *lines)
    with (
        pytest.raises(NotFound, match="holds no event of data capture"),
        open_capture(str(tmp_path), since=NOON),
    ):
        pass


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"), open_capture(str(tmp_path / "x")):
        pass
