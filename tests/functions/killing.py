"""A function's process ends right after any one of its calls, as Lambda's may.

Right before the next one, the same is in AWS.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import botocore.client
import pytest


class Killed(BaseException):
    """The process of the function has ended here, without a word."""


class Killing:
    """Lets the function's process end right after its ``number``-th call, once.

    Nothing that the process still does then, on its way out or in another thread, comes to a call:
    all raise `Killed`. ``calls`` are the names of those that it came to, of all its processes.
    """

    def __init__(self, number: int | None = None) -> None:
        self._number = number
        self._is_dead = False
        self._lock = threading.Lock()
        self.calls: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether the function has come so far."""
        return self._number is not None and len(self.calls) >= self._number

    def begin(self) -> None:
        """Another process of the function begins."""
        self._is_dead = False

    def passes(self, name: str, call: Callable[[], Any]) -> Any:
        """Makes a call, and may end after it."""
        with self._lock:
            if self._is_dead:
                raise Killed
            self.calls.append(name)
            is_the_last = len(self.calls) == self._number
        answer = call()
        if is_the_last:
            self._is_dead = True
            raise Killed
        return answer


class CountedClient:
    """A client of boto3, or what is in its place, whose calls `Killing` counts."""

    def __init__(self, client: Any, killing: Killing) -> None:
        self._client = client
        self._killing = killing

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._client, name)
        return lambda **given: self._killing.passes(name, lambda: call(**given))


@contextmanager
def counted_calls(killing: Killing, answer: Any) -> Iterator[None]:
    """Every call of boto3, and every answer that the module ``answer`` sends to CloudFormation, is
    counted in this thread, as those of one process."""
    killing.begin()
    thread = threading.get_ident()
    call, send = botocore.client.BaseClient._make_api_call, answer._open

    def counted(client: Any, operation: str, parameters: Any) -> Any:
        if threading.get_ident() != thread:
            return call(client, operation, parameters)
        return killing.passes(operation, lambda: call(client, operation, parameters))

    def counted_send(request: Any, **more: Any) -> Any:
        return killing.passes("answer", lambda: send(request, **more))

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(botocore.client.BaseClient, "_make_api_call", counted)
        patches.setattr(answer, "_open", counted_send)
        yield
