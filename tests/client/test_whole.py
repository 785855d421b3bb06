"""Answers that break off on the line are asked for again, and are never taken for whole ones."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import numpy
import pytest
from boto3.exceptions import S3UploadFailedError
from hypothesis import given
from hypothesis import strategies as st

from local_aws.protocol.event_stream import event
from sagemaker_serving.client import (
    AioPredictor,
    EndpointFacts,
    Limits,
    Prediction,
    Predictor,
    Retries,
)
from sagemaker_serving.client.asynchronous import AsyncInference
from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.whole import ATTEMPTS, is_cut_short
from sagemaker_serving.errors import Failure, Mistake
from tests.client.cutting_server import CuttingServer, Said, cutting_server

SOON = Retries(base_seconds=0.001)
BODY = json.dumps({"predictions": [[0.25, 1.5], [0.5, 2.5]]}).encode()
HALF = BODY[: len(BODY) // 2]


def answer(body: bytes, *headers: str, content_type: str = "application/json") -> bytes:
    head = ["HTTP/1.1 200 OK", f"Content-Type: {content_type}", "Connection: close", *headers]
    return "\r\n".join([*head, "", ""]).encode() + body


def whole(body: bytes = BODY, content_type: str = "application/json") -> Said:
    length = f"Content-Length: {len(body)}"
    return Said(data=answer(body, length, content_type=content_type))


def chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


CHUNKED = "Transfer-Encoding: chunked"
LENGTH = f"Content-Length: {len(BODY)}"
CUT = {
    "before its length": Said(data=answer(HALF, LENGTH)),
    "before its length, by a reset": Said(data=answer(HALF, LENGTH), reset=True),
    "before anything": Said(data=answer(b"", LENGTH)),
    "before the last chunk": Said(data=answer(chunk(HALF) + chunk(BODY[len(HALF) :]), CHUNKED)),
    "within a chunk": Said(data=answer(chunk(BODY)[:-9], CHUNKED)),
    "without a length": Said(data=answer(HALF)),
    "with the length of what is left": whole(HALF),
}


def asking(server: CuttingServer, **options: Any) -> Predictor:
    given = {"facts": EndpointFacts(), "retries": SOON, **options}
    return Predictor("e", server.aws, **given)


@pytest.mark.parametrize("where", CUT)
def test_an_answer_that_breaks_off_is_asked_for_again(where: str) -> None:
    told: list[Prediction] = []
    with (
        cutting_server(lambda n: CUT[where] if n < ATTEMPTS - 1 else whole()) as server,
        asking(server, on_prediction=told.append) as predictor,
    ):
        assert predictor.predict([[1], [2]]) == json.loads(BODY)
    assert [one.attempts for one in told] == [ATTEMPTS]
    assert len(server.asked) == ATTEMPTS


@pytest.mark.parametrize("where", CUT)
def test_one_that_always_breaks_off_is_an_error_that_says_what_to_do(where: str) -> None:
    with (
        cutting_server(lambda _: CUT[where]) as server,
        asking(server, retries=Retries(deadline_seconds=0, base_seconds=0.001)) as predictor,
    ):
        with pytest.raises(Failure, match=r"e: the answer broke off: .* in each of 3 attempts; "):
            predictor.invoke("{}")
        assert len(server.asked) == ATTEMPTS


def test_awaited_too_and_named_by_its_records() -> None:
    async def ask(server: CuttingServer) -> None:
        async with AioPredictor(asking(server, limits=Limits(records_per_request=2))) as predictor:
            await predictor.predict([[1], [2], [3], [4]])

    cut = CUT["before its length"]
    with cutting_server(lambda _: cut) as server, pytest.raises(Failure, match="records 0 to 1"):
        asyncio.run(ask(server))


def test_an_asynchronous_answer_is_read_again() -> None:
    with cutting_server(lambda n: CUT["before its length"] if n < 2 else whole()) as server:
        inference = AsyncInference(
            endpoint_name="e",
            inference_id="1",
            output_location="s3://bucket/answer",
            failure_location=None,
            s3=server.aws.client("s3"),
        )
        assert inference.result().json() == json.loads(BODY)
    assert server.asked == ["GET /bucket/answer HTTP/1.1"] * 3


EVENTS = [event("PayloadPart", part) for part in (b"one", b"two")]
STREAM = "application/vnd.amazon.eventstream"


def stream(content: bytes, *, ended: bool) -> Said:
    chunks = chunk(content) if content else b""
    end = b"0\r\n\r\n" if ended else b""
    return Said(data=answer(chunks + end, CHUNKED, content_type=STREAM))


def test_a_stream_that_breaks_off_before_its_first_part_is_asked_for_again() -> None:
    before = [stream(b"", ended=False), stream(EVENTS[0][:9], ended=False)]
    good = stream(b"".join(EVENTS), ended=True)
    with (
        cutting_server(lambda n: [*before, good][n]) as server,
        asking(server) as predictor,
    ):
        assert list(predictor.stream({"prompt": 1})) == [b"one", b"two"]
    assert len(server.asked) == 3


def test_a_stream_that_breaks_off_later_is_an_error_and_never_asked_for_again() -> None:
    broken = stream(EVENTS[0] + EVENTS[1][:9], ended=False)
    with cutting_server(lambda _: broken) as server, asking(server) as predictor:
        parts = predictor.stream({"prompt": 1})
        assert next(parts) == b"one"
        with pytest.raises(Failure, match=r"e: the answer broke off: .* the 3 bytes that were"):
            next(parts)
    assert len(server.asked) == 1


def test_bytes_of_a_stream_that_changed_on_the_way_are_an_error() -> None:
    flipped = bytearray(EVENTS[1])
    flipped[-6] ^= 1
    content = stream(EVENTS[0] + bytes(flipped), ended=True)
    with cutting_server(lambda _: content) as server, asking(server) as predictor:
        parts = predictor.stream({"prompt": 1})
        with pytest.raises(Failure, match="the answer broke off: Checksum mismatch"):
            list(parts)


def test_an_empty_stream_has_no_parts() -> None:
    empty = stream(b"", ended=True)
    with cutting_server(lambda _: empty) as server, asking(server) as predictor:
        assert list(predictor.stream({"prompt": 1})) == []


def test_an_object_that_breaks_off_while_it_is_read_is_a_failure() -> None:
    with (
        cutting_server(lambda _: CUT["before its length"]) as server,
        pytest.raises(Failure, match=r"AWS does not answer|the connection to AWS broke off"),
        open_object(server.aws, "s3://bucket/key") as stream,
    ):
        stream.read()


def test_what_else_boto3_raises_is_one_of_this_projects_errors() -> None:
    with (
        cutting_server(lambda _: whole()) as server,
        asking(server) as predictor,
        pytest.raises(Mistake, match="AWS would refuse the request: Unknown parameter in input"),
    ):
        predictor.predict({}, {"Colour": "blue"})
    with pytest.raises(Failure, match="AWS could not be asked: Failed to upload"), aws_failures():
        raise S3UploadFailedError("Failed to upload a to b")


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(
    document=st.lists(documents, min_size=1) | st.dictionaries(st.text(), documents, min_size=1),
    share=st.floats(0.0, 1.0, exclude_max=True),
    ascii_only=st.booleans(),
)
def test_every_beginning_of_a_json_document_is_told_from_the_whole(
    document: Any, share: float, ascii_only: bool
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    start = text[: max(1, int(len(text) * share))]
    assert not is_cut_short(text, "application/json; charset=utf-8")
    assert is_cut_short(start, "application/json")
    assert is_cut_short(b"[1]\n" + start, "application/jsonlines")
    assert not is_cut_short(start, "text/plain")


@pytest.mark.parametrize("content", [b"", b"[INST] hello", b"hello [world", b"{x", b"5", b"[1]]"])
def test_what_is_no_json_at_all_is_not_taken_for_the_beginning_of_some(content: bytes) -> None:
    assert not is_cut_short(content, "application/json")


def test_arrays_come_whole_or_not_at_all() -> None:
    file = io.BytesIO()
    numpy.save(file, numpy.zeros(2))
    npy = file.getvalue()
    length = f"Content-Length: {len(npy)}"
    cut = Said(data=answer(npy[:-3], length, content_type="application/x-npy"))
    good = whole(npy, "application/x-npy")
    with cutting_server(lambda n: cut if n == 0 else good) as server, asking(server) as predictor:
        assert predictor.predict([1, 2]).tolist() == [0, 0]
