"""Addresses at which somebody answers once: what CloudFormation hands to custom resources.

An address cannot be guessed, takes one answer, and is forgotten when nobody waits any more.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PATH = "/_local/callbacks/"


@dataclass
class Callback:
    """One address and what came of it: ``body`` when it was answered, ``abandoned`` when whoever
    was to answer has failed for good, with the reason."""

    url: str
    body: bytes | None = None
    abandoned: str | None = None
    settled: threading.Event = field(default_factory=threading.Event, repr=False)


class Callbacks:
    """The addresses of this local AWS that are waited at."""

    def __init__(self) -> None:
        self._open: dict[str, Callback] = {}
        self._lock = threading.Lock()

    @contextmanager
    def open(self, base_url: str) -> Iterator[Callback]:
        """An address below ``base_url`` for as long as the block lasts."""
        token = secrets.token_urlsafe(32)
        callback = Callback(f"{base_url}{PATH}{token}")
        with self._lock:
            self._open[token] = callback
        try:
            yield callback
        finally:
            with self._lock:
                self._open.pop(token, None)

    def answer(self, token: str, body: bytes) -> bool:
        """Give an address its answer; False when nobody waits there or it has one already."""
        with self._lock:
            callback = self._open.pop(token, None)
        if callback is None:
            return False
        callback.body = body
        callback.settled.set()
        return True

    def is_named_in(self, text: str) -> bool:
        """Whether somebody waits at an address that ``text`` names."""
        with self._lock:
            return any(each.url in text for each in self._open.values())

    def abandon(self, text: str, reason: str) -> None:
        """Tell those who wait at an address that ``text`` names that no answer will come."""
        with self._lock:
            found = [each for each in self._open.values() if each.url in text]
        for callback in found:
            callback.abandoned = reason
            callback.settled.set()
