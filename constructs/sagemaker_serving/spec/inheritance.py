"""An environment file that extends another: what both share is written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Problem, ProblemsFound, Where
from sagemaker_serving.spec.overlay import overlay
from sagemaker_serving.spec.yaml_text import read_yaml, text_of

EXTENDS = "extends"
_Path = tuple[str | int, ...]


def read_with_bases(path: Path) -> tuple[Any, Where, list[Problem]]:
    """The data of ``path`` laid over that of the files it extends, and where each value stands.

    Mappings join field by field, everything else (lists too) is replaced
    whole; null leaves what the base says. A base stands in the same folder, so
    that relative paths mean the same. Raises `ProblemsFound` when a file is not
    there or cannot be read, extends what is no neighbour, or extends itself.
    """
    return _read(path, ())


def _read(path: Path, below: tuple[Path, ...]) -> tuple[Any, Where, list[Problem]]:
    data, where, problems = read_yaml(text_of(path, siblings(path)), str(path))
    if not isinstance(data, dict) or data.get(EXTENDS) is None:
        return data, where, problems
    base = _base(data.pop(EXTENDS), where / EXTENDS, path, below)
    lower, lower_where, more = _read(base, (*below, path))
    if not isinstance(lower, dict):
        return data, where, [*problems, *more]
    return overlay(lower, data), _joined(lower_where, where, data), [*more, *problems]


def _base(name: object, where: Where, path: Path, below: tuple[Path, ...]) -> Path:
    if not isinstance(name, str) or Path(name).name != name:
        message = f"extends is {name!r}; it must be the name of a file beside this one"
        raise ProblemsFound.of(EXTENDS, where, message)
    base = path.with_name(name)
    if not base.is_file():
        message = f"extends is {name!r}; there is no such file; {siblings(path)}"
        raise ProblemsFound.of(EXTENDS, where, message)
    if base in (*below, path):
        chain = " extends ".join(step.name for step in (*below, path, base))
        raise ProblemsFound.of(EXTENDS, where, f"a file cannot extend itself: {chain}")
    return base


def _joined(below: Where, above: Where, data: dict[str, Any]) -> Where:
    """The places of both: of the upper file where it says something, else of the lower."""
    replaced = set(_replaced(data, ()))
    kept = {
        path: line
        for path, line in below.lines.items()
        if not any(path[:length] in replaced for length in range(1, len(path) + 1))
    }
    files = {path: below.sources.get(path, below.source) for path in kept}
    own = dict.fromkeys(above.lines, above.source)
    labels = {path: label for path, label in below.labels.items() if path in kept}
    return Where(
        source=above.source,
        lines={**kept, **above.lines},
        labels={**labels, **above.labels},
        sources={**files, **own},
    )


def _replaced(value: Any, path: _Path) -> list[_Path]:
    """Where the upper file has a value that stands instead of the lower one's."""
    if isinstance(value, dict) and path[-1:] != ("artifact",):
        return [found for key in value for found in _replaced(value[key], (*path, str(key)))]
    return [] if value is None else [path]


def siblings(path: Path) -> str:
    """The environment files beside ``path``, as the end of a sentence."""
    names = sorted(sibling.stem for sibling in path.parent.glob("[!_]*.yaml"))
    if not names:
        return (
            f"{path.parent}/ holds no environment; `sagemaker-serving init` writes one; or name "
            "the folder that has it"
        )
    return f"{path.parent}/ has {', '.join(names)}"
