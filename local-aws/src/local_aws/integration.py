"""Optimised integrations of Step Functions: what a Task state can do with a service.

``arn:aws:states:::sagemaker:createTransformJob.sync`` is action ``createTransformJob`` of the
integration ``sagemaker``, and waits. Source: Step Functions developer guide, "Integrating optimized
services".
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Integration:
    """One optimised integration.

    ``actions`` are those that it has, None any of the API; ``waits_for`` are the actions whose end
    a Task state can wait for, with the suffixes that say so, and ``waits_only_for`` what is said of
    those that it cannot wait for here. ``prefix`` begins its errors' names, ``service`` is how
    causes name the service. ``managed_rules`` are the rules of EventBridge through which it hears
    of an end, by action. ``task`` imports the class of its Task states, where the emulator's will
    not do.
    """

    name: str
    prefix: str
    service: str
    actions: frozenset[str] | None
    waits_for: Mapping[str, frozenset[str]] = field(default_factory=dict)
    waits_only_for: str = ""
    takes_token: bool = True
    managed_rules: Mapping[str, str] = field(default_factory=dict)
    task: Callable[[], type] | None = None


class Integrations:
    """The optimised integrations of this local AWS, by name.

    ``ends`` counts what has ended of all that a Task state may wait for.
    """

    def __init__(self, own: Iterable[Integration] = ()) -> None:
        self._known = {each.name: each for each in own}
        self._lock = threading.Lock()
        self._waiting: set[threading.Event] = set()
        self.ends = 0

    def add(self, integrations: Iterable[Integration]) -> None:
        """Those that a service brings."""
        self._known |= {each.name: each for each in integrations}

    def get(self, name: str) -> Integration | None:
        """The one of this name."""
        return self._known.get(name)

    def tell_of_an_end(self) -> None:
        """Let every Task state that waits look now, as AWS does on an event of EventBridge."""
        with self._lock:
            self.ends += 1
            for event in self._waiting:
                event.set()
                event.clear()

    @contextmanager
    def waking(self, event: threading.Event) -> Iterator[None]:
        """Wake who waits for ``event`` at each end."""
        with self._lock:
            self._waiting.add(event)
        try:
            yield
        finally:
            with self._lock:
                self._waiting.remove(event)

    def __iter__(self) -> Iterator[Integration]:
        return iter(sorted(self._known.values(), key=lambda each: each.name))
