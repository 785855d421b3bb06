"""Names of a package that are loaded when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def loading(package: str, file: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: each name of ``__all__`` is what type checkers are told.

    ``file`` is the package's own; its imports below ``if TYPE_CHECKING`` say where names are.
    """

    def load(name: str) -> Any:
        home = _homes(file).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(home), name)
        setattr(sys.modules[package], name, found)
        return found

    return load


@cache
def _homes(file: str) -> Mapping[str, str]:
    return {
        name.name: str(node.module)
        for block in ast.parse(Path(file).read_text(encoding="utf-8")).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
