from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sagemaker_serving.model_server.engine import running
from sagemaker_serving.model_server.engine.examples import ExampleList
from sagemaker_serving.model_server.engine.predict import Tensors
from sagemaker_serving.model_server.engine.running import DirectRunner
from sagemaker_serving.model_server.engine.signatures import Signature
from sagemaker_serving.model_server.engine.tensors import Array


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
