"""Dynamic batching: concurrent requests joined into one call of the graph.

As TensorFlow Serving's SharedBatchScheduler with the container's parameters:
a batch closes when the next request would overflow ``max_batch_size``, or when
it has waited ``batch_timeout_micros`` and a thread is free; while all
``num_batch_threads`` are busy it keeps filling; a queue holds
``max_enqueued_batches``, more are refused. A request larger than
``max_batch_size`` is refused, never split. One difference: requests whose
instances differ in shape never share a batch, where TF Serving fails them all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from sagemaker_serving.model_server.engine.predict import Tensors
from sagemaker_serving.model_server.engine.registry import Servable
from sagemaker_serving.model_server.engine.running import Runner
from sagemaker_serving.model_server.engine.status import Code, StatusError, invalid
from sagemaker_serving.model_server.settings import Batching

Call = Callable[[Tensors], Awaitable[Tensors]]


class BatchingRunner:
    """Joins the calls of one servable that feed and fetch the same tensors."""

    def __init__(self, parameters: Batching, runner: Runner) -> None:
        self._scheduler = Scheduler(parameters)
        self._runner = runner

    async def run(self, servable: Servable, feeds: Tensors, fetches: tuple[str, ...]) -> Tensors:
        """This request's part of the batch it went with; raises `StatusError`."""
        size = _batch_size(feeds)
        shapes = tuple((name, array.shape[1:]) for name, array in sorted(feeds.items()))
        return await self._scheduler.submit(
            (id(servable), shapes, fetches),
            Task(feeds, size),
            lambda merged: self._runner.run(servable, merged, fetches),
        )


@dataclass
class Task:
    """One request in a batch: ``size`` instances, and where its outputs go."""

    feeds: Tensors
    size: int
    outputs: asyncio.Future[Tensors] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass
class _Batch:
    """Tasks that go together; ``ripe`` once it has waited long enough."""

    opened: float
    size: int = 0
    tasks: list[Task] = field(default_factory=list)
    ripe: bool = False


@dataclass
class _Queue:
    """The batches of one key, never empty; all but the last are closed."""

    call: Call
    batches: deque[_Batch] = field(default_factory=deque)


class Scheduler:
    """The queues and the threads they share, in one event loop."""

    def __init__(self, parameters: Batching) -> None:
        self._parameters = parameters
        self._queues: dict[Hashable, _Queue] = {}
        self._idle_threads = parameters.num_batch_threads
        self._running: set[asyncio.Task[None]] = set()

    async def submit(self, key: Hashable, task: Task, call: Call) -> Tensors:
        """The outputs of ``task``, which joins others of the same ``key``.

        Raises `StatusError`: 400 for a task over the size limit, 503 when the
        queue is full, and whatever the joined call raised.
        """
        batch = self._open_batch(key, task.size, call)
        batch.tasks.append(task)
        batch.size += task.size
        self._dispatch()
        return await task.outputs

    def _open_batch(self, key: Hashable, size: int, call: Call) -> _Batch:
        """The batch that takes ``size`` more instances."""
        limit = self._parameters.max_batch_size
        if size > limit:
            raise invalid(f"Task size {size} is larger than maximum input batch size {limit}")
        batches = self._queues.setdefault(key, _Queue(call)).batches
        if batches and batches[-1].size + size <= limit:
            return batches[-1]
        if len(batches) >= self._parameters.max_enqueued_batches:
            raise StatusError(
                Code.UNAVAILABLE,
                "The batch scheduling queue to which this task was submitted is full; "
                f"currently {len(batches)} batches enqueued and "
                f"max_enqueued_batches is {self._parameters.max_enqueued_batches}",
            )
        loop = asyncio.get_running_loop()
        batch = _Batch(opened=loop.time())
        loop.call_later(self._parameters.batch_timeout_micros / 1e6, self._ripen, batch)
        batches.append(batch)
        return batch

    def _ripen(self, batch: _Batch) -> None:
        batch.ripe = True
        self._dispatch()

    def _dispatch(self) -> None:
        """Start what is ready while threads are idle, the longest waiting first."""
        while self._idle_threads > 0:
            ready = [key for key, queue in self._queues.items() if self._is_ready(queue)]
            if not ready:
                return
            self._start(min(ready, key=lambda key: self._queues[key].batches[0].opened))

    def _is_ready(self, queue: _Queue) -> bool:
        first = queue.batches[0]
        closed = len(queue.batches) > 1 or first.size >= self._parameters.max_batch_size
        return closed or first.ripe

    def _start(self, key: Hashable) -> None:
        queue = self._queues[key]
        batch = queue.batches.popleft()
        if not queue.batches:
            del self._queues[key]
        self._idle_threads -= 1
        running = asyncio.ensure_future(self._process(queue.call, batch))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _process(self, call: Call, batch: _Batch) -> None:
        try:
            parts = _split(await call(_merged(batch)), batch)
        except Exception as error:
            for task in batch.tasks:
                if not task.outputs.cancelled():
                    task.outputs.set_exception(error)
        else:
            for task, outputs in zip(batch.tasks, parts, strict=True):
                if not task.outputs.cancelled():
                    task.outputs.set_result(outputs)
        finally:
            self._idle_threads += 1
            self._dispatch()


def _batch_size(feeds: Tensors) -> int:
    if any(array.ndim == 0 for array in feeds.values()):
        raise invalid("Batching Run() input tensors must have at least one dimension")
    sizes = {array.shape[0] for array in feeds.values()}
    if len(sizes) > 1:
        raise invalid("Batching Run() input tensors must have equal 0th-dimension size")
    return int(sizes.pop())


def _merged(batch: _Batch) -> Tensors:
    if len(batch.tasks) == 1:
        return batch.tasks[0].feeds
    names = batch.tasks[0].feeds
    return {name: np.concatenate([task.feeds[name] for task in batch.tasks]) for name in names}


def _split(outputs: Tensors, batch: _Batch) -> list[Tensors]:
    for array in outputs.values():
        if array.ndim == 0:
            raise StatusError(Code.FAILED_PRECONDITION, "Batched output tensor has 0 dimensions")
        if array.shape[0] != batch.size:
            raise StatusError(
                Code.FAILED_PRECONDITION,
                "Batched output tensor's 0th dimension does not equal the sum of the "
                "0th dimension sizes of the input tensors",
            )
    ends = np.cumsum([task.size for task in batch.tasks]).tolist()
    starts = [end - task.size for end, task in zip(ends, batch.tasks, strict=True)]
    return [
        {name: array[start:end] for name, array in outputs.items()}
        for start, end in zip(starts, ends, strict=True)
    ]
