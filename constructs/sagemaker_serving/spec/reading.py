"""Reads an environment file: YAML with line numbers, then the types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sagemaker_serving.errors import Mistake, Problem, Where
from sagemaker_serving.spec.environment import Environment
from sagemaker_serving.spec.shape import shape_problems
from sagemaker_serving.spec.yaml_text import read_yaml


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
    data, where, problems = read_yaml(text, str(path))
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


def _siblings(path: Path) -> str:
    names = sorted(sibling.stem for sibling in path.parent.glob("*.yaml"))
    if not names:
        return f"{path.parent}/ holds none; write one, or name the folder that has it"
    return f"{path.parent}/ has {', '.join(names)}"
