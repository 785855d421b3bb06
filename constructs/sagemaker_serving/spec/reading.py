"""Reads an environment file: YAML with line numbers, then the types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sagemaker_serving.errors import Mistake, Problem, ProblemsFound, Where
from sagemaker_serving.spec.environment import Environment
from sagemaker_serving.spec.shape import shape_problems

_Path = tuple[str | int, ...]


def read_environment(path: Path) -> EnvironmentFile:
    """Reads ``path`` as an environment file, judging only its shape.

    The result holds the plain data, every place's line, the problems of shape,
    and the typed `Environment` when there were none. Raises `ProblemsFound`
    when the YAML itself cannot be read, and `Mistake` when there is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Mistake(f"{path}: there is no such environment file; {_siblings(path)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Mistake(f"{path}: cannot be read as text: {error}") from None
    data, where, problems = _load(text, str(path))
    environment = None
    try:
        environment = Environment.model_validate(data)
    except ValidationError as error:
        problems += shape_problems(error, where)
    return EnvironmentFile(
        path=path,
        data=data if isinstance(data, dict) else {},
        where=where,
        shape_problems=tuple(problems),
        environment=environment if not problems else None,
    )


@dataclass(frozen=True, kw_only=True)
class EnvironmentFile:
    """An environment file as it was read: plain data, places, and the typed value if sound."""

    path: Path
    data: dict[str, Any]
    where: Where
    shape_problems: tuple[Problem, ...]
    environment: Environment | None


def _load(text: str, source: str) -> tuple[Any, Where, list[Problem]]:
    """Plain data, the line of every value, and the keys that stand twice."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise ProblemsFound([_yaml_problem(source, 1, "the file is empty")])
        lines: dict[_Path, int] = {}
        labels: dict[_Path, str] = {}
        twice = [
            Problem(
                rule="duplicate-key",
                where=Where(source, path, {path: line}),
                message=f"{path[-1]!r} stands twice; remove one of them",
            )
            for path, line in _note_places(root, (), lines, labels)
        ]
        data = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise ProblemsFound([_yaml_problem(source, line, error.problem or str(error))]) from None
    except yaml.YAMLError as error:
        raise ProblemsFound([_yaml_problem(source, 1, str(error))]) from None
    finally:
        loader.dispose()
    return data, Where(source, (), lines, labels), twice


def _yaml_problem(source: str, line: int, what: str) -> Problem:
    return Problem(
        rule="yaml",
        where=Where(source, (), {(): line}),
        message=f"this is not YAML that can be read: {what}",
    )


def _note_places(
    node: yaml.Node, path: _Path, lines: dict[_Path, int], labels: dict[_Path, str]
) -> Iterator[tuple[_Path, int]]:
    """Notes every value's line and every list entry's name; yields the keys that stand twice."""
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for index, entry in enumerate(node.value):
            yield from _note_places(entry, (*path, index), lines, labels)
            name = _name_of(entry)
            if name is not None:
                labels[*path, index] = name
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            deeper = (*path, str(key.value))
            if key.value in seen:
                yield deeper, key.start_mark.line + 1
            seen.add(key.value)
            yield from _note_places(value, deeper, lines, labels)
            lines[deeper] = key.start_mark.line + 1


def _name_of(entry: yaml.Node) -> str | None:
    if isinstance(entry, yaml.MappingNode):
        for key, value in entry.value:
            if key.value == "name" and isinstance(value, yaml.ScalarNode):
                return str(value.value)
    return None


def _siblings(path: Path) -> str:
    names = sorted(sibling.stem for sibling in path.parent.glob("*.yaml"))
    if not names:
        return f"{path.parent}/ holds none; write one, or name the folder that has it"
    return f"{path.parent}/ has {', '.join(names)}"
