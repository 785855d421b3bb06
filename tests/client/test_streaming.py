"""Answers in parts, as botocore reads them from real event-stream bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.protocol.event_stream import event, exception
from sagemaker_serving.client import EndpointFacts, Predictor, lines
from sagemaker_serving.errors import Failure, ModelFailed
from tests.client.fake_runtime import Answer, fake_runtime

PARTS = [event("PayloadPart", part) for part in (b"one\ntw", b"o\nth", b"ree")]


def streamed(*events: bytes) -> Iterator[Predictor]:
    answer = Answer(body=b"".join(events), content_type="application/vnd.amazon.eventstream")
    with (
        fake_runtime(lambda _: answer) as runtime,
        Predictor("e", runtime.aws, facts=EndpointFacts()) as predictor,
    ):
        yield predictor
    assert runtime.asked[0].path == "/endpoints/e/invocations-response-stream"
    assert json.loads(runtime.asked[0].body) == {"prompt": "count"}


def test_parts_come_as_they_are_and_lines_whole() -> None:
    for predictor in streamed(*PARTS):
        parts = list(predictor.stream({"prompt": "count"}))
        assert parts == [b"one\ntw", b"o\nth", b"ree"]
        assert list(lines(parts)) == [b"one", b"two", b"three"]


def test_a_model_that_breaks_off_is_told_after_what_came_before() -> None:
    error = {"ErrorCode": "StreamBroken", "Message": "it went away"}
    for predictor in streamed(PARTS[0], exception("ModelStreamError", error)):
        stream = predictor.stream({"prompt": "count"})
        assert next(stream) == b"one\ntw"
        with pytest.raises(
            ModelFailed,
            match=r"the model of e failed: ModelStreamError: it went away; the 6 bytes that were",
        ):
            next(stream)


def test_a_stream_that_sagemaker_breaks_off_is_a_failure() -> None:
    error = exception("InternalStreamFailure", {"Message": "an unknown error"})
    for predictor in streamed(error):
        with pytest.raises(Failure, match="an unknown error"):
            list(predictor.stream({"prompt": "count"}))


@given(text=st.binary(max_size=60), cuts=st.lists(st.integers(0, 60)))
def test_lines_are_the_same_wherever_the_parts_end(text: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    wanted = text.split(b"\n")
    assert list(lines(parts)) == (wanted if wanted[-1] else wanted[:-1])
