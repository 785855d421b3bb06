"""The predictor for asyncio: threads send, the event loop waits for none of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.client.predictor import Predictor

T = TypeVar("T")


class AioPredictor:
    """A `Predictor` whose calls are awaited; arguments and answers are the same.

    boto3 sends, in threads of its connection pool; it is the client that AWS
    keeps, and nothing more is installed. At most ``calls`` calls (default 32)
    are under way at once, further ones wait their turn; the requests that a
    batch is cut into are sent ``concurrency`` at a time, as ever. A cancelled
    call lets the request that is under way run to its end, unseen.
    """

    def __init__(self, predictor: Predictor, *, calls: int = 32) -> None:
        self.predictor = predictor
        # Not the predictor's own threads: a batch waits for those.
        self._calls = ThreadPoolExecutor(calls, thread_name_prefix=f"{predictor.endpoint_name}-aio")

    async def invoke(self, body: bytes | str, **options: Any) -> Prediction:
        """See `Predictor.invoke`."""
        return await self._run(partial(self.predictor.invoke, body, **options))

    async def predict(self, data: Any, *arguments: Any, **options: Any) -> Any:
        """See `Predictor.predict`."""
        return await self._run(partial(self.predictor.predict, data, *arguments, **options))

    async def classify(self, data: Any) -> Any:
        """See `Predictor.classify`."""
        return await self._run(partial(self.predictor.classify, data))

    async def regress(self, data: Any) -> Any:
        """See `Predictor.regress`."""
        return await self._run(partial(self.predictor.regress, data))

    async def stream(self, data: Any, **options: Any) -> AsyncGenerator[bytes]:
        """See `Predictor.stream`; ``async for part in predictor.stream(data)``."""
        stream = await self._run(partial(self.predictor.stream, data, **options))
        try:
            while (part := await self._run(partial(next, stream, None))) is not None:
                yield part
        finally:
            with suppress(ValueError):  # of a cancelled call a thread still waits for the next part
                stream.close()

    async def close(self) -> None:
        """Closes the predictor, too."""
        import asyncio

        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, call: Callable[[], T]) -> T:
        import asyncio  # here, so that those who await nothing do not load it

        return await asyncio.get_running_loop().run_in_executor(self._calls, call)

    def _close(self) -> None:
        self.predictor.close()
        self._calls.shutdown(cancel_futures=True)
