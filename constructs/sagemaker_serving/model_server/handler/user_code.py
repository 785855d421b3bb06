"""Loading ``inference.py``: its import path, what the image lacks, and its handlers."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_ADVICE = {"tensorflow": "call the model through context.rest_uri, or "}

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


def hide_absent_packages(names: Collection[str], user_paths: Sequence[str]) -> None:
    """Make imports see what the image has: none of ``names``, unless the user's code brings it.

    ``user_paths`` are ``code/``, ``code/lib`` and what requirements.txt
    installed: a package found there is the user's own.
    """
    sys.meta_path[sys.meta_path.index(PathFinder)] = _ImageFinder(names, list(user_paths))


def let_import(folder: Path) -> None:
    """Put a folder of the user's code at the end of the import path."""
    sys.path.append(str(folder))
    for finder in sys.meta_path:
        if isinstance(finder, _ImageFinder):
            finder.user_paths.append(str(folder))


class _ImageFinder:
    """`PathFinder`, but for the packages that are absent in the image."""

    def __init__(self, absent: Collection[str], user_paths: list[str]) -> None:
        self._absent = absent
        self.user_paths = user_paths

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or name not in self._absent:
            return PathFinder.find_spec(name, path, target)
        spec = PathFinder.find_spec(name, self.user_paths, target)
        if spec is None and not _only_asked():
            raise ModuleNotFoundError(
                f"No module named '{name}': the SageMaker TensorFlow Serving image has no {name} "
                f"package; {_ADVICE.get(name, '')}bring the package in code/requirements.txt",
                name=name,
            )
        return spec

    def invalidate_caches(self) -> None:
        PathFinder.invalidate_caches()


def _only_asked() -> bool:
    """Whether `importlib.util.find_spec` wants to know, rather than an import to happen."""
    asker = sys._getframe(3).f_code
    return asker.co_name == "find_spec" and asker.co_filename.endswith("util>")


def _handlers(module: ModuleType) -> Handler | HandlerPair:
    if hasattr(module, "handler"):
        handler: Handler = module.handler
        return handler
    if hasattr(module, "input_handler") and hasattr(module, "output_handler"):
        return HandlerPair(module.input_handler, module.output_handler)
    raise NotImplementedError("Handlers are not implemented correctly in user script.")
