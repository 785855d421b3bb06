"""Told by its log: a container that will not come up, long before SageMaker gives up on it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from sagemaker_serving.operations.rollout.logs import LogLine

_SIGNS: tuple[tuple[str, str], ...] = (
    (r"no SavedModel bundles found", "there is no SavedModel in the archive"),
    (r"Loading servable: .* failed", "TensorFlow Serving could not load the model"),
    (r"Failed to start server", "TensorFlow Serving did not start"),
    (r"Worker failed to boot|HaltServer", "inference.py could not be loaded"),
    (r"Exception in worker process", "inference.py could not be loaded"),
    (r"ERROR: No matching distribution found", "code/requirements.txt could not be installed"),
    (r"Load model failed|Worker died|Backend worker error", "TorchServe could not load the model"),
    (r"Traceback \(most recent call last\)", "the container's own code failed as it started"),
    (r"\b(?:std::bad_alloc|MemoryError|Out of memory|OOM-?killed)\b", "memory ran out"),
    (r"CUDA error|no CUDA-capable device|CUDA driver version", "the GPU could not be used"),
    (r"exec format error", "the image is for another processor"),
)
"""What is written in such a log, and what it means. Sources: TensorFlow Serving, gunicorn, pip,
TorchServe and CUDA, in the words of AWS's containers (aws/deep-learning-containers e0ecede)."""

_COMPILED = [(re.compile(pattern, re.IGNORECASE), meaning) for pattern, meaning in _SIGNS]
_ALIVE = re.compile(r"\"?GET /ping[^\"]*\"? 200\b")
"""A container that answers the health check, whatever it wrote before, is well."""


class FailureSigns:
    """Watches lines as they come and names the first container that failed.

    A sign counts when ``grace_seconds`` have gone by and that container has not
    answered a health check since: some write a traceback and serve all the same.
    """

    def __init__(
        self, *, grace_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._grace = grace_seconds
        self._clock = clock
        self._signs: dict[str, tuple[float, str]] = {}

    def see(self, line: LogLine) -> None:
        """Takes notice of one line."""
        if _ALIVE.search(line.text):
            self._signs.pop(line.stream, None)
            return
        meaning = next((told for sign, told in _COMPILED if sign.search(line.text)), None)
        if meaning is not None:
            self._signs.setdefault(line.stream, (self._clock(), meaning))

    def failed(self) -> tuple[str, str] | None:
        """The stream of a container that failed, and what its log means."""
        for stream, (since, meaning) in self._signs.items():
            if self._clock() - since >= self._grace:
                return stream, meaning
        return None
