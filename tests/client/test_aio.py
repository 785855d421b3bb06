"""The same calls, awaited."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from local_aws.protocol.event_stream import event
from sagemaker_serving.client import AioPredictor, EndpointFacts, Limits, Predictor
from sagemaker_serving.errors import ModelFailed
from tests.client.fake_runtime import Answer, Asked, FakeRuntime, fake_runtime, refusal
from tests.client.test_sending import PATIENCE, sums


def aio(runtime: FakeRuntime, **options: Any) -> AioPredictor:
    return AioPredictor(Predictor("e", runtime.aws, facts=EndpointFacts(), **options))


def test_batches_and_bodies_are_awaited() -> None:
    async def calls(runtime: FakeRuntime) -> None:
        async with aio(runtime, limits=Limits(concurrency=2, records_per_request=2)) as predictor:
            batches = [[float(n + i) for n in range(9)] for i in range(12)]
            answers = await asyncio.gather(*map(predictor.predict, batches))
            assert answers == [{"predictions": batch} for batch in batches]
            assert (await predictor.invoke(b"hello", content_type="a/b")).json() == "hello"

    with fake_runtime(sums) as runtime:
        asyncio.run(calls(runtime))
    assert runtime.busiest <= 3


def test_the_event_loop_runs_on_while_a_model_thinks() -> None:
    thought = threading.Event()

    def answer(_: Asked) -> Answer:
        assert thought.wait(PATIENCE)
        return Answer(body=b'"thought"')

    async def calls(runtime: FakeRuntime) -> Any:
        async with aio(runtime) as predictor:
            asked = asyncio.create_task(predictor.predict("{}"))
            await asyncio.sleep(0)
            thought.set()
            return await asked

    with fake_runtime(answer) as runtime:
        assert asyncio.run(calls(runtime)) == "thought"


def test_errors_are_raised_where_they_are_awaited() -> None:
    async def calls(runtime: FakeRuntime) -> None:
        async with aio(runtime) as predictor:
            await predictor.regress({"examples": [{"x": 1}]})

    error = refusal("ModelError", 424, OriginalStatusCode=400, OriginalMessage="no")
    with fake_runtime(lambda _: error) as runtime, pytest.raises(ModelFailed, match="400: no"):
        asyncio.run(calls(runtime))
    assert json.loads(runtime.asked[0].body) == {"examples": [{"x": 1}]}


def test_streams_are_iterated() -> None:
    async def calls(runtime: FakeRuntime) -> list[bytes]:
        async with aio(runtime) as predictor:
            return [part async for part in predictor.stream({"prompt": "hi"})]

    body = event("PayloadPart", b"a") + event("PayloadPart", b"b")
    answer = Answer(body=body, content_type="application/vnd.amazon.eventstream")
    with fake_runtime(lambda _: answer) as runtime:
        assert asyncio.run(calls(runtime)) == [b"a", b"b"]
