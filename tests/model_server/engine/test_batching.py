from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pytest

from sagemaker_serving.model_server.engine import running
from sagemaker_serving.model_server.engine.batching import BatchingRunner
from sagemaker_serving.model_server.engine.examples import ExampleList
from sagemaker_serving.model_server.engine.predict import Tensors
from sagemaker_serving.model_server.engine.running import DirectRunner
from sagemaker_serving.model_server.engine.signatures import Signature
from sagemaker_serving.model_server.engine.status import Code, StatusError
from sagemaker_serving.model_server.engine.tensors import Array
from sagemaker_serving.model_server.settings import Batching

T = TypeVar("T")


class Graph:
    """Half plus three, which waits to be let go and remembers how large its calls were."""

    def __init__(self, *, held: bool = False) -> None:
        self.sizes: list[int] = []
        self.go = asyncio.Event()
        self.signatures: dict[str, Any] = {}
        if not held:
            self.go.set()

    async def run(self, servable: Any, feeds: Tensors, fetches: tuple[str, ...]) -> Tensors:
        self.sizes.append(feeds["x"].shape[0])
        await self.go.wait()
        if (feeds["x"] < 0).any():
            raise StatusError(Code.INVALID_ARGUMENT, "negative")
        return dict.fromkeys(fetches, feeds["x"] * 0.5 + 3)


def batching(graph: Graph, **parameters: int) -> BatchingRunner:
    defaults = {
        "max_batch_size": 4,
        "batch_timeout_micros": 1000,
        "num_batch_threads": 1,
        "max_enqueued_batches": 10,
    }
    return BatchingRunner(Batching(**(defaults | parameters)), graph)


async def predict(runner: BatchingRunner, *values: float, fetches: tuple[str, ...] = ("y",)) -> Any:
    outputs = await runner.run(None, {"x": np.array(values)}, fetches)  # type: ignore[arg-type]
    return outputs[fetches[0]].tolist()


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 120))


def test_concurrent_requests_share_a_call_and_get_their_own_rows() -> None:
    async def work() -> None:
        graph = Graph()
        runner = batching(graph)
        answers = await asyncio.gather(predict(runner, 1), predict(runner, 2, 5))
        assert list(answers) == [[3.5], [4.0, 5.5]]
        assert graph.sizes == [3]

    run(work())


def test_a_full_batch_does_not_wait_for_the_timeout() -> None:
    async def work() -> None:
        graph = Graph()
        runner = batching(graph, batch_timeout_micros=60_000_000)
        await asyncio.gather(*(predict(runner, value) for value in range(4)))
        assert graph.sizes == [4]

    run(work())


def test_a_lone_request_goes_after_the_timeout() -> None:
    async def work() -> None:
        graph = Graph()
        loop = asyncio.get_running_loop()
        started = loop.time()
        await predict(batching(graph, batch_timeout_micros=50_000), 1)
        assert loop.time() - started >= 0.049
        assert graph.sizes == [1]

    run(work())


def test_a_request_that_would_overflow_a_batch_closes_it() -> None:
    async def work() -> None:
        graph = Graph()
        runner = batching(graph)
        await asyncio.gather(predict(runner, 1, 2, 3), predict(runner, 4, 5), predict(runner, 6))
        assert graph.sizes == [3, 3]

    run(work())


def test_a_batch_fills_up_while_all_threads_are_busy() -> None:
    async def work() -> None:
        graph = Graph(held=True)
        runner = batching(graph, max_batch_size=8, batch_timeout_micros=0)
        first = asyncio.ensure_future(predict(runner, 1))
        while not graph.sizes:
            await asyncio.sleep(0)
        others = [asyncio.ensure_future(predict(runner, value)) for value in range(5)]
        await asyncio.sleep(0.05)
        assert graph.sizes == [1]
        graph.go.set()
        await asyncio.gather(first, *others)
        assert graph.sizes == [1, 5]

    run(work())


def test_as_many_batches_run_at_once_as_there_are_threads() -> None:
    async def work() -> None:
        graph = Graph(held=True)
        runner = batching(graph, max_batch_size=1, num_batch_threads=2)
        waiting = [asyncio.ensure_future(predict(runner, value)) for value in range(5)]
        await asyncio.sleep(0.05)
        assert graph.sizes == [1, 1]
        graph.go.set()
        await asyncio.gather(*waiting)
        assert graph.sizes == [1] * 5

    run(work())


def test_a_request_larger_than_a_batch_is_refused() -> None:
    async def work() -> None:
        with pytest.raises(StatusError) as refused:
            await predict(batching(Graph()), 1, 2, 3, 4, 5)
        assert refused.value.code is Code.INVALID_ARGUMENT
        assert refused.value.message == "Task size 5 is larger than maximum input batch size 4"

    run(work())


def test_a_full_queue_is_unavailable() -> None:
    async def work() -> None:
        graph = Graph(held=True)
        runner = batching(graph, max_batch_size=1, max_enqueued_batches=2)
        waiting = [asyncio.ensure_future(predict(runner, value)) for value in range(3)]
        await asyncio.sleep(0.05)
        with pytest.raises(StatusError) as refused:
            await predict(runner, 9)
        graph.go.set()
        assert refused.value.code.http_status == 503
        assert refused.value.message == (
            "The batch scheduling queue to which this task was submitted is full; "
            "currently 2 batches enqueued and max_enqueued_batches is 2"
        )
        assert await asyncio.gather(*waiting) == [[3.0], [3.5], [4.0]]

    run(work())


def test_instances_of_another_shape_never_share_a_batch() -> None:
    async def work() -> None:
        graph = Graph()
        runner = batching(graph)
        flat = runner.run(None, {"x": np.zeros((1,))}, ("y",))  # type: ignore[arg-type]
        deep = runner.run(None, {"x": np.zeros((1, 2))}, ("y",))  # type: ignore[arg-type]
        first, second = await asyncio.gather(flat, deep)
        assert (first["y"].shape, second["y"].shape) == ((1,), (1, 2))
        assert graph.sizes == [1, 1]

    run(work())


def test_other_outputs_never_share_a_batch() -> None:
    async def work() -> None:
        graph = Graph()
        runner = batching(graph)
        await asyncio.gather(predict(runner, 1), predict(runner, 1, fetches=("z",)))
        assert graph.sizes == [1, 1]

    run(work())


def test_an_error_reaches_every_request_of_the_batch_and_none_after_it() -> None:
    async def work() -> None:
        runner = batching(Graph())
        answers = await asyncio.gather(
            predict(runner, 1), predict(runner, -1), return_exceptions=True
        )
        assert [str(answer) for answer in answers] == ["INVALID_ARGUMENT: negative"] * 2
        assert await predict(runner, 1) == [3.5]

    run(work())


def test_a_request_whose_caller_left_does_not_hurt_the_others() -> None:
    async def work() -> None:
        runner = batching(Graph(), batch_timeout_micros=20_000)
        leaving = asyncio.ensure_future(predict(runner, 1))
        staying = asyncio.ensure_future(predict(runner, 2))
        await asyncio.sleep(0)
        leaving.cancel()
        assert await staying == [4.0]

    run(work())


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        (
            {"x": np.zeros(3), "z": np.zeros(5)},
            "Batching Run() input tensors must have equal 0th-dimension size",
        ),
        (
            {"x": np.array(1.0)},
            "Batching Run() input tensors must have at least one dimension",
        ),
    ],
)
def test_what_has_no_one_batch_size_cannot_be_batched(feeds: Tensors, message: str) -> None:
    async def work() -> None:
        with pytest.raises(StatusError) as refused:
            await batching(Graph()).run(None, feeds, ("y",))  # type: ignore[arg-type]
        assert refused.value.message == message

    run(work())


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (np.array(1.0), "Batched output tensor has 0 dimensions"),
        (
            np.zeros(7),
            "Batched output tensor's 0th dimension does not equal the sum of the "
            "0th dimension sizes of the input tensors",
        ),
    ],
)
def test_outputs_must_be_as_long_as_the_batch(output: Any, message: str) -> None:
    class Other(Graph):
        async def run(self, servable: Any, feeds: Tensors, fetches: tuple[str, ...]) -> Tensors:
            return {"y": output}

    async def work() -> None:
        with pytest.raises(StatusError) as refused:
            await predict(batching(Other()), 1)
        assert refused.value.code is Code.FAILED_PRECONDITION
        assert refused.value.message == message

    run(work())


class Timed:
    """A servable whose calls take as long as it is told, by a clock of its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.signatures: Mapping[str, Signature] = {}
        self.threads: list[int] = []

    def clock(self) -> float:
        return self.now

    def run(
        self, feeds: Mapping[str, Array], fetches: tuple[str, ...], *, here: bool = False
    ) -> Tensors:
        self.threads.append(threading.get_ident())
        assert here == (threading.get_ident() == threading.main_thread().ident)
        self.now += self.seconds
        return {"y": feeds["x"]}

    def serialized(self, examples: ExampleList) -> Array:
        raise NotImplementedError


def at_once(monkeypatch: pytest.MonkeyPatch, seconds: float, *sizes: int) -> list[bool]:
    """For each call with an input of that size, whether it ran in the event loop's thread."""
    servable = Timed(seconds)
    monkeypatch.setattr(running, "perf_counter", servable.clock)

    async def work() -> None:
        with ThreadPoolExecutor(1) as pool:
            runner = DirectRunner(pool)
            for size in sizes:
                await runner.run(servable, {"x": np.zeros(size)}, ("y",))

    asyncio.run(work())
    return [thread == threading.get_ident() for thread in servable.threads]


def test_quick_calls_are_made_at_once_after_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert at_once(monkeypatch, 0.0001, 3, 3, 3) == [False, True, True]


def test_slow_calls_are_made_in_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    assert at_once(monkeypatch, 0.005, 3, 3, 3) == [False, False, False]


def test_a_larger_input_is_judged_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert at_once(monkeypatch, 0.0001, 3, 3, 3000, 3000) == [False, True, False, True]
