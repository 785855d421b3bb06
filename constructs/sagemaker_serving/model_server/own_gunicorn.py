"""gunicorn inside a process of ours, as both kinds of handlers are served."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gunicorn.app.base import BaseApplication


class Gunicorn(BaseApplication):  # type: ignore[misc]
    """Its settings are given as arguments; each worker calls ``load`` for itself."""

    def __init__(self, load: Callable[[], Any], **options: Any) -> None:
        self._load = load
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn as it is made."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Called by gunicorn in each worker: the WSGI application."""
        return self._load()
