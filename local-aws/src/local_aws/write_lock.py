"""Lets what is saved be of one moment: no change is half made while it is written down."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

STILL_SECONDS = 2.0
"""How long changes wait for a save at most. Writing takes milliseconds; the limit is for a change
that holds what the save is waiting for."""

_PATIENCE_SECONDS = 0.25
_BETWEEN_SECONDS = 0.25
_ATTEMPTS = 8


class WriteLock:
    """Changes pass; a save waits until none is under way, then holds those that come.

    A change may be made of others (a stack's resource is made by requests): the inner ones are
    `change`, which a save that merely waits does not hold back, the outermost are `step`,
    which it does.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._under_way = 0
        self._of_thread = threading.local()
        self._awaited = False
        self._still_until = 0.0

    @contextmanager
    def change(self) -> Iterator[None]:
        """Something is changed: a request to a service."""
        self._enter(outermost=False)
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def step(self) -> Iterator[None]:
        """Something is changed by several changes that belong together."""
        self._enter(outermost=True)
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Something that counts as a change only waits meanwhile: no save waits for it."""
        counted = getattr(self._of_thread, "under_way", 0) > 0
        if counted:
            self._leave()
        try:
            yield
        finally:
            if counted:
                self._enter(outermost=False)

    @contextmanager
    def still(self) -> Iterator[bool]:
        """Nothing is changed; False when changes have followed one another without a pause.

        Waits up to 4 seconds for the pause, holding back new steps for a quarter of a second
        at a time.
        """
        found = self._wait_for_a_pause()
        try:
            yield found
        finally:
            with self._condition:
                self._still_until = 0.0
                self._condition.notify_all()

    def _enter(self, *, outermost: bool) -> None:
        with self._condition:
            self._condition.wait_for(
                lambda: time.monotonic() >= self._still_until and not (outermost and self._awaited),
                timeout=STILL_SECONDS,
            )
            self._under_way += 1
        self._of_thread.under_way = getattr(self._of_thread, "under_way", 0) + 1

    def _leave(self) -> None:
        self._of_thread.under_way -= 1
        with self._condition:
            self._under_way -= 1
            self._condition.notify_all()

    def _wait_for_a_pause(self) -> bool:
        with self._condition:
            for _ in range(_ATTEMPTS):
                self._awaited = True
                found = self._condition.wait_for(
                    lambda: self._under_way == 0, timeout=_PATIENCE_SECONDS
                )
                self._awaited = False
                if found:
                    self._still_until = time.monotonic() + STILL_SECONDS
                    return True
                self._condition.notify_all()
                self._condition.wait(_BETWEEN_SECONDS)
        return False
