"""How calls reach a graph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from time import perf_counter
from typing import Protocol, TypeVar

from sagemaker_serving.model_server.engine.predict import Tensors
from sagemaker_serving.model_server.engine.registry import Servable

QUICK_SECONDS = 0.0005
"""Calls that usually take less are not worth a change of threads, which costs about 0.15 ms."""

_MEMORY = 0.9
"""How much an estimate keeps of what it was when a new duration comes in."""

T = TypeVar("T")


class Runner(Protocol):
    """Runs a servable: each call on its own, or several joined into one."""

    async def run(self, servable: Servable, feeds: Tensors, fetches: tuple[str, ...]) -> Tensors:
        """The fetched tensors, all by their names in the graph; raises `StatusError`."""


class DirectRunner:
    """Each request is one call: in a pool of threads, or at once where calls are quick.

    How long a call takes is learned per servable, fetched tensors and order of
    magnitude of the input.
    """

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._usual_seconds: dict[tuple[int, tuple[str, ...], int], float] = {}

    async def run(self, servable: Servable, feeds: Tensors, fetches: tuple[str, ...]) -> Tensors:
        """The fetched tensors of one call."""
        size = sum(array.size for array in feeds.values()).bit_length()
        key = (id(servable), fetches, size)
        usual = self._usual_seconds.get(key)
        if usual is not None and usual < QUICK_SECONDS:
            outputs, seconds = _timed(servable, feeds, fetches, here=True)
        else:
            loop = asyncio.get_running_loop()
            outputs, seconds = await loop.run_in_executor(
                self._pool, _timed, servable, feeds, fetches
            )
        usual = seconds if usual is None else usual
        self._usual_seconds[key] = _MEMORY * usual + (1 - _MEMORY) * seconds
        return outputs


class Calls:
    """What both APIs call servables by; ``pool`` takes what would hold up other requests."""

    def __init__(self, runner: Runner, pool: Executor) -> None:
        self._runner = runner
        self._pool = pool

    async def _fetched(
        self, servable: Servable, feeds: Tensors, fetches: Mapping[str, str]
    ) -> Tensors:
        """The outputs by their names in the signature."""
        tensors = await self._runner.run(servable, feeds, tuple(dict.fromkeys(fetches.values())))
        return {name: tensors[tensor] for name, tensor in fetches.items()}

    async def _convert(self, work: Callable[[], T], *, inline: bool) -> T:
        if inline:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)


def _timed(
    servable: Servable, feeds: Tensors, fetches: tuple[str, ...], *, here: bool = False
) -> tuple[Tensors, float]:
    started = perf_counter()
    outputs = servable.run(feeds, fetches, here=here)
    return outputs, perf_counter() - started
