"""Code that a model brings in multi-model mode: ``NAME/model/code``."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from sagemaker_serving.model_server.discovery import Code
from sagemaker_serving.model_server.handler.answering import Handlers
from sagemaker_serving.model_server.handler.user_code import load_handlers

log = logging.getLogger("handler")


class ModelCode:
    """The handlers of the models below ``folder``, imported when they are first asked for.

    Imports are the whole process's: what one model's ``code/lib`` brings is
    there for all, and the first of two modules of one name is everybody's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handlers: dict[str, tuple[int, Handlers]] = {}

    def handlers(self, name: str, load: int) -> Handlers:
        """A model's own handlers, None when it has none; imported anew for another ``load``.

        Raises whatever importing its ``inference.py`` does.
        """
        known = self._handlers.get(name)
        if known is None or known[0] != load:
            known = self._handlers[name] = load, self._imported(name)
        return known[1]

    def forget(self, name: str) -> None:
        """A model that is unloaded needs its handlers no more."""
        self._handlers.pop(name, None)

    def _imported(self, name: str) -> Handlers:
        code = Code(self._folder / name / "model" / "code")
        if code.lib.exists() and str(code.lib) not in sys.path:
            log.info("Add Python code library for the model %s found at path %s.", name, code.lib)
            sys.path.append(str(code.lib))
        if not code.script.exists():
            return None
        log.info(
            "Importing handlers from model-specific inference script for the model %s "
            "found at path %s.",
            name,
            code.script,
        )
        return load_handlers(code.script)
