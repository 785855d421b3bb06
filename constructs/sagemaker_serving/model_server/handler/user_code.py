"""Loading ``inference.py``, and finding its handlers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

Handler = Callable[..., Any]


@dataclass(frozen=True)
class HandlerPair:
    """``input_handler`` makes the engine's request, ``output_handler`` reads its answer."""

    input_handler: Handler
    output_handler: Handler


def load_handlers(script: Path) -> Handler | HandlerPair:
    """Import ``script`` and take its handlers; ``handler`` wins over the pair.

    Raises `NotImplementedError` when it has neither, and whatever the script
    itself raises.
    """
    spec = importlib.util.spec_from_file_location("inference", script)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return _handlers(module)


def _handlers(module: ModuleType) -> Handler | HandlerPair:
    if hasattr(module, "handler"):
        handler: Handler = module.handler
        return handler
    if hasattr(module, "input_handler") and hasattr(module, "output_handler"):
        return HandlerPair(module.input_handler, module.output_handler)
    raise NotImplementedError("Handlers are not implemented correctly in user script.")
